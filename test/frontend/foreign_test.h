/* foreign_test.h: every row of frontend/foreign/foreign.def gives its answer (foreign_test.c), and fix-its mend
 * (fix_test.c). */
#ifndef KERNC_TEST_FOREIGN_TEST_H
#define KERNC_TEST_FOREIGN_TEST_H

void test_foreign(void **state);
void test_fixes(void **state);

#endif
