#!/bin/sh
# The program from outside: every command, and every bad input that is named in the specification. A bad input must end with its own
# status, a sentence that says what is wrong, and nothing left behind. Needs nothing but a shell and what planwave itself needs.
. tests/support/script.sh
floorplans=$here/floorplans

# ---- material: pictures of 60 x 50 pixels (white, black, in one a red patch), a foreign HDF5 file, scenarios ----
mkdir plans
base64 -d > plans/plan.png << 'END'
iVBORw0KGgoAAAANSUhEUgAAADwAAAAyCAMAAAA3KEgwAAAACVBMVEX///8AAADIHh7Po2wZAAAAMklEQVR42mNgpAAwDKhm
BpwAn+So5lHNo5pHNY9qHtU8qnlgNOMDo5pHNQ9+zUOwyQwAVwkC0cMrZ8wAAAAASUVORK5CYII=
END
base64 -d > plans/unknown.png << 'END'
iVBORw0KGgoAAAANSUhEUgAAADwAAAAyCAMAAAA3KEgwAAAACVBMVEX///8AAADIHh7Po2wZAAAANUlEQVR42mNgpAAwDKhm
BpwAn+So5lHNo5pHpmYmEBgNsFHNo5oHVDM+MKp5VPPg1zwEm8wAnNcC2808pwkAAAAASUVORK5CYII=
END
base64 -d > plans/huge.png << 'END'
iVBORw0KGgoAAAANSUhEUn////9/////CAMAAAAjF/tUAAAACVBMVEX///8AAADIHh7Po2wZAAAAMklEQVR42mNgpAAwDKhm
BpwAn+So5lHNo5pHNY9qHtU8qnlgNOMDo5pHNQ9+zUOwyQwAVwkC0cMrZ8wAAAAASUVORK5CYII=
END
base64 -d << 'END' | gzip -d > foreign.h5
H4sIAMctAGsC/+v0cHHj5ZLiYgABDg4GFgYBBmTwHwoEOFD5MPkEKM0IpTug9AommDgjWE4CKi4INR9dXUiQqytI9X80ALPH
gAVCczCMgpEIPFwdA0B0BJQPS6UnmFDVVaClRw8K7WVkYIWYxQjjQ1IyIyNEAGY9jGYGyoNkBBXsoWnVgcGEm8HkPzNEnhUo
CpJnYmJihKRniHnMjLCkLYDmgo5BFQ/Bfv4uoBwNy4cKzKNpcxSMgqENPthDGQ4AvnXsyxAIAAA=
END
head -c 90 plans/plan.png > plans/truncated.png
echo "not a picture" > plans/text.png
cat > room.yaml << 'END'
title: Two rooms
plan:
  image: plans/plan.png
  pixel: 2 cm
  legend: {"#000000": brick, "#ffffff": air}
grid: {scheme: dd4, cell: 2 cm, absorber: {cells: 8}}
band: {centre: 2.4 GHz, width: 600 MHz}
transmitters:
  - {name: ap1, at: [0.3 m, 0.5 m]}
receivers:
  - {name: near, at: [0.3 m, 0.8 m]}
  - {name: far, at: [0.9 m, 0.5 m]}
spectra: {count: 13, spacing: 2 cells}
stop: {after: 12 ns, decay: off}
END
printf 'title: nothing else\n' > empty_scenario.yaml
: > empty.yaml
head -c 4096 /dev/urandom > noise.yaml
sed 's/centre: 2.4 GHz/center: 2.4 GHz/' room.yaml > wrong_key.yaml
sed 's/^grid:/grid: [/' room.yaml > syntax.yaml
sed 's/plan.png/gone.png/' room.yaml > no_picture.yaml
cpu="--backend cpu --progress none"
never="$cpu -o never.h5"

