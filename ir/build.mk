ir_SRC := ir/tables.c ir/module.c ir/build.c ir/facts.c ir/cfg.c ir/dominators.c ir/cycles.c ir/pst.c ir/tokens.c
