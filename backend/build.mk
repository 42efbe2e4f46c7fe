# What a compiled program is: its forms, their readers, writers and verifiers. A loader needs these alone.
backend_format_SRC := $(addprefix backend/format/,interface.c file.c)
backend_format_SRC += $(addprefix backend/format/bytecode/,ops.c format.c verify.c verify_tables.c verify_slots.c \
    disassemble.c)
backend_format_SRC += $(addprefix backend/format/warpcore/,isa.c timing.c image.c image_flow.c flow.c flow_frontier.c stack_bound.c \
    verify.c verify_divergence.c print.c)
# The assembler and the disassembler, which a loader does not need.
backend_SRC := $(addprefix backend/format/warpcore/,asm.c asm_read.c asm_lexer.c asm_tables.c disasm.c listing.c)

# Code generation.
backend_SRC += backend/layout.c
backend_SRC += $(addprefix backend/bytecode/,emit.c vreg.c frames.c warp_scalars.c quiet.c select.c select_values.c \
    select_pure.c select_memory.c select_wide.c select_group.c select_call.c liveness.c regalloc.c preload.c encode.c encode_end.c moves.c table.c \
    waiting.c)
backend_SRC += $(addprefix backend/warpcore/,reconverge.c frontier.c map.c generate.c frames.c select.c select_pure.c select_memory.c \
    select_group.c select_call.c liveness.c interfere.c regalloc.c recolour.c spill.c slots.c polarity.c layout.c transfer.c \
    emit.c dump.c)
