/* exits.c: the one place where it is decided how kernc exits. */
#include "driver/driver.h"

const struct exit_info exit_info[] = {
#define EXIT_CODE(name, code, meaning) {code, meaning},
#include "driver/exits.def"
};
const size_t exit_count = COUNT(exit_info);

enum exit_code exit_of_run(kernc_status status)
{
    switch (status) {
    case KERNC_OK: return EXIT_OK;
    case KERNC_TRAP:
    case KERNC_DEADLOCK: return EXIT_TRAPPED;
    case KERNC_LIMIT:
    case KERNC_NO_MEMORY: return EXIT_LIMIT;
    case KERNC_CHECK: return EXIT_FOUND;
    default: return EXIT_INPUT;
    }
}

enum exit_code exit_of_compilation(kernc_compile_status status)
{
    switch (status) {
    case KERNC_COMPILED: return EXIT_OK;
    case KERNC_BAD_OPTION: return EXIT_USAGE;
    case KERNC_BAD_SOURCE: return EXIT_INPUT;
    case KERNC_COMPILE_NO_MEMORY: return EXIT_LIMIT;
    }
    return EXIT_INPUT;
}