# ---- the program itself ----
good "help lists the commands" '^  run +' help
good "--help does too" '^  compare +' --help
good "--version" '^planwave [0-9]+\.[0-9]+\.[0-9]+ \(' --version
good "help scenario lists the keys" '^  courant ' help scenario
good "help metrics defines them" 'RMS delay spread' help metrics
for command in run rasterize channel map compare info bench; do
    good "$command --help has an example" '^  planwave '"$command" "$command" --help
    good "help $command is the same" "^usage: planwave $command" help "$command"
    bad "$command with an unknown option" 2 "unknown option '--no-such-thing'" "$command" --no-such-thing
done
bad "no command" 2 '' help-me-please
bad "a command misspelt" 2 "did you mean 'rasterize'" rasterise
bad "an option misspelt" 2 "did you mean '--force'" run room.yaml --forse
bad "an option without its argument" 2 "needs an argument" run room.yaml -o
bad "an option with an argument too many" 2 "takes no argument" run room.yaml --force=yes
bad "no scenario" 2 "SCENARIO.yaml missing" run
bad "two scenarios" 2 "one argument too many" run room.yaml room.yaml
bad "a number that is none" 2 "--threads 'many': allowed are" run room.yaml --threads many
bad "an unknown precision" 2 "allowed are single, double" run room.yaml --precision half
bad "a short word is not guessed" 2 "'tpu': allowed are auto" run room.yaml --backend tpu
bad "an unknown backend" 2 "allowed are auto, reference, cpu, cuda" run room.yaml --backend tpu
"$planwave" > out 2> err
check "no arguments at all is a usage error" [ $? -eq 2 ]
"$planwave" help > /dev/full 2> err
check "a full disk behind stdout is no success" [ $? -eq 4 ]

# ---- the README ----
# Every command in it names a command and options that there are, and every file of this repository that it names is there.
for file in $(grep -oE '\b(floorplans|validation|src|kernels|demo)/[A-Za-z0-9_./-]+\.(yaml|csv|png|md|sh)' "$here/README.md" | grep -v '^demo/' | sort -u); do
    check "README.md: $file is there" [ -f "$here/$file" ]
done
grep -E '^    planwave ' "$here/README.md" | while read -r _ command rest; do
    "$planwave" help --all "$command" > help.txt 2>&1 || echo "no command $command"
    for option in $(printf '%s\n' "$rest" | grep -oE -e '--[a-z-]+'); do
        grep -qE -e "$option\b" help.txt || echo "$command has no $option"
    done
done > out
rm -f help.txt
check "README.md: its commands and options are there" [ ! -s out ]

# ---- run ----
good "--dry-run prints the table" 'cells per wavelength' run room.yaml $cpu --dry-run
good "--dry-run says whose error it forecasts" "grid's error on the plan as drawn" run room.yaml $cpu --dry-run
check "and what measured buildings showed" grep -q 'validation/measured/README.md' out
check "and the error of what lies 40 dB lower" grep -qE '40 dB below it: [0-9.]+ dB, [0-9]+ %' out
check "without exponents" [ -z "$(grep -E '[0-9]e[-+]?[0-9]' out)" ]
if ! sanitized; then # where these two take a third of the script's time
    good "--dry-run prices delays and phases" "write 'accuracy: 10 %'" run "$floorplans/flat.yaml" $cpu --dry-run
    good "which it then has" 'forecast  ' run "$floorplans/flat.yaml" $cpu --dry-run --set 'accuracy=10 %'
    check "and no longer asks for" [ -z "$(grep '^  phases' out)" ]
