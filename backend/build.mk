# The format half (what a loader needs) stands on base alone; the code generators stand on ir as well.
backend_format_SRC := backend/bytecode/ops.c backend/bytecode/conversion.c
backend_SRC :=
