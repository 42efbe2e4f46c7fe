/* gen_docs.c: writes the tables of the reference pages from the .def files: gen_docs [--check] FILE...
 *
 * With --check nothing is written, and a page that would change is an error (exit code 1).
 */
#include "test/tools/doc_tables.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    bool check = argc > 1 && strcmp(argv[1], "--check") == 0, fine = argc > 1 + check;
    for (int i = 1 + check; i < argc; i++)
        fine &= doc_page(argv[i], check);
    if (argc <= 1 + check)
        fprintf(stderr, "usage: gen_docs [--check] FILE...\n");
    return fine ? 0 : 1;
}
