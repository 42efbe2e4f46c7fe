# The format half (what a loader needs) stands on base alone; the code generators stand on ir as well.
bytecode := backend/bytecode
backend_format_SRC := $(addprefix $(bytecode)/,ops.c conversion.c stream.c format.c verify.c verify_tables.c disassemble.c)
backend_SRC :=
