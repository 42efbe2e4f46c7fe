/* constants.c: constants in the text form. */
#include "ir/text/syntax.h"

#include <math.h>

static void print_f64(uint64_t bits, struct text *out)
{
    double d = scalar_from_f64(bits);
    if (isnan(d) && bits != SCALAR_NAN_F64)
        text_printf(out, "nan(0x%llx)", (unsigned long long)bits);
    else
        text_double(out, d);
}

static void print_f32(uint32_t bits, struct text *out)
{
    float f = scalar_from_f32(bits);
    if (isnan(f) && bits != SCALAR_NAN_F32) {
        text_printf(out, "nanf(0x%x)", bits);
        return;
    }
    text_float(out, f);
    text_char(out, 'f');
}

void ir_print_constant(enum ir_type t, scalar_bits bits, struct text *out)
{
    switch (t) {
    case IR_TYPE_I1: text_addz(out, bits ? "true" : "false"); return;
    case IR_TYPE_I32: text_printf(out, "%d", i32((uint32_t)bits)); return;
    case IR_TYPE_I64: text_printf(out, "%lldL", (long long)bits); return;
    case IR_TYPE_F32: print_f32((uint32_t)bits, out); return;
    case IR_TYPE_F64: print_f64(bits, out); return;
    default: break;
    }
    if (ir_is_pointer(t) && bits == 0)
        text_printf(out, "null.%s", ir_type_info[t].text + strlen("ptr."));
    else
        text_printf(out, "%s 0x%llx", ir_type_info[t].text, (unsigned long long)bits);
}