fi
check "--dry-run writes nothing" [ ! -e room.h5 ]
good "run" '^wrote room.h5' run room.yaml $cpu
check "the result is there under its default name" [ -s room.h5 ]
check "no temporary file is left" [ "$(ls -A | grep -c '^\.\|partial\|tmp')" -eq 0 ]
bad "an existing result is not overwritten" 3 "room.h5.* exists" run room.yaml $cpu
# Halves of killed runs: the run that succeeds removes its own, not those of living processes or of other files.
dead=$(sh -c 'echo $$')
stale="room.h5.partial-$dead room.h5.checkpoint.partial-$dead room.h5.checkpoint.1.partial-$dead room.h5.finished-0.partial-$dead"
kept="room.h5.partial-$$ other.h5.partial-$dead room.h5.partial-x"
touch $stale $kept
good "--force overwrites it" '^wrote room.h5' run room.yaml $cpu --force
check "what killed runs left of this result is gone" [ "$(ls $stale 2> ls.err | wc -l)" -eq 0 ]
check "files of others are kept" [ "$(ls $kept | wc -l)" -eq 3 ]
rm -f $kept ls.err
touch "room.png.partial-$dead"
good "a picture" '' map room.h5 -o room.png
check "what a killed map left of this picture is gone" [ ! -e "room.png.partial-$dead" ]
rm -f room.png room.csv room.npy
run run room.yaml $cpu -q -o quiet.h5
check "-q says nothing but warnings" [ "$status" -eq 0 -a ! -s out -a "$(grep -vc 'warning:' err)" -eq 0 ]
run run room.yaml --backend cpu --progress json -o json.h5
check "--progress json: every line is an object" [ "$status" -eq 0 -a "$(grep -vc '^{"event": .*}$' out)" -eq 0 -a -s out ]
good "--set changes the scenario" '12[0-9] x' run room.yaml $cpu --dry-run --set 'grid.cell=1 cm' --set grid.absorber.cells=4
bad "--set of an unknown key" 3 "grid.cells" run room.yaml $cpu --set 'grid.cells=1 cm'
bad "--set without a value" 3 "" run room.yaml $cpu --set grid.cell
good "reference backend" '^wrote reference.h5' run room.yaml --backend reference --progress none -o reference.h5
good "double precision" '^wrote double.h5' run room.yaml $cpu --precision double -o double.h5
for scheme in yee dd2 dd3 fd4 fd6 fd8; do
    good "scheme $scheme" "^wrote $scheme.h5" run room.yaml $cpu --set grid.scheme=$scheme -o $scheme.h5
done
# Starts a run that lasts, as process $child, and waits until it steps. It starts anew, since nothing says how threads wait.
start_long() {
    env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT "$planwave" run room.yaml $cpu --set 'stop.after=200 us' -o long.h5 > out 2> err &
    child=$!
    for _ in $(seq 200); do
        sleep 0.1
        grep -q 'will take' out && break
    done
    sleep 0.5
}
start_long
check "lists of processes call it planwave" [ "$(cat /proc/$child/comm)" = planwave ]
kill -TERM $child
wait $child
check "SIGTERM ends with status 6" [ $? -eq 6 ]
check "and says how to go on" grep -q 'stopped by an interruption at step .*--resume continues' err
check "and leaves its checkpoint alone" [ "$(ls -A | grep long)" = "long.h5.checkpoint" ]
bad "work that lies there is not run over" 3 "long.h5.checkpoint.*--resume" run room.yaml $cpu --set 'stop.after=200 us' -o long.h5
bad "nor gone on with by another scenario" 3 "another scenario: line" run room.yaml $cpu --resume -o long.h5
bad "nor in another precision" 3 "of precision 'single', this run of 'double'" run room.yaml $cpu --set 'stop.after=200 us' --resume --precision double -o long.h5
rm -f long.h5.checkpoint
# As `timeout` sends it: to the process, and to its group.
start_long
kill -TERM $child
sleep 0.1
kill -TERM $child 2> kill.err
wait $child
check "a signal that comes twice at once is one" [ $? -eq 6 ]
rm -f long.h5.checkpoint kill.err
bad "a checkpoint interval without sense" 2 "checkpoint.*10 parsec" run room.yaml $cpu --checkpoint '10 parsec'
bad "a time limit of nothing" 2 "above zero" run room.yaml $cpu --time-limit 0
good "--resume with nothing to go on with starts" '^wrote fresh.h5' run room.yaml $cpu --resume --checkpoint off --time-limit 1h -o fresh.h5
: > fresh.h5.finished-0 # as a kill between the result and the removal of what it was made of leaves it
good "--resume beside a whole result has nothing to do" 'fresh.h5 is whole' run room.yaml $cpu --resume -o fresh.h5
check "and what a kill left beside it goes" [ ! -e fresh.h5.finished-0 ]
bad "but not beside one of another scenario" 3 'something else: grid.cell' run room.yaml $cpu --resume --set 'grid.cell=1 cm' -o fresh.h5
run run room.yaml $cpu --quiet --resume --checkpoint off -o fresh.h5 --force
verdict "and, quietly, says no more than warnings" "$([ "$status" -eq 0 ] && [ ! -s out ] && ! grep -v warning: err || echo "status $status")"

