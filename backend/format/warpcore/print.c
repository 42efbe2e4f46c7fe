/* print.c: one instruction as assembly writes it: the mnemonic, then the operands in the order d a b c imm
 * rpc, each as its letter in isa.def says.
 *
 *     add             r3, r1, r2
 *     ld.global.32    r4, [r1 - 8]
 *     br              p1, 12, 20
 *
 * A reconvergence point or branch that is none is left out: it is the last operand.
 */
#include "backend/format/warpcore/image.h"

#define OPERAND_COLUMN 16

static void print_word_name(const struct wc_namer *namer, uint32_t word, struct text *out)
{
    if (namer)
        namer->name(namer->data, word, out);
    else
        text_printf(out, "%u", word);
}

static void print_address(const struct wc_ins *ins, struct text *out)
{
    text_printf(out, "[r%u", ins->a);
    if (ins->imm)
        text_printf(out, " %c %d", ins->imm < 0 ? '-' : '+', ins->imm < 0 ? -ins->imm : ins->imm);
    text_char(out, ']');
}

static void print_operand(char letter, int64_t x, const struct wc_namer *namer, struct text *out)
{
    switch (letter) {
    case 'D':
    case 'r': text_printf(out, "r%u", (unsigned)x); break;
    case 'P':
    case 'p': text_printf(out, "p%u", (unsigned)x); break;
    case 'u': text_printf(out, "0x%x", (unsigned)x); break;
    case 'k':
    case 'R':
    case 's': print_word_name(namer, (uint32_t)x, out); break;
    case 'c':
    case 'C': text_addz(out, wc_csr_find((uint32_t)x)->name); break;
    default: text_printf(out, "%d", (int)x); break;
    }
}

/* Whether the operand in field i stands in the text. */
static bool is_shown(const char *operands, unsigned i, int64_t x)
{
    switch (operands[i]) {
    case '-':
    case 'o': return false; /* an offset stands with its address */
    case 'R':
    case 's': return x != WC_NONE;
    default: return true;
    }
}

void wc_print_ins(const struct wc_ins *ins, const struct wc_namer *namer, struct text *out)
{
    const struct wc_op_info *info = &wc_op_info[ins->op];
    const int64_t x[] = {ins->d, ins->a, ins->b, ins->c, ins->imm, ins->rpc};
    int padding = OPERAND_COLUMN - (int)strlen(info->mnemonic);
    bool first = true;
    text_addz(out, info->mnemonic);
    for (unsigned i = 0; i < COUNT(x); i++) {
        if (!is_shown(info->operands, i, x[i]))
            continue;
        if (first)
            text_printf(out, "%*s", padding > 1 ? padding : 1, "");
        else
            text_addz(out, ", ");
        first = false;
        if (i == 1 && info->operands[4] == 'o')
            print_address(ins, out);
        else
            print_operand(info->operands[i], x[i], namer, out);
    }
}

void wc_print_word(uint32_t word, const struct wc_namer *namer, struct text *out)
{
    struct wc_ins ins;
    if (wc_decode(word, &ins))
        wc_print_ins(&ins, namer, out);
    else
        text_printf(out, ".word           0x%08x", word);
}
