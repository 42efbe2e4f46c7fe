/* vcd.c: see vcd.h. */
#include "runtime/launch/vcd.h"

void rt_vcd_identifier(struct text *out, uint32_t number)
{
    do {
        text_char(out, (char)('!' + number % 94));
        number /= 94;
    } while (number);
}

void rt_vcd_value(struct text *out, uint32_t number, uint64_t value, unsigned bits)
{
    if (bits > 1)
        text_char(out, 'b');
    for (unsigned i = bits; i-- > 0;)
        text_char(out, value >> i & 1 ? '1' : '0');
    if (bits > 1)
        text_char(out, ' ');
    rt_vcd_identifier(out, number);
    text_char(out, '\n');
}
