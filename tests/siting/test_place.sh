#!/bin/sh
# planwave place: points from files and options, the answer as table, scenario, JSON, levels and map, exit statuses, and bad input, which
# leaves nothing behind.
cd "$(dirname "$0")/../.." || exit 1
. tests/support/script.sh

cat > room.yaml <<'END'
plan:
  size: [1.6 m, 1.2 m]
  rectangles: [{from: [0.8 m, 0 m], to: [0.9 m, 0.8 m], material: brick}]
grid: {scheme: fd4o, cell: 2.5 cm}
band: {centre: 1.5 GHz, width: 400 MHz}
transmitters: [{name: ap, at: [0.4 m, 0.4 m], power: 0 dBm}]
receivers: [{name: desk, at: [1.2 m, 0.6 m]}]
spectra: {count: 12, spacing: 1 cell}
stop: {after: 15 ns, decay: off}
END
printf '# candidates\nname,x_m,y_m\nwest,0.3,0.5\nmiddle, 0.6, 0.9\n"east",1.3,0.4\nburied,0.85,0.4\n' > candidates.csv
printf '0.2,0.2,1\n0.5,1.0,2\n1.1,0.3,3\n1.5,1.1\n' > places.csv

good "what would be run" '[0-9]+ candidates, [0-9]+ places: whole plan .* the candidates send' place room.yaml --candidates grid:0.5m --demand grid:0.2m --dry-run
check "and nothing is written" test ! -e answer.yaml
good "the fewest" 'access points? of 3 candidates meets? the need' place room.yaml --candidates candidates.csv --demand places.csv \
    --need -36dBm:90% --second -60dBm --channels 1,6,11 -o answer.yaml --json answer.json --levels levels.csv
check "it says what it left out" grep -q '1 candidates lie inside walls and are left out: (0.85, 0.4)' err
check "the candidate is called by its name" grep -qE '^  ap1 +(west|middle|east) ' out
check "its channel is one of those" grep -qE '^# ap1: candidate (west|middle|east), channel 1$' answer.yaml
good "the answer runs" '' run answer.yaml -o answer.h5
check "with the access points and the receivers of the plan" sh -c "'$planwave' info answer.h5 | grep -q ap1 && '$planwave' info answer.h5 | grep -q desk"
printf 'name,x_m,y_m\n"hall, ""west""",0.3,0.5\n"room;2",1.3,0.4\n' > quoted.csv
good "names in quotes, with commas" 'candidate|access point' place room.yaml --candidates quoted.csv --demand places.csv --need -36dBm:90% --levels quoted_levels.csv
check "are in the levels as any reader of CSV finds them" /usr/bin/python3 -c "
import csv
titles = [row for row in csv.reader(open('quoted_levels.csv')) if not row[0].startswith('#')][0]
assert titles[5:] == ['hall, \"west\"', 'room;2'], titles"
good "and those are read again" 'access point' place room.yaml --candidates quoted.csv --demand places.csv --from-levels quoted_levels.csv --need -30dBm --best 2
mkdir plans answers
printf '1.2,0.6,desk\n' > plans/desks.csv
sed 's/^receivers:.*/receivers: [{file: desks.csv}]/' room.yaml > plans/room.yaml
good "an answer in another folder" 'wrote answers/answer.yaml' place plans/room.yaml --candidates candidates.csv --demand places.csv \
    --need -36dBm:90% -o answers/answer.yaml
check "names the files of the plan as seen from there" grep -q 'file: "../plans/desks.csv"' answers/answer.yaml
good "and runs" 'dry run|will take' run answers/answer.yaml --dry-run
good "the same from the levels" 'the best 2 access points' place room.yaml --candidates candidates.csv --demand places.csv \
    --from-levels levels.csv --need -30dBm --best 2 --map answer.png --json again.json
check "and it does not speak of runs" sh -c "grep -q '3 candidates, 4 places.*; levels of levels.csv' out && ! grep -q ' runs ' out"
good "sliding" 'sliding, [0-9]+ runs: .*covered [0-9.]+ % -> [0-9.]+ %, mean level' place room.yaml --candidates candidates.csv \
    --demand places.csv --need -36dBm --best 1 --slide --json slid.json -o slid.yaml
check "its places are those of the plan that is written" /usr/bin/python3 -c "
import json, re
ap = json.load(open('slid.json'))['access_points'][0]
if 'slid' in ap:
    at = re.search(r'at: .([0-9.]+) (c?m), ([0-9.]+) (c?m)', open('slid.yaml').read())
    unit = {'m': 1, 'cm': 0.01}
    assert abs(float(at[1]) * unit[at[2]] - ap['x']) < 1e-4 and abs(float(at[3]) * unit[at[4]] - ap['y']) < 1e-4, (at[0], ap)"
