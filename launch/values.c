/* values.c: values of launch arguments: making the bytes of buffers and the bits of scalars.
 *
 * Everything is computed with integers and with double arithmetic that is exact or rounded once an operation,
 * so that a reference program repeats it bit for bit from the formulas in launch.h.
 */
#include "launch/layout.h"

#include <math.h>

struct element_info {
    const char *name;
    uint32_t bytes;
    int64_t least;
    uint64_t greatest;
    const char *out_of_range; /* what is said of numbers that are none of the type */
};
static const struct element_info elements[] = {
    [LAUNCH_BYTES] = {"struct", 0, 0, 0},
    [LAUNCH_BOOL] = {"bool", 1, 0, 1, "the number does not fit the type (0 to 1)"},
    [LAUNCH_CHAR] = {"char", 1, INT8_MIN, INT8_MAX, "the number does not fit the type (-128 to 127)"},
    [LAUNCH_UCHAR] = {"uchar", 1, 0, UINT8_MAX, "the number does not fit the type (0 to 255)"},
    [LAUNCH_SHORT] = {"short", 2, INT16_MIN, INT16_MAX, "the number does not fit the type (-32768 to 32767)"},
    [LAUNCH_USHORT] = {"ushort", 2, 0, UINT16_MAX, "the number does not fit the type (0 to 65535)"},
    [LAUNCH_INT] = {"int", 4, INT32_MIN, INT32_MAX,
                    "the number does not fit the type (-2147483648 to 2147483647)"},
    [LAUNCH_UINT] = {"uint", 4, 0, UINT32_MAX, "the number does not fit the type (0 to 4294967295)"},
    [LAUNCH_LONG] = {"long", 8, INT64_MIN, INT64_MAX, "the number does not fit the type (-2^63 to 2^63 - 1)"},
    [LAUNCH_ULONG] = {"ulong", 8, 0, UINT64_MAX, "the number does not fit the type (0 to 2^64 - 1)"},
    [LAUNCH_FLOAT] = {"float", 4, 0, 0},
    [LAUNCH_DOUBLE] = {"double", 8, 0, 0},
};

uint32_t launch_element_bytes(enum launch_element e)
{
    return elements[e].bytes;
}

uint32_t launch_scalars(enum launch_element e, uint32_t element_bytes)
{
    uint32_t size = elements[e].bytes;
    if (!size)
        return element_bytes > 0;
    return element_bytes % size == 0 && element_bytes / size <= LAUNCH_VECTOR_MAX ? element_bytes / size : 0;
}

const char *launch_element_name(enum launch_element e)
{
    return elements[e].name;
}

bool launch_find_element(const char *name, enum launch_element *e)
{
    for (*e = LAUNCH_BYTES; *e <= LAUNCH_DOUBLE; ++*e)
        if (strcmp(elements[*e].name, name) == 0)
            return true;
    return false;
}

void launch_range(enum launch_element e, int64_t *least, uint64_t *greatest)
{
    *least = elements[e].least;
    *greatest = elements[e].greatest;
}

static bool is_float(enum launch_element e)
{
    return e == LAUNCH_FLOAT || e == LAUNCH_DOUBLE;
}

/* ---- numbers ------------------------------------------------------------------------------------- */

static const char wants_integer[] = "an integer is wanted here";

/* A ulong's upper half looks negative in i; f tells. */
static bool is_negative(struct launch_number n)
{
    return n.i < 0 && !(n.f > 0);
}

static double as_double(struct launch_number n)
{
    return n.is_float ? n.f : is_negative(n) ? (double)n.i : (double)(uint64_t)n.i;
}

const char *launch_check_number(struct launch_number n, enum launch_element e)
{
    const struct element_info *info = &elements[e];
    if (is_float(e))
        return NULL;
    if (n.is_float)
        return wants_integer;
    bool fits = is_negative(n) ? n.i >= info->least : (uint64_t)n.i <= info->greatest;
    return fits ? NULL : info->out_of_range;
}

