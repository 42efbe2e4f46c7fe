/* hostcall_none.c: functions of the host, on a host where none can be called: each traps when it is. */
#include "runtime/launch/grid.h"

void rt_hosts_prepare(kernc_module *m)
{
    UNUSED(m);
}

bool rt_hostcall(struct rt_warp *w, const struct bc_ins *ins)
{
    const struct bc_host *host = &w->worker->launch->program->hosts.at[ins->imm];
    rt_trap(w, ins, rt_lowest(w->active), "host function %s cannot be called on this machine", host->name);
    return false;
}