# ---- bad scenarios ----
bad "a scenario that is not there" 3 "no_such.yaml.*No such file" run no_such.yaml
bad "a folder as scenario" 3 "plans" run plans
bad "an empty scenario" 3 "empty.yaml" run empty.yaml
bad "a scenario without a plan" 3 "plan" run empty_scenario.yaml
bad "noise as scenario" 3 "noise.yaml" run noise.yaml
bad "YAML that does not parse" 3 "syntax.yaml:[0-9]+" run syntax.yaml
bad "a picture that is not there: file, line, key" 3 "no_picture.yaml:3: plan.image: cannot read 'plans/gone.png'" run no_picture.yaml
bad "an unknown key: file, line, key, suggestion" 3 "wrong_key.yaml:7.*center.*did you mean 'centre'" run wrong_key.yaml
bad "a wrong unit" 3 "grid.cell.*2 parsec.*units" run room.yaml $never --set 'grid.cell=2 parsec'
bad "a number out of range" 3 "grid.courant.*allowed" run room.yaml $never --set grid.courant=-1
bad "not a number" 3 "grid.cell" run room.yaml $never --set grid.cell=nan
bad "infinity" 3 "grid.cell" run room.yaml $never --set grid.cell=inf
bad "an unknown scheme" 3 "scheme.*allowed.*dd4" run room.yaml $never --set grid.scheme=dd9
bad "an unknown material names the known ones" 3 "unknown material.*brick" run room.yaml $never --set 'plan.legend={"#000000": butter, "#ffffff": air}'
bad "Courant number above the scheme's limit" 3 "courant.*0\.9.*allowed.*0\.[56]" run room.yaml $never --set grid.courant=0.9
bad "cells too coarse for the band" 3 "too coarse.*cells per wavelength" run room.yaml $never --set 'grid.cell=10 cm' --set grid.absorber.cells=2
bad "a transmitter outside the plan" 3 "room.yaml: --set transmitters.*ap1.*outside" run room.yaml $never --set 'transmitters=[{name: ap1, at: [9 m, 0.5 m]}]'
bad "a receiver outside the plan" 3 "room.yaml: --set receivers.*lost.*outside" run room.yaml $never --set 'receivers=[{name: lost, at: [0.3 m, -1 m]}]'
bad "two receivers of one name" 3 "two receivers" run room.yaml $never --set 'receivers=[{name: a, at: [0.3 m, 0.4 m]}, {name: a, at: [0.3 m, 0.6 m]}]'
bad "band edge above the Nyquist frequency of the spectra" 3 "[Nn]yquist|every" run room.yaml $never --set spectra.every=1000
bad "no end" 3 "never ends.*after" run room.yaml $never --set 'stop={decay: -60 dB}' --set 'transmitters.0.waveform={kind: sinusoid, ramp: 2 ns}'
good "a receiver inside a wall is a warning" '^wrote wall.h5' run room.yaml $cpu --set 'receivers=[{name: buried, at: [0.6 m, 0.3 m]}]' -o wall.h5
check "which is told" grep -q 'warning.*buried' err
good "and stored in the result" 'buried.*(inside|wall|brick)' info wall.h5
sed 's/brick/floorboard/' room.yaml > range.yaml
good "a material outside its range is a warning" '^wrote range.h5' run range.yaml $cpu
check "that names material and range" grep -q 'warning.*floorboard.*50' err
bad "and an error with --strict" 3 "floorboard.*50" run range.yaml $never --strict

