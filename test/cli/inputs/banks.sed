s/.*{"line": \([0-9]*\),.*"shared_instructions": \([1-9][0-9]*\), "shared_passes": \([0-9]*\), "bank_conflicts": \([0-9]*\)}.*/\1: \2 \3 \4/p
