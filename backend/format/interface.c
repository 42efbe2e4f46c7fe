/* interface.c: what kernel parameters and operands of printf have to be. */
#include "backend/format/interface.h"
#include "launch/layout.h"

bool be_param_is_good(const struct be_param *p)
{
    return p->name && p->type != BE_VOID && p->type <= BE_PTR && p->element <= LAUNCH_DOUBLE &&
           launch_is_element((enum launch_element)p->element, p->element_bytes) &&
           layout_is_good(p->layout, p->element_bytes);
}

bool be_unsized_are_good(const be_unsized_vec *all, uint32_t most)
{
    bool good = all->count <= LAUNCH_MAX_SHARED;
    for (uint32_t i = 0; good && i < all->count; i++)
        good = all->at[i].name && all->at[i].bytes && all->at[i].bytes <= most;
    return good;
}

enum conversion_operand be_printed(enum be_value t)
{
    static const uint8_t operands[] = {
        [BE_VOID] = CONVERSION_NONE,  [BE_I1] = CONVERSION_INT,     [BE_I32] = CONVERSION_INT,
        [BE_I64] = CONVERSION_LONG,   [BE_F32] = CONVERSION_DOUBLE, [BE_F64] = CONVERSION_DOUBLE,
        [BE_PTR] = CONVERSION_POINTER};
    return t < COUNT(operands) ? operands[t] : CONVERSION_NONE;
}
