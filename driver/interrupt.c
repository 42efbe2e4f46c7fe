/* interrupt.c: see interrupt.h. A process has one disposition of each signal, so this state is the
 * process's. */
#include "driver/interrupt.h"
#include "driver/driver.h"

#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t arrived, listens, says_json;

static void hear(int signal)
{
    bool again = arrived;
    arrived = signal;
    if (listens && !again)
        return;
    last_message(says_json, NULL, "interrupted", "interrupted");
    _exit(interrupt_code());
}

void interrupt_begin(bool json)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction old, own = {.sa_handler = hear, .sa_flags = SA_RESTART};
    sigfillset(&own.sa_mask);
    says_json = json;
    for (size_t i = 0; i < COUNT(signals); i++)
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(signals[i], &own, NULL);
}

void interrupt_listen(bool on)
{
    listens = on;
}

const volatile int *interrupt_flag(void)
{
    return &arrived;
}

bool interrupted(void)
{
    return arrived != 0;
}

int interrupt_code(void)
{
    return arrived == SIGTERM ? EXIT_TERMINATED : arrived == SIGHUP ? EXIT_HUNG_UP : EXIT_INTERRUPTED;
}
