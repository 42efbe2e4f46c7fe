/* large_test.h: tests of sources that are too long to be files. */
#ifndef KERNC_TEST_LARGE_TEST_H
#define KERNC_TEST_LARGE_TEST_H

void test_large(void **state);
void test_memory(void **state);

#endif
