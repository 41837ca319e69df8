# summary.awk REPORT...: one table for several reports of `make validate`, a column each: per case the gates that held, the time, and by how
# much its gated figures are away from those of the first report, the largest difference in hundredths of the gate. Above it, where and
# when each was made.
BEGIN { FS = " *[|] *" }
FNR == 1 { files++; title = "" }
/^## / {
    title = substr($0, 4)
    if (!(title in known)) { known[title]; order[++titles] = title }
}
# "| figure | measured | gate | verdict |"
title != "" && NF == 6 && ($5 == "pass" || $5 == "**FAIL**") {
    figure = $2
    gsub(/ *\([^)]*\)/, "", figure) # what stands there may be measured too
    key = title SUBSEP figure
    gates[title, files]++
    held[title, files] += $5 == "pass"
    if (files == 1) {
        first[key] = $3
    } else if (key in first) {
        split($4, limit, " ")
        scale = limit[2] == "to" ? limit[3] - limit[1] : limit[2] + 0
        scale = scale < 0 ? -scale : scale > 0 ? scale : 1
        away = ($3 - first[key]) / scale
        away = 100 * (away < 0 ? -away : away)
        if (!(away <= worst[title, files])) { worst[title, files] = away }
        both[title, files]++
    }
}
/^Backend `/ {
    where = $0
    sub(/^Backend /, "", where)
    time = where
    sub(/: [0-9]+ s[.]$/, "", where)
    sub(/^.*: /, "", time)
    seconds[title, files] = time + 0
    quick[title, files] = where ~ /quick subset$/
    name[files] = substr(where, 1, index(where, " ") - 1)
    if (!((files, where) in seen)) { seen[files, where]; origins[files] = origins[files] "- " where "\n" }
}
function cell(title, f, text) {
    if (!((title, f) in seconds)) { return "not run" }
    text = (gates[title, f] > 0 ? held[title, f] " of " gates[title, f] : "no gate") ", " seconds[title, f] " s" (quick[title, f] ? " (quick)" : "")
    return text (both[title, f] > 0 ? sprintf(", %.2g", worst[title, f]) : "")
}
END {
    for (f = 1; f <= files; f++) { printf "%s", origins[f] }
    printf "\n| case |"
    for (f = 1; f <= files; f++) { printf " %s |", name[f] }
    printf "\n| --- |"
    for (f = 1; f <= files; f++) { printf " --- |" }
    for (t = 1; t <= titles; t++) {
        printf "\n| %s |", order[t]
        for (f = 1; f <= files; f++) {
            printf " %s |", cell(order[t], f)
            sum_held[f] += held[order[t], f]; sum_gates[f] += gates[order[t], f]; sum_seconds[f] += seconds[order[t], f]
        }
    }
    printf "\n| all |"
    for (f = 1; f <= files; f++) { printf " %d of %d, %d s |", sum_held[f], sum_gates[f], sum_seconds[f] }
    printf "\n"
}
