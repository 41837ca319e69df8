# Sets maps of path gain of floorplans/flat.yaml side by side, room by room: dimensions.md.
#   awk -f validation/support/tables/dimensions.awk TWO.csv THREE.csv [-v field=1]
# TWO.csv is what planwave map wrote of a run in two dimensions, THREE.csv of one in three; field=1 prints the difference at
# every point instead, for a picture.
BEGIN {
    FS = ","
    split("1.2,1.2,14.16,1.28 1.2,14.08,14.16,14.16 1.2,1.2,1.28,14.16 14.08,1.2,14.16,14.16 1.2,6,5.2,6.08 6.1,6,10.4,6.08 " \
          "11.3,6,14.16,6.08 1.2,9.2,3.6,9.28 4.5,9.2,9,9.28 9.9,9.2,14.16,9.28 5.6,1.2,5.66,6 10,1.2,10.06,6 " \
          "4.9,9.28,4.96,14.16 9.3,9.28,9.36,14.16", wall, " ")
    split("corridor south-west south south-east north-west north north-east", name, " ")
    split("1.28,6.08,14.08,9.2 1.28,1.28,5.6,6 5.66,1.28,10,6 10.06,1.28,14.08,6 1.28,9.28,4.9,14.08 4.96,9.28,9.3,14.08 " \
          "9.36,9.28,14.08,14.08", room, " ")
    name[8] = "with line of sight"; name[9] = "without"; name[10] = "all rooms"; name[11] = "outside"
    x0 = y0 = 7.68 # the transmitter
}
function low(a, b) { return a < b ? a : b }
function high(a, b) { return a > b ? a : b }
# Whether the straight line from the transmitter to (x, y) meets a wall.
function blocked(x, y,    w, side, t0, t1, a, b, d) {
    for (w in wall) {
        split(wall[w], side, ",")
        t0 = 0; t1 = 1
        d = x - x0; if (d == 0) d = 1e-9
        a = (side[1] - x0) / d; b = (side[3] - x0) / d
        t0 = high(t0, low(a, b)); t1 = low(t1, high(a, b))
        d = y - y0; if (d == 0) d = 1e-9
        a = (side[2] - y0) / d; b = (side[4] - y0) / d
        t0 = high(t0, low(a, b)); t1 = low(t1, high(a, b))
        if (t0 <= t1) return 1
    }
    return 0
}
# 20 cm from the walls and more.
function room_of(x, y,    n, side) {
    for (n = 1; n <= 7; n++) {
        split(room[n], side, ",")
        if (x > side[1] + 0.2 && x < side[3] - 0.2 && y > side[2] + 0.2 && y < side[4] - 0.2) return n
    }
    return 0
}
function count(n, two, three) { points[n]++; sum2[n] += two; sum3[n] += three; square[n] += (two - three) ^ 2 }
/^#/ || /^x/ || $3 == "nan" { next }
FNR == NR { two[$1 "," $2] = $3; next }
($1 "," $2) in two {
    value = two[$1 "," $2]
    if (field) { print $1, $2, value, $3, value - $3; next }
    here = room_of($1, $2)
    if (here && (($1 - x0) ^ 2 + ($2 - y0) ^ 2) > 1) {
        count(here, value, $3); count(10, value, $3)
        count(blocked($1, $2) ? 9 : 8, value, $3)
    } else if ($1 < 1.2 || $1 > 14.16 || $2 < 1.2 || $2 > 14.16) {
        count(11, value, $3)
    }
}
END {
    for (n = 1; n <= 11 && !field; n++) {
        m2 = sum2[n] / points[n]; m3 = sum3[n] / points[n]
        printf "| %s | %d | %.1f | %.1f | %+.1f | %.1f |\n", name[n], points[n], m2, m3, m2 - m3,
               sqrt(square[n] / points[n] - (m2 - m3) ^ 2)
    }
}