# ---- bad pictures ----
picture() { bad "$1" "$2" "$3" run room.yaml $never --set "plan.image=plans/$4"; }
picture "a picture that is not there" 3 "nowhere.png.*No such file" nowhere.png
picture "a truncated picture" 3 "truncated.png.*(damaged|truncated)" truncated.png
picture "a hostile header" 3 "huge.png" huge.png
picture "text instead of a picture" 3 "text.png.*not a PNG" text.png
picture "a colour that the legend lacks: count, place, nearest" 3 "#c81e1e +5 px.*nearest #000000 brick.*row 20" unknown.png

# ---- resources ----
bad "not enough memory is said before the run" 4 "not enough memory.*GB.*GB" run room.yaml $never --set 'plan.pixel=40 m' --set 'grid.cell=2 cm'
if "$planwave" info --backends | grep -A 1 '^cuda' | grep -q 'not available'; then
    bad "no GPU or no CUDA: says which and what to do" 4 "CUDA|GPU|driver" run room.yaml --backend cuda -o never.h5
fi
bad "a folder that is not there" 4 "no/such/folder|cannot write" run room.yaml $cpu -o no/such/folder/out.h5
if [ "$(id -u)" -eq 0 ] && mkdir small && mount -t tmpfs -o size=64k none small 2> err; then
    bad "disk full" 4 "left|space|full" run room.yaml $cpu -o small/out.h5
    check "disk full leaves no file" [ "$(ls -A small | wc -l)" -eq 0 ]
    dd if=/dev/zero of=small/fill bs=1k count=60 2> /dev/null
    bad "disk full for a picture" 4 "left|space|full|cannot write" map room.h5 -o small/map.png
    umount small
    "$planwave" map room.h5 -o whole.png -q 2> err
    cut=$(($(cat whole.csv whole.npy | wc -c) / 1024 + $(wc -c < whole.png) / 2048 + 8)) # kilobytes: half of the picture
    mkdir -p small && mount -t tmpfs -o size=${cut}k none small
    "$planwave" map room.h5 -o small/map.png -q 2> err
    check "disk full within a picture" [ $? -eq 4 ]
    check "half a picture is none" [ ! -e small/map.png ]
    umount small
    rm -f whole.png whole.csv whole.npy
else
    echo "disk full: skipped, needs root to mount a small disk"
fi
[ -d small ] && rmdir small
printf '0,0\n1e-9,3e38\n2e-9,0\n' > burst.csv
bad "overflow of the fields: step and cell" 5 "step.*(cell|node)" run room.yaml $never --set 'transmitters=[{name: ap1, at: [0.3 m, 0.5 m], waveform: {kind: samples, file: burst.csv, amplitude: 1e12}}]'

# ---- rasterize ----
good "rasterize" 'wrote room-plan.png' rasterize room.yaml
check "the picture is a PNG" [ "$(head -c 4 room-plan.png | tail -c 3)" = PNG ]
good "the table names the materials" 'brick' rasterize room.yaml -o again.png
bad "an existing picture is not overwritten" 3 "exists" rasterize room.yaml -o plans/plan.png
good "unknown colours are told with a tolerance" '' rasterize room.yaml --set plan.image=plans/unknown.png --set plan.tolerance=255 -o tolerant.png

cat > storeys.yaml << 'END'
dimensions: 3
plan:
  size: [1.2 m, 1 m]
  storeys:
    - name: low
      height: 0.6 m
      floor: {material: concrete, thickness: 10 cm}
      walls: [{from: [0.2 m, 0.3 m], to: [1 m, 0.3 m], thickness: 6 cm, material: brick}]
    - {name: high, height: 0.5 m, floor: {material: wood, thickness: 10 cm}}
