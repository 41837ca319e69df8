# How many readings the intervals of `planwave uncertainty` hold: awk -v anchor=N -f interval.awk rssi.csv FILE.csv
# of the flat (validation/measured/README.md). Readings are gathered in cells of 0.5 m, mean power, at least three; the
# offset of a cell is the mean of those outside its square of 2 m. Prints cells, how many lie between P10 and P90 of the
# mean level, of a reading, and the root mean square of median less measured [dB].
BEGIN { FS = ","; ORIGIN = 0.9 }
FNR == 1 { file++ }
file == 1 && FNR > 1 && $(anchor + 2) != "" {
    x = $1 + ORIGIN; y = $2 + ORIGIN
    cell = int(x / 0.5) " " int(y / 0.5)
    count[cell]++; at_x[cell] += x; at_y[cell] += y; power[cell] += 10 ^ ($(anchor + 2) / 10)
}
file == 2 && /^[0-9]/ {
    own = int($1 / 0.5) " " int($2 / 0.5)
    if (count[own] >= 3 && $6 != "nan") {
        away = ($1 - at_x[own] / count[own]) ^ 2 + ($2 - at_y[own] / count[own]) ^ 2
        if (!(own in nearest) || away < nearest[own]) {
            nearest[own] = away; low[own] = $5; median[own] = $6; high[own] = $7; reading_low[own] = $10; reading_high[own] = $11
        }
    }
}
END {
    for (cell in nearest) {
        split(cell, at, " ")
        block[cell] = int(at[1] / 4) " " int(at[2] / 4)
        level[cell] = 10 * log(power[cell] / count[cell]) / log(10)
        sum += level[cell] - median[cell]; cells++
        block_sum[block[cell]] += level[cell] - median[cell]; block_cells[block[cell]]++
    }
    for (cell in nearest) {
        offset = (sum - block_sum[block[cell]]) / (cells - block_cells[block[cell]])
        v = level[cell] - offset
        mean_holds += v >= low[cell] && v <= high[cell]
        reading_holds += v >= reading_low[cell] && v <= reading_high[cell]
        squares += (v - median[cell]) ^ 2
    }
    printf "%d %d %d %.2f\n", cells, mean_holds, reading_holds, sqrt(squares / cells)
}
