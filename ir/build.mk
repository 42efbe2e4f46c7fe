# The IR itself and its text form; then the analyses.
ir_SRC := ir/tables.c ir/module.c ir/build.c ir/facts.c ir/names.c ir/number.c ir/print.c ir/print_module.c \
          ir/lexer.c ir/parse.c ir/parse_function.c ir/parse_ins.c ir/parse_launch.c
ir_SRC += ir/verify.c ir/verify_structure.c ir/verify_ins.c ir/verify_convergence.c ir/verify_module.c
ir_SRC += ir/cfg.c ir/dominators.c
ir_SRC += ir/cycles.c ir/pst.c ir/tokens.c ir/joins.c ir/ways_back.c
ir_SRC += ir/scopes.c ir/uniformity.c ir/uniformity_scopes.c ir/uniformity_cycles.c
ir_SRC += ir/control_dependence.c ir/memory.c ir/effects.c ir/pdg_nodes.c ir/pdg.c
ir_SRC += ir/views.c ir/view_structure.c ir/view_dependence.c