grid: {cell: 4 cm, absorber: {cells: 6}}
band: 1 GHz
transmitters: [{name: ap1, at: [0.6 m, 0.6 m, 0.3 m]}]
END
good "a building is drawn in three dimensions" 'wrote storeys-plan.png' rasterize storeys.yaml
good "with its storeys and volumes" 'volume \[m3\]' rasterize storeys.yaml -o volumes.png
good "a horizontal cut" 'wrote high.png' rasterize storeys.yaml --height 90cm -o high.png
good "a vertical cut" 'wrote cut.svg' rasterize storeys.yaml --cut x=0.6m -o cut.svg
check "the cut says where it is" grep -q 'cut at x = 0.6 m' cut.svg
bad "a cut outside the building" 3 "z = 2 m lies outside the building; allowed is -0.1 m to 1.2 m" rasterize storeys.yaml --height 2m -o never.png
bad "a cut along no axis" 2 "write x=LENGTH or y=LENGTH" rasterize storeys.yaml --cut z=1m -o never.png
bad "two cuts" 2 "one cut in a picture" rasterize storeys.yaml --cut x=1m --height 1m -o never.png
bad "a cut of a run in two dimensions" 3 "give dimensions: 3" rasterize room.yaml --height 1m -o never.png
good "the same plan in two dimensions" 'area \[m2\]' rasterize storeys.yaml --set dimensions=2 -o two_dimensions.png

# ---- channel ----
good "channel of the first receiver" 'rms delay spread' channel room.h5
check "with its files" [ -s room-channel/impulse_response.csv -a -s room-channel/transfer_function.csv ]
good "channel of a receiver by name" 'received power' channel room.h5 --rx far -o far
check "plot, Touchstone and HDF5 are there" [ "$(ls far | grep -cE '\.(png|s2p|h5)$')" -ge 3 ]
# A wave in one room fades alike over the band: its correlation stays over one half, which is told as that.
good "a coherence bandwidth over half the band" "coherence bandwidth at 0.5 *> [0-9]* MHz, half the band" channel room.h5 --rx near -o coherent
good "channel at any point" 'path loss' channel room.h5 --at 0.9,0.52 -o point --window kaiser --beta 4 --padding 4 --spreading none
bad "a receiver that is not there" 3 "nobody.*near" channel room.h5 --rx nobody -o nobody
bad "a point outside" 3 "." channel room.h5 --at 90,0.5 -o outside
bad "a point that is none" 2 "two numbers" channel room.h5 --at here
good "receivers and points add up" 'a and tau of 3 receivers' channel room.h5 --rx far --at 1,1 --rx near -o added.h5
check "with a table beside it" [ "$(grep -c '^"ap1"' added.csv)" -eq 3 ]
good "a grid of points" 'up to [0-9.]+ cm away' channel room.h5 --grid 0.5,0.5,1,1,0.1 --batch
printf 'x,y,name\n0.5,0.5,door\n# a comment\n1,0.7\n' > points.csv
good "points of a file" 'door' channel room.h5 --at-file points.csv --rx all -o places
printf '\357\273\2770.5,0.5,door\n1,0.7\n' > marked.csv
good "points of a spreadsheet, a byte order mark before the first" 'a and tau of 2 receivers' channel room.h5 --at-file marked.csv -o marked
check "a folder for each" [ -f places/ap1-door/metrics.csv ] && [ -f places/channels.h5 ]
bad "the points are not overwritten" 2 "would be read" channel room.h5 --at-file points.csv -o points.h5 --force
bad "one picture of several channels" 2 "a picture shows one channel" channel room.h5 --rx far --rx near -o two.png
bad "a grid that is none" 2 "two corners and a distance" channel room.h5 --grid 1,1,2
printf '#%1023d,0.5\n' 1 > long.csv
bad "a line that is too long" 3 "long.csv:1: longer than 1022 letters" channel room.h5 --at-file long.csv
echo '1;2' >> points.csv
bad "a line that is no point" 3 "points.csv:5: '1;2' is not a point" channel room.h5 --at-file points.csv
printf 'x\033]0;owned\007\377\n\033[31mred \303\274\n' > raw.csv
bad "bytes that are no text are not sent to the terminal" 3 "raw.csv:2: '.u001b\[31mred .*' is not a point" channel room.h5 --at-file raw.csv
bad "nor from the command line" 3 "'.u001b\[31m' in this result" map room.h5 --tx "$(printf '\033[31m')" -o x.png
good "nor is a title of strangers" '^evil .u001b\[31m .u009b .u202e ok$' run room.yaml $cpu --dry-run --set 'title="evil \x1b[31m \x9b \u202e ok"'
bad "an unknown window" 2 "allowed are hann, rect, kaiser" channel room.h5 --window hamming
bad "a folder that is in use" 3 "exists" channel room.h5 --rx far -o far

