#!/bin/sh
# planwave uncertainty from outside: its files, its table, bad input, and Ctrl-C.
. tests/support/script.sh

cat > room.yaml << 'END'
title: A wall between
plan:
  size: [2.4 m, 1.2 m]
  walls: [{from: [1.2 m, 0 m], to: [1.2 m, 1.2 m], thickness: 18 cm, material: brick}]
grid: {scheme: dd4, cell: 3 cm}
band: {centre: 1 GHz, width: 300 MHz}
transmitters: [{name: ap, at: [0.45 m, 0.6 m], power: 20 dBm}]
receivers: [{name: probe, at: [2.1 m, 0.6 m]}]
spectra: {count: 8, spacing: 2 cells}
stop: {after: 15 ns, decay: off}
END
TMPDIR=$work/temporary
export TMPDIR
mkdir "$TMPDIR"

good "a table of shares" 'brick:conductivity +log-normal, standard deviation 50 %' uncertainty room.yaml \
    --vary brick:conductivity=50% --vary brick:thickness=5%,uniform --vary ap:position=1cm --samples 10 --local-mean --threshold -20dBm,-30 -o sure.png
check "it says what it does not include" grep -q 'not included in the mean: furniture' out
check "a share of the floor and its interval" grep -qE 'at or over -30 dBm: [0-9.]+ % of the floor as written; P10 [0-9.]+ %, median [0-9.]+ %, P90 [0-9.]+ %; [0-9.]+ % of readings' out
check "both intervals" grep -qE 'P10 to P90 are [0-9.]+ dB apart for the mean level at a place, [0-9.]+ dB for a new reading' out
check "where the scatter comes from" grep -q 'about the mean by 3 dB (assumed: shadow fading in sight, 3GPP TR 38.901' out
for part in p10 p50 p90 range reading-p10 reading-p90; do
    check "picture and numbers of $part" [ -s sure-$part.png -a -s sure-$part.npy ]
done
check "the CSV has everything" grep -q '^x_m,y_m,floor,nominal,p10,p50,p90,mean,standard_deviation_dB,reading_p10,reading_p90$' sure.csv
check "P10 <= median <= P90 in every line" awk -F, '/^[0-9]/ { lines++; if ($5 > $6 || $6 > $7) bad = 1 } END { exit bad || lines < 100 }' sure.csv
check "nothing temporary is left" [ -z "$(ls "$TMPDIR")" ]
check "a reading's interval holds the mean's" awk -F, '/^[0-9]/ { lines++; if ($10 > $5 || $11 < $7) bad = 1 } END { exit bad || lines < 100 }' sure.csv
# On a terminal of its own, which script makes. The first share is that of making ready, and no rate.
if command -v script > /dev/null; then
    script -q -c "timeout -s INT 3 $planwave uncertainty room.yaml --vary brick:conductivity=50% --samples 256 -o no.png" typescript > out 2> err < /dev/null
    check "progress on a terminal" grep -q ' %' typescript
    check "no time to go is told of nothing" sh -c "! grep -q ' 0 %  .* to go' typescript"
    rm -f typescript
fi
good "a scatter that was measured" 'about the mean by 2.1 dB .as given' uncertainty room.yaml --vary brick:conductivity=10% --first-order --local-mean --scatter 2.1dB -o measured.png
good "none" 'about the mean by 0 dB' uncertainty room.yaml --vary brick:conductivity=10% --first-order --local-mean --scatter 0 -o none.png
check "then a reading is the mean" awk -F, '/^[0-9]/ { lines++; if ($10 != $5 || $11 != $7) bad = 1 } END { exit bad || lines < 100 }' none.csv
good "a calibrated plan has its own" 'about the mean by 3.3 dB .what the calibration left' uncertainty room.yaml --set 'level_interval=6.4 dB' --vary brick:conductivity=10% --first-order --local-mean -o own.png
check "and says what is in it twice" grep -q 'on the wide side' out
cp "$here/floorplans/empty_room.png" .
cat > legend.yaml << 'END'
plan: {image: empty_room.png, pixel: 1 cm, tolerance: 255, legend: {"#ffffff": air, "#b5523b": brick, "#102030": concrete}}
grid: {scheme: dd4, cell: 6 cm}
band: {centre: 0.5 GHz, width: 100 MHz}
transmitters: [{at: [2 m, 2 m]}]
spectra: {count: 3}
stop: {after: 12 ns, decay: off}
END
bad "a material of the legend that no pixel has" 3 "changes nothing on the map" uncertainty legend.yaml --vary concrete:permittivity=10% -o no.png
bad "in first order too" 3 "changes nothing on the map" uncertainty legend.yaml --vary concrete:permittivity=10% --first-order -o no.png
bad "a scatter in another unit" 2 "the unit here is dB" uncertainty room.yaml --vary brick:conductivity=10% --scatter 3dBm
bad "a scatter below zero" 2 "a scatter of -3 dB" uncertainty room.yaml --vary brick:conductivity=10% --scatter=-3dB -o no.png
good "heights of both ends" 'about the mean' uncertainty room.yaml --vary brick:conductivity=10% --first-order --local-mean --tx-height 2.4m --receiver-height 1m -o high.png
check "tell in the levels" sh -c "! cmp -s high-p50.npy none-p50.npy"
bad "existing files stay" 3 "sure-p10.png exists" uncertainty room.yaml --vary brick:conductivity=50% --samples 8 -o sure.png
run uncertainty room.yaml --vary brick:permittivity=10% --samples 8 --quantity path-loss -q -o loss.svg
check "other quantities, quietly, as a picture by its ending" [ "$status" -eq 0 -a -s loss-range.svg -a ! -s out ]
check "pictures tell the band" grep -q '>.*1 GHz, band 300 MHz' loss-p10.svg