static void store_double(double d, enum launch_element e, void *at)
{
    float f = (float)d;
    if (e == LAUNCH_FLOAT)
        memcpy(at, &f, sizeof f);
    else
        memcpy(at, &d, sizeof d);
}

/* Little-endian host: the low bytes come first. */
void launch_store_number(struct launch_number n, enum launch_element e, void *at)
{
    if (is_float(e))
        store_double(as_double(n), e, at);
    else
        memcpy(at, &n.i, elements[e].bytes);
}

/* As C converts it to the type, extended. */
static uint64_t converted_bits(int64_t i, enum launch_element e)
{
    switch (e) {
    case LAUNCH_BOOL: return i != 0;
    case LAUNCH_CHAR: return (uint32_t)(int8_t)i;
    case LAUNCH_UCHAR: return (uint8_t)i;
    case LAUNCH_SHORT: return (uint32_t)(int16_t)i;
    case LAUNCH_USHORT: return (uint16_t)i;
    default: return elements[e].bytes == 8 ? (uint64_t)i : (uint32_t)i;
    }
}

const char *launch_make_scalar(const struct launch_value *v, enum launch_element e, uint64_t round,
                               uint64_t *bits)
{
    struct launch_number n = v->n[0];
    const char *problem = NULL;
    if (v->kind != LAUNCH_SCALAR && v->kind != LAUNCH_ROUND)
        return "this parameter is a number, not a buffer";
    if (e == LAUNCH_BYTES)
        return "a struct cannot be given on the command line";
    if (v->kind == LAUNCH_ROUND)
        problem = launch_evaluate(v->text, round, &n, NULL);
    if (!problem && (v->kind == LAUNCH_SCALAR || n.is_float))
        problem = launch_check_number(n, e);
    if (problem)
        return problem;
    *bits = 0;
    if (is_float(e))
        launch_store_number(n, e, bits);
    else
        *bits = converted_bits(n.i, e);
    return NULL;
}

/* ---- generators ------------------------------------------------------------------------------------ */