# ---- map ----
for quantity in path-gain received-power rms-delay-spread mean-delay k-factor best-server; do
    good "map of $quantity" "wrote room-$quantity.png" map room.h5 --quantity $quantity
    check "$quantity as picture and as numbers" [ -s room-$quantity.png -a -s room-$quantity.csv -a -s room-$quantity.npy ]
done
good "map with all options" 'wrote' map room.h5 --quantity received-power --local-mean --coverage -40 --range -60,0 --colours turbo -o options.png
bad "a quantity misspelt" 2 "did you mean 'received-power'[?] allowed are path-gain" map room.h5 --quantity recieved-power
bad "an unknown quantity" 2 "'beauty': allowed are path-gain" map room.h5 --quantity beauty
bad "an empty range" 2 "must be less" map room.h5 --range 5,5
bad "an unknown transmitter" 3 "ap9.*ap1" map room.h5 --tx ap9 -o ap9.png
bad "two transmitters where one is meant" 2 "given twice, 'ap1' and 'ap9'" map room.h5 --tx ap1 --tx ap9 -o ap9.png
bad "an existing map is not overwritten" 3 "exists" map room.h5 --quantity path-gain

bad "a result is not replaced by its own map" 2 "room.h5 is what would be read" map room.h5 --force -o room.h5
touch mine.csv
bad "somebody's numbers are not overwritten" 3 "mine.csv exists" map room.h5 -o mine.png
bad "a picture of another kind" 2 "ends in .png, .svg or .pdf" rasterize room.yaml -o room.jpg
bad "a scenario is not replaced by its result" 2 "room.yaml is what would be read" run room.yaml $cpu --force -o room.yaml
bad "an output without a name" 2 "empty" run room.yaml $cpu -o ""

# ---- results that are not ours ----
head -c 20000 room.h5 > truncated.h5
head -c 0 room.h5 > zero.h5
for command in info map channel; do
    bad "$command: a file that is not there" 3 "nowhere.h5" $command nowhere.h5
    bad "$command: a scenario instead of a result" 3 "room.yaml.*not.*HDF5" $command room.yaml
    bad "$command: an HDF5 file of somebody else" 3 "foreign.h5.*not" $command foreign.h5
    bad "$command: a truncated result" 3 "truncated.h5.*(damaged|truncated)" $command truncated.h5
    bad "$command: an empty file" 3 "zero.h5" $command zero.h5
done

# ---- compare ----
good "the engines agree bit for bit" 'identical|yes' compare room.h5 reference.h5
good "a result equals itself" '' compare room.h5 room.h5
run compare room.h5 dd2.h5
check "different results: status 1" [ "$status" -eq 1 ]
run compare room.h5 double.h5 --max-error 1e-3
check "single and double agree within 1e-3" [ "$status" -eq 0 ]
run compare room.h5 double.h5
check "but not bit for bit" [ "$status" -eq 1 ]
run compare room.h5 dd2.h5 -q
check "compare -q is silent" [ "$status" -eq 1 -a ! -s out -a ! -s err ]
run compare room.h5 room.h5 --json
check "compare --json" [ "$status" -eq 0 -a "$(head -c 1 out)" = "{" ]
bad "a picture of datasets" 2 "datasets does not go together with --output" compare room.h5 room.h5 --datasets -o same.png
bad "a comparison drawn over its input" 2 "ends in .png" compare room.h5 room.h5 -o room.h5
good "a result equals itself by frequency, delay and place" 'within 0' compare room.h5 room.h5 --physical
good "a result equals itself in decibels" 'within 0 dB rms' compare room.h5 room.h5 --max-error 0dB
bad "an error that is none" 2 "allowed are numbers from 0 on, as 0.2" compare room.h5 room.h5 --max-error 3m
bad "an error under zero" 2 "allowed are numbers from 0 on" compare room.h5 room.h5 --max-error=-1dB
bad "compare with one file" 2 "missing" compare room.h5
bad "compare with a foreign file" 3 "foreign.h5" compare room.h5 foreign.h5
bad "compare with a truncated file" 3 "truncated.h5" compare room.h5 truncated.h5
bad "a negative error" 2 "allowed are numbers" compare room.h5 room.h5 --max-error -1

