/* interface.c: what kernel parameters and operands of printf have to be. */
#include "backend/format/interface.h"
#include "base/layout.h"

bool be_param_is_good(const struct be_param *p)
{
    return p->name && p->type != BE_VOID && p->type <= BE_PTR && p->element <= LAUNCH_DOUBLE &&
           launch_is_element((enum launch_element)p->element, p->element_bytes) &&
           layout_is_good(p->layout, p->element_bytes);
}

bool be_unsized_is_good(const struct be_unsized *u, uint32_t most)
{
    return !u->bytes || (u->name && u->bytes <= most);
}

enum conversion_operand be_printed(enum be_value t)
{
    static const uint8_t operands[] = {
        [BE_VOID] = CONVERSION_NONE,  [BE_I1] = CONVERSION_INT,     [BE_I32] = CONVERSION_INT,
        [BE_I64] = CONVERSION_LONG,   [BE_F32] = CONVERSION_DOUBLE, [BE_F64] = CONVERSION_DOUBLE,
        [BE_PTR] = CONVERSION_POINTER};
    return t < COUNT(operands) ? operands[t] : CONVERSION_NONE;
}
