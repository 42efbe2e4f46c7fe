opt_SRC := opt/runner.c opt/analyses.c opt/dumps.c opt/diff.c opt/remarks.c opt/edit.c opt/uses.c opt/ssa.c \
           opt/slots.c opt/simplify.c opt/simplify_float.c opt/negate.c opt/mem2reg.c opt/sccp.c opt/dce.c opt/simplify_cfg.c opt/gvn.c opt/memory.c \
           opt/ifconvert.c opt/strength.c opt/induction.c opt/pdom.c opt/gather.c opt/converge.c opt/demote.c opt/rotate.c opt/licm.c \
           opt/infer.c opt/inline.c opt/unroll.c opt/unroll_rest.c opt/thread_jumps.c opt/together.c opt/nonconvergent.c \
           opt/hoist.c opt/sink.c opt/stride.c opt/performance_notes.c
opt_SRC += opt/reducible.c opt/cut.c opt/unify_edges.c opt/unify_returns.c opt/loop_normal_form.c opt/cut_loops.c opt/structurize.c opt/structured.c
