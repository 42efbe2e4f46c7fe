/* cores.c: which instances of the core there are, and which this machine can run. The makefile names
 * them, as rows CORE(isa, lanes) of CORES, best instruction set first, of each the least lanes first. */
#include "runtime/core/core.h"

#define CORE(isa, lanes) extern const struct rt_core rt_core_##isa##_##lanes;
CORES
#undef CORE

static const struct rt_core *const cores[] = {
#define CORE(isa, lanes) &rt_core_##isa##_##lanes,
    CORES
#undef CORE
};

bool rt_runs_here(const char *isa)
{
#if defined __x86_64__
    if (strcmp(isa, "avx2") == 0)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
               __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
#endif
    return strcmp(isa, "base") == 0;
}

const struct rt_core *rt_core_choose(const char *isa, uint32_t width)
{
    for (size_t i = 0; i < COUNT(cores); i++)
        if (cores[i]->lanes >= width && (!isa || strcmp(cores[i]->isa, isa) == 0) &&
            rt_runs_here(cores[i]->isa))
            return cores[i];
    return NULL;
}
