/* sys/wait.h: there are no children. The status of program_run is an exit code. */
#ifndef KERNC_WASM_WAIT_H
#define KERNC_WASM_WAIT_H
#define WIFEXITED(status)   ((void)(status), 1)
#define WEXITSTATUS(status) (status)
#define WIFSIGNALED(status) ((void)(status), 0)
#define WTERMSIG(status)    ((void)(status), 0)
#endif
