/* driver_main.c: kernc's main as a function of a test program. */
#define main kernc_main
int kernc_main(int argc, char **argv);
#include "driver/main.c"