good "a table of what the variance comes from" 'brick:conductivity +9[0-9.]+ % +9[0-9.]+ %' uncertainty room.yaml \
    --vary brick:conductivity=30% --vary brick:permittivity=1% --samples 16 --local-mean -o told.png
good "the first order, from two runs each" 'first order, by 5 runs' uncertainty room.yaml \
    --vary brick:conductivity=10% --vary brick:permittivity=1% --first-order --local-mean -o first.png
check "it says how far it is off" grep -qE 'about [0-9.e-]+ dB off them' out
check "in the CSV too" grep -q 'of straight lines' first.csv
good "it says where it does not hold" 'not straight enough' uncertainty room.yaml --vary brick:permittivity=90% --first-order -o bent.png
bad "draws and none" 2 "--first-order draws nothing" uncertainty room.yaml --vary brick:conductivity=10% --first-order --samples 10
cat > filled.yaml << 'END'
plan:
  size: [2.4 m, 1.2 m]
  clutter: {density: 12 %, size: [12 cm, 30 cm], materials: [wood, metal]}
grid: {scheme: dd4, cell: 3 cm}
band: {centre: 1 GHz, width: 300 MHz}
transmitters: [{name: ap, at: [0.45 m, 0.6 m], power: 20 dBm}]
spectra: {count: 8, spacing: 2 cells}
stop: {after: 15 ns, decay: off}
END
good "draws of clutter" 'clutter:seed +another draw of the clutter each time' uncertainty filled.yaml --vary clutter:seed --samples 8 --local-mean -o filled.png
check "furniture is included then" sh -c "grep -q 'not included in the mean: walls' out && ! grep -q 'explained by' out"
check "and the draws differ" awk -F, '/^[0-9]/ && $7 - $5 > 0.5 { wide++ } END { exit wide < 50 }' filled.csv
bad "a polynomial of seeds" 2 "no value that a line or a polynomial follows" uncertainty filled.yaml --vary clutter:seed --samples 8 --method chaos -o no.png
bad "no clutter to draw" 3 "the plan has no clutter" uncertainty room.yaml --vary clutter:seed --samples 8 -o no.png
bad "a folder that is not there shows before the first draw" 3 "nowhere" uncertainty room.yaml --vary brick:conductivity=50% --samples 5000 -o nowhere/sure.png
bad "nothing to vary" 2 "--vary is missing" uncertainty room.yaml
bad "no spread" 2 "write WHAT=SPREAD" uncertainty room.yaml --vary brick:permittivity
bad "no share" 2 "write the spread as a percentage, e.g. 10%" uncertainty room.yaml --vary brick:permittivity=0.1
bad "no length" 2 "ap:position" uncertainty room.yaml --vary ap:position=10%
bad "another distribution" 2 "'uniform' alone" uncertainty room.yaml --vary brick:permittivity=10%,cauchy
bad "too wide" 2 "allowed are numbers above 0" uncertainty room.yaml --vary brick:permittivity=900%
bad "too few draws" 2 "samples" uncertainty room.yaml --vary brick:permittivity=10% --samples 2
bad "a material that is not there" 3 "no material 'glass'; it has: brick" uncertainty room.yaml --vary glass:permittivity=10%
bad "a thickness that is not there" 3 "no walls" uncertainty room.yaml --set 'plan.walls=[]' --set 'plan.rectangles=[{from: [1, 0], to: [1.2, 1], material: brick}]' --vary brick:thickness=10%
bad "a parameter that is none" 3 "is no parameter" uncertainty room.yaml --vary brick:colour=10%
bad "no spectra" 3 "'spectra' is off" uncertainty room.yaml --set spectra=off --vary brick:permittivity=10%
bad "the wrong unit" 2 "the unit here is dBm" uncertainty room.yaml --vary brick:permittivity=10% --threshold 20dB
bad "a picture of no kind" 2 "ends in .png" uncertainty room.yaml --vary brick:permittivity=10% -o sure.gif

touch before after
files > before
"$planwave" uncertainty room.yaml --vary brick:permittivity=10% --samples 5000 -o long.png > out 2> err &
sleep 1.5
kill -INT $!
wait $!
status=$?
check "Ctrl-C ends with 6" [ "$status" -eq 6 ]
check "and says so" grep -q 'interrupted; nothing was written' err
files > after
check "and leaves nothing" cmp -s before after
check "nor anything temporary" [ -z "$(ls "$TMPDIR")" ]

finish
