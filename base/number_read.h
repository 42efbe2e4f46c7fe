/* number_read.h: numbers as people write them.
 *
 *   number   = integer | floating
 *   integer  = ( digits | 0x digits | 0b digits | 0 digits ) u? (l | ll)?, the suffixes in either order
 *   floating = digits with a point, an exponent, or both, f? | 0x digits with or without point, p exponent, f?
 *
 * A ' may stand between two digits. There is no sign: callers take it off.
 */
#ifndef KERNC_BASE_NUMBER_READ_H
#define KERNC_BASE_NUMBER_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum number_fault {
    NUMBER_GOOD,
    NUMBER_NO_DIGITS,
    NUMBER_DIGIT, /* of a larger base */
    NUMBER_POINT, /* a second one, or one where none can be */
    NUMBER_SEPARATOR,
    NUMBER_NO_EXPONENT_DIGITS,
    NUMBER_NO_HEX_EXPONENT,
    NUMBER_SUFFIX,
    NUMBER_INTEGER_TOO_LARGE,
    NUMBER_FLOAT_TOO_LARGE,
    NUMBER_FAULTS
};

enum number_form {
    NUMBER_OCTAL = 1,        /* an integer with a leading 0 is octal, else decimal */
    NUMBER_FLOAT_SUFFIX = 2, /* f makes a float of an integer */
    NUMBER_EXACTNESS = 4,    /* says whether decimals are quite the value, which takes microseconds */
};

struct number {
    uint8_t base;  /* 2, 8, 10 or 16 */
    uint8_t fault; /* enum number_fault */
    bool is_float;
    bool is_single;            /* f: the value was rounded once, to float */
    bool is_inexact;           /* decimals that are not quite the value; with NUMBER_EXACTNESS */
    bool is_unsigned, is_long; /* u, l */
    uint64_t integer;          /* of an integer */
    double value;              /* of either */
    size_t fault_at;           /* the byte where the fault shows */
    char problem[128];         /* what is wrong, and what to write */
};

#define NO_DIGIT 99u /* of any base */
/* The digit's value, in bases up to 16; or NO_DIGIT. */
unsigned number_digit(char c);
/* Reads a number of n bytes whole; false: it is none, and to->fault and to->problem say why. */
bool number_read(const char *text, size_t n, unsigned forms, struct number *to);
/* How many of the n bytes belong to the number that begins there, be it good or bad: letters, digits, points
 * but not `..`, separators, the signs of exponents. */
size_t number_length(const char *text, size_t n);

#endif
