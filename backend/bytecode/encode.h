/* encode.h: shared by encode.c and encode_end.c (code) and table.c (block, line and site tables, targets). */
#ifndef KERNC_BYTECODE_ENCODE_H
#define KERNC_BYTECODE_ENCODE_H

#include "backend/bytecode/emit.h"

enum be_fix_field {
    BE_FIX_IMM,
    BE_FIX_YES,
    BE_FIX_NO,
    BE_FIX_RECONVERGE,
    BE_FIX_CASE,
    BE_FIX_OTHERWISE,
    BE_FIX_FRONTIER, /* of a row of the block table */
    BE_FIX_SWITCH_RECONVERGE
};
/* index: of the code word, case or switch */
struct be_fix {
    uint8_t field;
    uint32_t index, block;
};

/* A row of the block table, for the check of where lanes wait. source: IR block, or IR_NO_BLOCK: where indirect
 * calls enter. target: of the edge whose moves it has, or IR_NO_BLOCK. callee: node of the call graph, where it
 * is what follows a call; or BE_NONE. */
struct be_row {
    uint32_t row, source, target, callee;
};

struct be_encoder {
    struct be_context *c;
    struct be_function *f;
    struct bc_function *row;
    uint32_t open;             /* row of the block being written; BE_NONE */
    uint32_t next;             /* IR block that comes next in the layout */
    VEC(struct bc_line) lines; /* of the open block */
    u32_vec code_of;           /* by IR block */
    u32_vec first_edge;        /* by edge of the branch being written: the first like it; BE_NONE: it
                                  needs no block */
    u32_vec edge_code;         /* beside: that one's block */
    VEC(struct be_transfer) transfers;
    uint32_t added; /* of the transfers, those that are overhead */
    bool overhead;  /* what is put is */
    VEC(struct be_fix) fixes;
    struct be_row at;        /* of rows to be opened, but for the number */
    VEC(struct be_row) rows; /* empty unless the program checks where lanes wait */
};

void be_open_block(struct be_encoder *e, unsigned flags); /* closes the one before */
/* The same in the middle of one that was opened: the active lanes stay as they are. */
void be_continue_block(struct be_encoder *e, unsigned flags);
/* Its row and lines are complete; nothing if none is open. */
void be_close_block(struct be_encoder *e);
/* Appends a word to the open block, and what it counts for to the block and the line. */
void be_put_ins(struct be_encoder *e, struct bc_ins ins, uint32_t cycles, uint32_t line);
uint16_t be_site(struct be_encoder *e, const struct be_word *w); /* a new row of the site table */
/* A target: a code index, or the IR block whose code index it will be (IR_NO_BLOCK: BC_NO_TARGET). */
void be_fix_now(struct be_encoder *e, enum be_fix_field field, uint32_t index, uint32_t code);
void be_fix_later(struct be_encoder *e, enum be_fix_field field, uint32_t index, uint32_t block);
/* Of the whole function, once all blocks have code. */
void be_fix_all(struct be_encoder *e);
/* Adds where lanes may wait while rows of the finished function are run (waiting.c). */
void be_waiting_of_rows(struct be_encoder *e);
/* The word with its registers, which are known by then. */
struct bc_ins be_make_ins(struct be_encoder *e, const struct be_word *w);
/* Gives back the temporaries that word i reads last, and takes one for what it writes. */
void be_move_temporaries(struct be_encoder *e, const struct be_word *w, uint32_t i);
/* The block's last word, and blocks for the moves of its edges (encode_end.c). */
void be_encode_end(struct be_encoder *e, const struct be_block *b);
/* Its number in the code; temporaries above BE_TEMPORARY until emit.c moves them. */
uint32_t be_register(const struct be_encoder *e, uint32_t vreg);

#endif
