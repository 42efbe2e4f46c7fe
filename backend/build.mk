# The format half (what a loader needs) stands on base alone; the code generators stand on ir as well.
bytecode := backend/bytecode
backend_format_SRC := $(addprefix backend/,interface.c stream.c stream_tables.c)
backend_format_SRC += $(addprefix $(bytecode)/,ops.c format.c verify.c verify_tables.c disassemble.c)
warpcore := backend/warpcore
backend_format_SRC += $(addprefix $(warpcore)/,isa.c timing.c image.c verify.c print.c)
backend_format_SRC += $(addprefix $(warpcore)/,flow.c stack_bound.c)
backend_SRC := $(addprefix $(bytecode)/,emit.c vreg.c frames.c steady.c select.c select_pure.c select_memory.c select_group.c select_call.c \
    liveness.c regalloc.c fills.c encode.c moves.c table.c)
backend_SRC += $(addprefix $(warpcore)/,asm.c asm_lexer.c asm_tables.c disasm.c listing.c)
backend_SRC += $(addprefix $(warpcore)/,legalize.c legalize_control.c legalize_switch.c legalize_pairs.c legalize_arith.c legalize_group.c \
    legalize_library.c)
backend_SRC += $(addprefix $(warpcore)/,converge.c)
backend_SRC += $(addprefix $(warpcore)/,map.c generate.c frames.c select.c select_memory.c select_group.c select_call.c \
    liveness.c interfere.c regalloc.c spill.c slots.c polarity.c layout.c transfer.c emit.c dump.c)
backend_format_SRC += $(addprefix $(warpcore)/,image_flow.c verify_divergence.c)
