/* alloca.h: nothing: <stdlib.h> would make a macro of a name that structs use. */