check "a map with its numbers" test -s answer.png -a -s answer.csv -a -s answer.npy
check "JSON" /usr/bin/python3 -c "
import json
a, b = json.load(open('answer.json')), json.load(open('again.json'))
assert a['met'] and a['candidates'] == 3 and a['places'] == 4 and a['weight'] == 7
assert len(a['access_points']) == a['proven_least_count'] and abs(sum(p['serves'] for p in a['access_points']) - 1) < 1e-9
assert len(b['access_points']) == 2 and b['need']['best'] == 2 and b['need']['share'] is None"

# The coverage that the run of the answer has at a place is what the table of levels says.
good "levels of the answer" 'wrote' map answer.h5 --quantity received-power --local-mean --tx ap1 -o ap1.png
check "agree with its map" /usr/bin/python3 -c "
import csv, json
name = json.load(open('answer.json'))['access_points'][0]['candidate']
rows = [r for r in csv.reader(open('levels.csv')) if r and not r[0].startswith('#')]
column = rows[0].index(name)
cells = [list(map(float, l.split(','))) for l in open('ap1.csv') if l[0] not in '#x']
for row in rows[4:]:
    x, y, level = float(row[1]), float(row[2]), float(row[column])
    near = sorted(cells, key=lambda c: (c[0] - x) ** 2 + (c[1] - y) ** 2)[:4]
    assert min(c[2] for c in near) - 0.01 < level < max(c[2] for c in near) + 0.01, (x, y, level, near)"

run place room.yaml --candidates candidates.csv --demand places.csv --from-levels levels.csv --need 20dBm:90% -o unmet.yaml
verdict "a need that cannot be met ends with 1" "$([ "$status" -eq 1 ] && grep -q 'cannot be met with these candidates' out || echo "status $status")"
check "with the best that there is" test -s unmet.yaml

bad "an output that is there" 3 'exists|force' place room.yaml --candidates candidates.csv --demand places.csv --from-levels levels.csv -o answer.yaml
bad "levels of other points" 3 'columns|elsewhere' place room.yaml --candidates grid:0.5m --demand places.csv --from-levels levels.csv
bad "levels of another band" 3 'something else' place room.yaml --candidates candidates.csv --demand places.csv --from-levels levels.csv --set 'band.width=300 MHz'
head -n 5 levels.csv > short.csv
bad "levels that end early" 3 'short.csv: ends after 5 lines' place room.yaml --candidates candidates.csv --demand places.csv --from-levels short.csv
bad "no levels at all" 3 'no file of levels' place room.yaml --candidates candidates.csv --demand places.csv --from-levels room.yaml
printf 'x,y\n0.2,none\n' > bad.csv
bad "a file with a word for a number" 3 "bad.csv:2: y = 'none': not a number" place room.yaml --candidates bad.csv
printf 'east,north\n0.2,0.3\n' > bad.csv
bad "a heading without x" 3 'bad.csv:1: no column is called x' place room.yaml --candidates bad.csv
printf '0.2\n' > bad.csv
bad "a line with one number" 3 'bad.csv:1: 1 columns' place room.yaml --candidates bad.csv
printf '0.2,0.3,-1\n' > bad.csv
bad "a weight under zero" 3 'bad.csv:1: weight = -1' place room.yaml --candidates candidates.csv --demand bad.csv
: > bad.csv
bad "an empty file" 3 'there is no candidate' place room.yaml --candidates bad.csv
bad "no such file" 3 'absent.csv' place room.yaml --candidates absent.csv
bad "no such transmitter" 3 "no transmitter 'router'" place room.yaml --tx router
bad "a share without per cent" 2 'per cent' place room.yaml --need -67dBm:0.95
bad "a share over all" 2 'per cent' place room.yaml --need -67dBm:150%
bad "a level in another unit" 2 'unit here is dBm' place room.yaml --need -67V
bad "a grid without spacing" 2 'spacing' place room.yaml --candidates grid:wide
bad "a box with three numbers" 2 'four numbers' place room.yaml --candidates grid:1m@1,2,3
bad "an area without a box" 2 'NAME=x0,y0,x1,y1' place room.yaml --area lab
bad "an area with a weight of nothing" 2 'weight' place room.yaml --area lab=0,0,1,1:0
bad "an area beside the plan" 3 "area 'lab'" place room.yaml --candidates candidates.csv --area lab=5,5,6,6
bad "no channels" 2 'channels' place room.yaml --channels 0
bad "more access points than candidates" 2 '3 candidates' place room.yaml --candidates candidates.csv --demand places.csv --from-levels levels.csv --best 4
bad "a hard source" 3 'source: hard' place room.yaml --set 'transmitters=[{at: [0.4, 0.4], source: hard}]'
finish
