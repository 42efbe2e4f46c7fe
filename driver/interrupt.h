/* interrupt.h: the signals that ask kernc to end: SIGINT (Ctrl-C), SIGTERM, SIGHUP. One that was ignored
 * when kernc began stays ignored.
 *
 * While a verb listens, the first of them only sets the flag: the verb ends what it is at, says what it
 * has found out by then, and exits with the signal's code. Otherwise, and at a second signal, kernc says
 * that it was interrupted and ends at once; no file is left half written (base/file.c).
 */
#ifndef KERNC_DRIVER_INTERRUPT_H
#define KERNC_DRIVER_INTERRUPT_H

#include <stdbool.h>

void interrupt_begin(bool json); /* in main; how to say it */
void interrupt_listen(bool on);
const volatile int *interrupt_flag(void); /* what launches look at: not 0 when a signal has come */
bool interrupted(void);
int interrupt_code(void); /* the exit code of the signal that has come */

#endif
