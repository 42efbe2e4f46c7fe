/* signal.h: there are no signals: who wants to stop kernc ends its worker. */
#ifndef KERNC_WASM_SIGNAL_H
#define KERNC_WASM_SIGNAL_H

#include <sys/types.h>

typedef int sig_atomic_t;
struct sigaction {
    void (*sa_handler)(int);
    int sa_flags;
    sigset_t sa_mask;
};
enum { SIGHUP = 1, SIGINT, SIGILL = 4, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV = 11 };
enum { SIGPIPE = 13, SIGTERM = 15, SIGXFSZ = 25 };
enum { SIG_BLOCK, SIG_SETMASK, SA_RESTART = 0, SA_RESETHAND = 0 };
#define SIG_IGN                        ((void (*)(int))1)
#define signal(number, handler)        ((void)0)
#define sigfillset(set)                ((void)(set))
#define sigdelset(set, number)         ((void)(number))
#define sigaction(number, new, old)    ((void)(number), (void)(new), (void)(old), -1)
#define pthread_sigmask(how, new, old) ((void)(new), (void)(old))
#endif
