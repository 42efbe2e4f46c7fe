# Of the statistics of launches, by turns of a kernel and of one by hand: which take more than 1.05 times the cycles.
{ gsub(",", "") }
/scheme pdom/ { kernel = $1 }
/^  cycles / {
    cycles[++n] = $2
    if (n % 2 == 0 && cycles[n - 1] > 1.05 * cycles[n])
        print kernel, cycles[n - 1], "for", cycles[n]
}
