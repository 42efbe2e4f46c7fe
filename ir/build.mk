# The representation; its text form; the rules it keeps; what can be computed about it; analyses shown to people.
ir_SRC := $(addprefix ir/,module.c build.c compact.c facts.c)
ir_SRC += $(addprefix ir/text/,names.c print.c print_module.c lexer.c parse.c parse_function.c \
    parse_ins.c)
ir_SRC += $(addprefix ir/verify/,verify.c structure.c instructions.c convergence.c module.c)
ir_SRC += $(addprefix ir/analysis/,cfg.c callgraph.c coalesce.c dataflow.c barrier_flow.c \
    dominators.c post_dominators.c cycles.c pst.c tokens.c joins.c \
    scopes.c uniformity.c uniformity_scopes.c uniformity_cycles.c uniformity_loads.c \
    memory.c effects.c \
    pdg_nodes.c pdg.c)
ir_SRC += $(addprefix ir/analysis/,ranges.c range_conditions.c range_of.c)
ir_SRC += ir/converge/order.c ir/converge/reconvergence.c ir/converge/predication.c ir/converge/barriers.c ir/converge/frontier.c
ir_SRC += $(addprefix ir/views/,views.c structure.c barriers.c frontier.c dependence.c json.c)
