/* signal_at.c: a function of the host that sends this process a signal when it is called for the n-th time. */
#include <signal.h>
#include <unistd.h>

int signal_at(int signal, int n)
{
    static int calls;
    return ++calls == n ? kill(getpid(), signal) : 0;
}
