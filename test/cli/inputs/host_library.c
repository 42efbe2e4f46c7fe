/* A library with functions of its own, of every way to define one, and data; it needs another (-DNEEDED). */
#ifdef NEEDED
int needed(int x)
{
    return x + 100;
}
#else
int needed(int x);

int number = 7;

int plain(int x)
{
    return needed(x) + 1;
}

static int chosen(int x)
{
    return x + 2;
}
static int (*choose(void))(int)
{
    return chosen;
}
int resolved(int x) __attribute__((ifunc("choose")));

int old_version(int x)
{
    return x + 3;
}
int new_version(int x)
{
    return x + 4;
}
__asm__(".symver old_version, versioned@HOST_1");
__asm__(".symver new_version, versioned@@HOST_2");
#endif
