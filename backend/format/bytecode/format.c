/* format.c: what a .kbc file holds, in order; docs/bytecode.md says it in words.
 *
 * Header: magic, version, hash of the operation table (a program made with other operations is refused rather
 * than misread), bytes of the body, hash of the body. The hash finds accidents; nothing relies on it, since
 * reading checks every length and bc_verify everything else.
 */
#include "backend/format/bytecode/program.h"
#include "backend/format/file.h"

#define VERSION 8

struct bc_program *bc_program_new(void)
{
    struct arena a;
    arena_init(&a);
    struct bc_program *p = arena_new(&a, struct bc_program);
    p->arena = a;
    return p;
}

void bc_program_free(struct bc_program *p)
{
    if (!p)
        return;
    struct arena a = p->arena; /* p itself lives in it */
    arena_free(&a);
}

/* ---- rows of the tables ------------------------------------------------------------------------------ */

static void exchange_case(struct stream *s, struct bc_case *c)
{
    uint64_t bits = (uint64_t)c->value;
    stream_u64(s, &bits);
    c->value = (int64_t)bits;
    stream_u32(s, &c->target);
}

static void exchange_host(struct stream *s, struct bc_host *h)
{
    stream_string(s, &h->name);
    stream_u8(s, &h->result);
    stream_u8(s, &h->argc);
    if (h->argc > COUNT(h->args)) {
        stream_fail(s, "a host function has too many parameters");
        h->argc = 0;
    }
    for (unsigned i = 0; i < h->argc; i++)
        stream_u8(s, &h->args[i]);
}

static void exchange_text(struct stream *s, struct bc_text *t)
{
    stream_bytes(s, (const uint8_t **)&t->bytes, &t->length);
}

static void exchange_function(struct stream *s, struct bc_function *f)
{
    stream_string(s, &f->name);
    stream_u32(s, &f->code);
    stream_u32(s, &f->end);
    stream_u32(s, &f->entry);
    stream_u32(s, &f->signature);
    stream_u32(s, &f->return_slot);
    stream_bool(s, &f->kernel);
}

static void exchange_preload(struct stream *s, struct bc_preload *f)
{
    stream_u8(s, &f->source);
    stream_u8(s, &f->kind);
    stream_u16(s, &f->reg);
    stream_u64(s, &f->value);
}

static void exchange_kernel(struct stream *s, struct bc_kernel *k)
{
    stream_string(s, &k->name);
    stream_u32(s, &k->function);
    stream_u32(s, &k->vectors);
    stream_u32(s, &k->masks);
    stream_u32(s, &k->scalars);
    stream_u32(s, &k->private_bytes);
    stream_u32(s, &k->first_preload);
    stream_u32(s, &k->preload_count);
    stream_vector(s, &k->params, STREAM_PARAM_BYTES, stream_param);
    stream_u32(s, &k->line);
    stream_bool(s, &k->has_barrier);
    stream_vector(s, &k->unsized, STREAM_UNSIZED_BYTES, stream_unsized);
}

static void exchange_program(struct stream *s, void *program)
{
    struct bc_program *p = program;
    stream_string(s, &p->file);
    stream_string(s, &p->scheme);
    stream_rows(s, &p->code, 16);
    stream_rows(s, &p->blocks, 28);
    stream_rows(s, &p->lines, 12);
    stream_rows(s, &p->sites, 16);
    stream_vector(s, &p->cases, 12, exchange_case);
    stream_rows(s, &p->switches, 20);
    stream_rows(s, &p->operands, 4);
    stream_vector(s, &p->hosts, 6, exchange_host);
    stream_vector(s, &p->texts, 4, exchange_text);
    stream_vector(s, &p->functions, 25, exchange_function);
    stream_vector(s, &p->preloads, 12, exchange_preload);
    stream_vector(s, &p->kernels, 45, exchange_kernel);
    stream_vector(s, &p->launches, LAUNCH_STREAM_BYTES, launch_stream);
    stream_bytes(s, &p->data, &p->data_bytes);
    stream_u32(s, &p->shared_bytes);
    stream_bool(s, &p->checks_waiting);
    stream_rows(s, &p->waiting, 8);
}

/* ---- the file ---------------------------------------------------------------------------------------- */

static uint64_t vocabulary_hash(void)
{
    uint64_t h = STREAM_HASH_START;
    for (unsigned op = 0; op < BC_OPS; op++) {
        const struct bc_op_info *info = bc_op_info((enum bc_op)op);
        if (info) {
            h = stream_hash(h, info->name, strlen(info->name) + 1);
            h = stream_hash(h, info->operands, strlen(info->operands) + 1);
        }
    }
    return h;
}

static void free_program(void *program)
{
    bc_program_free(program);
}

/* What .kbc files begin with. */
static struct stream_kind kind(void)
{
    return (struct stream_kind){BC_MAGIC,
                                VERSION,
                                vocabulary_hash(),
                                "it is no compiled program",
                                "it was made by a version of kernc with other operations",
                                "there is more in the file than a program",
                                exchange_program,
                                free_program};
}

void bc_seal(const void *body, size_t n, struct text *out)
{
    struct stream_kind k = kind();
    stream_seal(&k, body, n, out);
}

void bc_write(const struct bc_program *program, struct text *out)
{
    struct stream_kind k = kind();
    stream_write(&k, (struct bc_program *)program, out);
}

struct bc_program *bc_read(const void *bytes, size_t n, const char **why)
{
    struct stream_kind k = kind();
    struct bc_program *program = bc_program_new();
    *why = stream_read(&k, bytes, n, program, &program->arena);
    return *why ? NULL : program;
}
