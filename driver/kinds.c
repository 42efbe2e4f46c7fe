/* kinds.c: whether a verb takes what a file holds. */
#include "driver/launch.h"
#include "lib/result.h"

enum kind {
#define KIND(id, ending, text, verbs, way) KIND_##id,
#include "driver/kinds.def"
    KINDS /* it does not tell */
};

static const struct kind_info {
    const char *ending, *text;
    uint32_t verbs;
    const char *way;
} kinds[KINDS] = {
#define KIND(id, ending, text, verbs, way) {ending, text, verbs, way},
#include "driver/kinds.def"
};

static enum kind kind_of(const char *file, const struct text *t)
{
    switch (result_input_of(t->at ? t->at : "", t->length)) {
    case KERNC_INPUT_IR: return KIND_IR;
    case KERNC_INPUT_BYTECODE: return KIND_BYTECODE;
    case KERNC_INPUT_IMAGE: return KIND_IMAGE;
    case KERNC_INPUT_LLVM: return KIND_LLVM;
    default: break;
    }
    if (replay_is_job(t))
        return KIND_JOB;
    static const char listing[] = "# *** Bytecode of ";
    if (t->length >= strlen(listing) && memcmp(t->at, listing, strlen(listing)) == 0)
        return KIND_LISTING;
    const char *ending = strrchr(file, '.');
    for (uint32_t k = 0; ending && k < KINDS; k++)
        if (kinds[k].ending && strcmp(kinds[k].ending, ending) == 0)
            return (enum kind)k;
    return KINDS;
}

/* The verb takes it, and the row before it has not said so. */
static bool is_named(const struct command *c, uint32_t k)
{
    bool said = k && verb_in(c->verb, kinds[k - 1].verbs) && strcmp(kinds[k - 1].text, kinds[k].text) == 0;
    return verb_in(c->verb, kinds[k].verbs) && !said;
}

/* What the verb takes: "a source, IR or bytecode". */
static const char *taken_by(struct command *c)
{
    struct text t = {.arena = &c->arena};
    uint32_t left = 0;
    for (uint32_t k = 0; k < KINDS; k++)
        left += is_named(c, k);
    for (uint32_t k = 0; k < KINDS; k++)
        if (is_named(c, k))
            text_printf(&t, "%s%s", kinds[k].text, --left > 1 ? ", " : left ? " or " : "");
    return t.at;
}

int check_kind(struct command *c, const struct text *text)
{
    enum kind k = kind_of(c->file, text);
    if (k == KINDS || verb_in(c->verb, kinds[k].verbs))
        return EXIT_OK;
    return fail(c, EXIT_INPUT, "input", NULL, (place){0}, "%s is %s: kernc %s takes %s; %s", input_name(c),
                kinds[k].text, c->verb->name, taken_by(c), kinds[k].way);
}
