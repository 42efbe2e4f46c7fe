/* foreign_test.h: every row of frontend/foreign.def gives its answer. */
#ifndef KERNC_TEST_FOREIGN_TEST_H
#define KERNC_TEST_FOREIGN_TEST_H

void test_foreign(void **state);

#endif