# ---- info ----
good "info" "dd4" info room.h5
good "info says how much energy was left" "energy at the end -?[0-9]" info room.h5
good "info says whose error the forecast is" "grid's error on the plan as drawn" info room.h5
check "by depth" grep -qE '^forecast +local means within [0-9.]+ dB in the strongest half of the floor, [0-9.]+ dB at 20 dB below it' out
check "info has no exponents" [ -z "$(sed 1,3d out | grep -E '[0-9]e[-+]?[0-9]')" ]
good "info --json" '^\{' info room.h5 --json
good "backends" '^cpu ' info --backends
good "materials" 'concrete +5\.24' info --materials --frequency 5.8GHz
bad "a frequency that is none" 2 "allowed|unit" info --materials --frequency 5kg
bad "info of nothing" 2 "missing" info

# ---- bench ----
good "bench" '^yee +160 x 160' bench --backend cpu --size 160 --steps 24 --batches 1
good "bench with dispersive nodes" 'Debye pole at 10 %' bench --backend cpu --size 160 --steps 24 --batches 1 --dispersive 10
good "bench of an office with metal" '^yee +192 x 192' bench --backend cpu --size 192 --steps 24 --batches 1 --metal
good "bench of an office with metal in three dimensions" '^fd4o +110 x 110 x ' bench --backend cpu --dimensions 3 --size 110 --steps 12 --batches 1 --metal --scheme fd4o
bad "bench of an office too small" 2 "allowed are" bench --backend cpu --size 80 --metal
bad "bench of an office with poles" 2 "neither spectra nor dispersive" bench --metal --dispersive 10
good "bench of every scheme, with spectra" '^fd8 ' bench --backend cpu --size 160 --steps 24 --batches 1 --scheme all --frequencies 3
good "bench --json" '"cells_per_second": [0-9]' bench --backend reference --size 160 --steps 24 --batches 1 --json
bad "bench of a box too small" 2 "allowed are" bench --backend cpu --size 10
bad "bench of a cube too small" 2 "5 x 5 x 5 cells: allowed are 76 to 4096" bench --backend cpu --dimensions 3 --size 5
bad "bench of a box beyond all memory" 4 "not enough memory" bench --backend cpu --size 131072
bad "bench of an unknown scheme" 2 "allowed are yee" bench --scheme dd9

# ---- the examples that come with it ----
# What the forecast tries out takes minutes under sanitizers, which see no more in it than in the runs above.
for scenario in "$floorplans"/*.yaml; do
    [ -e "$scenario" ] || continue
    case $scenario in # set up in three dimensions these take half of this script's time; test_shipped_plans reads them so
        */hall.yaml | */house.yaml | */office_3d.yaml) flat='--set dimensions=2' ;;
        *) flat= ;;
    esac
    if sanitized; then
        [ -n "$flat" ] || good "$(basename "$scenario") is drawn" 'wrote' rasterize "$scenario" -o "$(basename "$scenario" .yaml)-example.png"
    else
        good "$(basename "$scenario") passes its pre-flight" 'will take' run "$scenario" --backend cpu --dry-run $flat
    fi
done

finish