uint64_t launch_word(uint64_t seed, uint64_t i)
{
    uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static double unit(uint64_t seed, uint64_t i)
{
    return (double)(launch_word(seed, i) >> 11) * 0x1p-53;
}

static void iota_element(const struct launch_value *v, enum launch_element e, uint64_t i, void *at)
{
    launch_store_number((struct launch_number){.i = (int64_t)i, .f = (double)i}, e, at);
}

static __int128 wide(struct launch_number n)
{
    return is_negative(n) ? (__int128)n.i : (__int128)(uint64_t)n.i;
}

static void ramp_element(const struct launch_value *v, enum launch_element e, uint64_t i, void *at)
{
    uint64_t steps = v->count > 1 ? v->count - 1 : 1;
    if (is_float(e)) {
        double a = as_double(v->n[0]), b = as_double(v->n[1]);
        store_double(a + (b - a) * (double)i / (double)steps, e, at);
        return;
    }
    __int128 x = wide(v->n[0]) + (wide(v->n[1]) - wide(v->n[0])) * (__int128)i / (__int128)steps;
    int64_t bits = (int64_t)x;
    memcpy(at, &bits, elements[e].bytes);
}

static void random_float(double lo, double hi, double u, enum launch_element e, void *at)
{
    double d = lo + (hi - lo) * u;
    if (d >= hi && lo < hi)
        d = nextafter(hi, lo);
    if (e == LAUNCH_FLOAT && (float)d >= hi && lo < hi)
        d = nextafterf((float)hi, (float)lo);
    store_double(d, e, at);
}

static void random_element(const struct launch_value *v, enum launch_element e, uint64_t i, void *at)
{
    if (is_float(e)) {
        random_float(as_double(v->n[0]), as_double(v->n[1]), unit(v->seed, i), e, at);
        return;
    }
    unsigned __int128 range = (unsigned __int128)((uint64_t)v->n[1].i - (uint64_t)v->n[0].i) + 1;
    uint64_t bits = (uint64_t)v->n[0].i + (uint64_t)(launch_word(v->seed, i) * range >> 64);
    memcpy(at, &bits, elements[e].bytes);
}

static void store_clamped(double d, enum launch_element e, void *at)
{
    const struct element_info *info = &elements[e];
    double r = nearbyint(d);
    struct launch_number n = {.f = r};
    if (r >= (double)info->greatest)
        n.i = (int64_t)info->greatest;
    else if (r <= (double)info->least)
        n.i = info->least;
    else
        n.i = r < 0 ? (int64_t)r : (int64_t)(uint64_t)r;
    launch_store_number(n, e, at);
}

/* The sum of twelve uniform numbers has the deviation 1 and needs no function of the host's libm. */
static void normal_element(const struct launch_value *v, enum launch_element e, uint64_t i, void *at)
{
    double sum = 0;
    for (uint64_t k = 0; k < 12; k++)
        sum += unit(v->seed, 12 * i + k);
    double d = as_double(v->n[0]) + as_double(v->n[1]) * (sum - 6);
    if (is_float(e))
        store_double(d, e, at);
    else
        store_clamped(d, e, at);
}

bool launch_make_element(const struct launch_value *v, enum launch_element e, uint64_t i, uint64_t *bits)
{
    uint64_t count = v->kind == LAUNCH_LIST ? v->list.count : v->count;
    *bits = 0;
    bool listed = v->kind != LAUNCH_SCALAR && v->kind != LAUNCH_FILE && v->kind <= LAUNCH_LIST;
    if (!listed || i >= count)
        return false;
    if (v->kind == LAUNCH_ZEROS)
        return true;
    if (e == LAUNCH_BYTES)
        return false;
    switch (v->kind) {
    case LAUNCH_LIST: launch_store_number(v->list.at[i], e, bits); break;
    case LAUNCH_IOTA: iota_element(v, e, i, bits); break;
    case LAUNCH_RAMP: ramp_element(v, e, i, bits); break;
    case LAUNCH_RANDOM: random_element(v, e, i, bits); break;
    default: normal_element(v, e, i, bits); break;
    }
    return true;
}

/* ---- buffers ------------------------------------------------------------------------------------- */

typedef void make_element(const struct launch_value *v, enum launch_element e, uint64_t i, void *at);

const char launch_too_large[] = "the buffer is larger than the memory limit (--max-memory)";

static const char *check_bounds(const struct launch_value *v, enum launch_element e)
{
    const char *problem = launch_check_number(v->n[0], e);
    if (!problem)
        problem = launch_check_number(v->n[1], e);
    if (!problem && !(fabs(as_double(v->n[0])) < INFINITY && fabs(as_double(v->n[1])) < INFINITY))
        problem = "the bounds must be finite";
    return problem;
}

static const char *check_random(const struct launch_value *v, enum launch_element e)
{
    const char *problem = check_bounds(v, e);
    bool descending = is_float(e) ? as_double(v->n[0]) > as_double(v->n[1]) : wide(v->n[0]) > wide(v->n[1]);
    if (!problem && descending)
        problem = "the lower bound is above the upper bound";
    return problem;
}

static const char *check_normal(const struct launch_value *v)
{
    return check_bounds(v, LAUNCH_DOUBLE); /* also for integers, which are rounded */
}

static const char *check_iota(const struct launch_value *v, enum launch_element e)
{
    return !is_float(e) && v->count - 1 > elements[e].greatest ? elements[e].out_of_range : NULL;
}

/* Room for `count` elements, zeroed. */
static const char *allocate(uint64_t count, uint32_t element_bytes, size_t limit, void **bytes, size_t *n)
{
    size_t total;
    if (count == 0)
        return "a buffer needs at least one element";
    if (__builtin_mul_overflow(count, element_bytes, &total) || total > limit)
        return launch_too_large;
    *n = total;
    *bytes = mem_alloc(total);
    return NULL;
}

static const char *generate(const struct launch_value *v, enum launch_element e, make_element *make,
                            size_t limit, void **bytes, size_t *n)
{
    uint32_t size = elements[e].bytes;
    const char *problem = allocate(v->count, size, limit, bytes, n);
    if (!problem)
        for (uint64_t i = 0; i < v->count; i++)
            make(v, e, i, (char *)*bytes + i * size);
    return problem;
}

static const char *make_list(const struct launch_value *v, enum launch_element e, size_t limit, void **bytes,
                             size_t *n)
{
    for (uint32_t i = 0; i < v->list.count; i++) {
        const char *problem = launch_check_number(v->list.at[i], e);
        if (problem)
            return problem;
    }
    uint32_t size = elements[e].bytes;
    const char *problem = allocate(v->list.count, size, limit, bytes, n);
    if (!problem)
        for (uint32_t i = 0; i < v->list.count; i++)
            launch_store_number(v->list.at[i], e, (char *)*bytes + (size_t)i * size);
    return problem;
}

static const char *make_scalars(const struct launch_value *v, enum launch_element e, size_t limit,
                                void **bytes, size_t *n)
{
    const char *problem = NULL;
    switch (v->kind) {
    case LAUNCH_LIST: return make_list(v, e, limit, bytes, n);
    case LAUNCH_IOTA:
        problem = check_iota(v, e);
        return problem ? problem : generate(v, e, iota_element, limit, bytes, n);
    case LAUNCH_RAMP:
        problem = check_bounds(v, e);
        return problem ? problem : generate(v, e, ramp_element, limit, bytes, n);
    case LAUNCH_RANDOM:
        problem = check_random(v, e);
        return problem ? problem : generate(v, e, random_element, limit, bytes, n);
    case LAUNCH_NORMAL:
        problem = check_normal(v);
        return problem ? problem : generate(v, e, normal_element, limit, bytes, n);
    default: BUG("launch value of kind %d", v->kind);
    }
}

/* Of structures, or of vectors whose list has braces. */
static const char *make_structs(struct arena *a, const struct launch_value *v, struct layout l, size_t limit,
                                void **bytes, size_t *n)
{
    struct text text = {.arena = a}, made = {0};
    if (v->kind != LAUNCH_LIST && v->kind != LAUNCH_STRUCTS)
        return "a buffer of structs is made by zeros(n), {list} or @file";
    if (l.kind == LAYOUT_UNKNOWN)
        return "a buffer of such structs is made by zeros(n) or from its bytes, @file";
    if (v->kind == LAUNCH_LIST)
        launch_print_value(v, &text);
    const char *problem = layout_fill(a, &l, v->kind == LAUNCH_LIST ? text.at : v->text, limit, &made);
    *bytes = problem ? NULL : made.at;
    *n = made.length;
    if (problem)
        text_free(&made);
    return problem;
}

const char *launch_make_buffer(struct arena *a, const struct launch_value *v, enum launch_element e,
                               uint32_t element_bytes, const char *layout, size_t limit, void **bytes,
                               size_t *n)
{
    *bytes = NULL;
    if (v->kind == LAUNCH_SCALAR || v->kind == LAUNCH_ROUND)
        return "this parameter is a buffer, not a number";
    if (v->kind == LAUNCH_NULL)
        return "a buffer is made of something: only an argument is null";
    if (v->kind == LAUNCH_NAMED)
        return "a buffer is made of numbers or a file, not of another one";
    if (v->kind == LAUNCH_ZEROS)
        return allocate(v->count, element_bytes, limit, bytes, n);
    if (v->kind == LAUNCH_FILE)
        return launch_read_file(a, v->text, e, element_bytes, layout, limit, bytes, n);
    if (e == LAUNCH_BYTES || v->kind == LAUNCH_STRUCTS)
        return make_structs(a, v, layout_of(a, e, element_bytes, layout), limit, bytes, n);
    struct launch_value scalars = *v;
    uint32_t each = launch_scalars(e, element_bytes);
    if (v->kind == LAUNCH_LIST && v->list.count % each)
        return "the numbers of the list do not fill its last vector";
    if (__builtin_mul_overflow(v->count, v->kind == LAUNCH_LIST ? 1 : each, &scalars.count))
        return launch_too_large;
    return make_scalars(&scalars, e, limit, bytes, n);
}
