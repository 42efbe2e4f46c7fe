/* assert.h: C's, as an operation of kernc. Like C's it may be read again with another NDEBUG. */
#include "kern/operations.h"
#undef assert
#ifdef NDEBUG
#define assert(...) ((void)0)
#else
#define assert(...) __kern_assert((bool)(__VA_ARGS__), #__VA_ARGS__)
#endif
