/* barrier_text.h: what the schemes and the warp-core machine say of a barrier that a part of a warp comes to:
 * how many threads, of how many, and the first lane that is elsewhere.
 */
#ifndef KERNC_RUNTIME_BARRIER_TEXT_H
#define KERNC_RUNTIME_BARRIER_TEXT_H

#define RT_BARRIER_TEXT                                                                                      \
    "barrier reached by only %d of %d threads of the warp (lane %u is elsewhere: put it where all come)"

#endif
