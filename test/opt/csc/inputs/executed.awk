# executed.awk: what `kernc run --stats` counts, in one line.
/^  warp instructions / { instructions = $3 }
/^  cycles / { print instructions, "instructions,", $2, "cycles" }
