/* vcd.h: pieces of a waveform file (IEEE 1364-2005, clause 18). */
#ifndef KERNC_RT_VCD_H
#define KERNC_RT_VCD_H

#include "base/base.h"

/* A short name of printable characters for the signal, always the same for a number. */
void rt_vcd_identifier(struct text *out, uint32_t number);
/* The signal has this value from the latest time on. */
void rt_vcd_value(struct text *out, uint32_t number, uint64_t value, unsigned bits);

#endif
