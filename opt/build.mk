# What runs passes; what several passes use; the passes, by what they are about.
opt_SRC := $(addprefix opt/runner/,runner.c order.c options.c analyses.c dumps.c remarks.c)
opt_SRC += $(addprefix opt/kit/,edit.c uses.c ssa.c demote.c clone.c inline_call.c merge_edges.c co_execution.c speculate.c)
opt_SRC += $(addprefix opt/scalar/,simplify_cfg.c simplify.c simplify_float.c negate.c slots.c mem2reg.c memory.c sccp.c \
    gvn.c dce.c bounds.c strength.c ifconvert.c hoist.c sink.c thread_jumps.c)
opt_SRC += $(addprefix opt/calls/,direct_calls.c inline.c share_calls.c share_sites.c)
opt_SRC += $(addprefix opt/loop/,rotate.c licm.c induction.c unroll.c unswitch.c unroll_rest.c unroll_predict.c)
opt_SRC += $(addprefix opt/tokens/,infer_tokens.c nonconvergent.c scopes.c)
opt_SRC += $(addprefix opt/reconverge/,reconverge.c loops.c supersteps.c frontier.c \
    unify.c structurize.c)
opt_SRC += $(addprefix opt/predict/,wrap_predicted.c place_barriers.c allocate_barriers.c predict.c pdom_barriers.c \
    predict_calls.c predict_cancel.c predict_refuse.c predict_region.c live_ranges.c deconflict.c idle_barriers.c \
    thresholds.c detect_predictions.c weigh_prediction.c sampled_warps.c prediction_candidates.c try_prediction.c \
    predicate_arms.c)
opt_SRC += $(addprefix opt/csc/,csc.c arms.c match.c schedule.c bill.c motion.c correspond.c elements.c gather.c landing.c guard.c switches.c decided.c exchange.c distance.c model.c pairs.c trial.c)
opt_SRC += $(addprefix opt/lower/,fold_branches.c lay_out.c lower_icalls.c lower_switch.c lower_block_memory.c lower_division.c \
    drop_uncalled.c check_target.c split_i64.c split_arith.c split_group.c)
opt_SRC += $(addprefix opt/check/,check_memory.c barriers.c origins.c carry.c check_uniformity.c)
opt_SRC += $(addprefix opt/notes/,performance_notes.c csc_remarks.c idle_predictions.c causes.c stride.c)
opt_SRC += $(addprefix opt/cost/,static_cost.c sample.c sample_slice.c sample_values.c sample_launch.c code.c registers.c replay.c profile.c)
