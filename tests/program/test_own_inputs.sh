#!/bin/sh
# No command writes over what it reads. Commands and options are taken from the program itself: whatever `--help-all` says takes a file
# or a folder is given every input of the command, by its name, through a link, through a hard link and through a linked folder. The
# inputs must keep their bytes, and where the option is an output the status is 2. Then two outputs of one name.
. tests/support/script.sh

# ---- material: every kind of file that a command reads ----
mkdir in
cp "$here/floorplans/empty_room.png" in/plan.png
cat > in/room.yaml << 'END'
title: Room
plan: {image: plan.png, pixel: 1 cm, tolerance: 255, legend: {"#ffffff": air, "#b5523b": brick}}
band: {centre: 1 GHz, width: 200 MHz}
grid: {cell: 4 cm}
transmitters: [{name: ap1, at: [1.6 m, 4.2 m], power: 20 dBm}]
receivers: [{file: walk.csv}]
stop: {after: 12 ns, decay: off}
END
printf '2,2\n3,2\n' > in/walk.csv
printf 'x,y\n2,2\n3,3\n' > in/points.csv
printf '2,2,-50\n3,3,-52\n2,3,-51\n3,2,-51\n' > in/measured.csv
cp "$here/floorplans/flat.svg" in/drawing.svg
printf 'scenario: room.yaml\noutput: cases\ndesign: grid\naxes:\n  - {key: transmitters.ap1.power, values: [10 dBm, 20 dBm]}\n' > in/sweep.yaml
good "material: a result" wrote run in/room.yaml -o in/room.h5 --backend cpu
cp in/room.h5 in/other.h5
ln -s in linked

# The inputs of a command and what it is called with.
inputs_of() {
    case $1 in
    export) inputs="room.yaml walk.csv" line="in/room.yaml" ;;
    run | rasterize) inputs="room.yaml plan.png walk.csv" line="in/room.yaml" ;;
    uncertainty) inputs="room.yaml plan.png" line="in/room.yaml --vary brick:permittivity=10% --samples 8" ;;
    sensitivity) inputs="room.yaml plan.png" line="in/room.yaml --vary brick:permittivity" ;;
    walk) inputs="room.yaml plan.png" line="in/room.yaml --path 2,2" ;;
    place) inputs="room.yaml plan.png points.csv" line="in/room.yaml --candidates in/points.csv --need -60dBm:50% --dry-run" ;;
    import) inputs="drawing.svg" line="in/drawing.svg" ;;
    sweep) inputs="sweep.yaml" line="collect in/sweep.yaml" ;;
    channel) inputs="room.h5 points.csv" line="in/room.h5 --at-file in/points.csv" ;;
    calibrate) inputs="room.h5 measured.csv" line="in/room.h5 --measured in/measured.csv" ;;
    map | coverage | mimo | parameters | report) inputs="room.h5" line="in/room.h5" ;;
    compare) inputs="room.h5 other.h5" line="in/room.h5 in/other.h5" ;;
    info) inputs="room.h5" line="in/room.h5" ;;
    serve | bench) inputs= line= ;;
    *) inputs=unknown line= ;;
    esac
}

# Four names of one file, by turns.
turn=0
other_name() {
    turn=$(((turn + 1) % 4))
    case $turn in
    0) name=in/$1 ;;
    1) name=in/l_$1 && ln -sf "$1" "$name" ;;
    2) name=in/h_$1 && ln -f "in/$1" "$name" ;;
    3) name=linked/$1 ;;
    esac
}

sums() { cksum in/*.yaml in/*.csv in/*.png in/*.h5 in/*.svg | sort -u; }

for command in $("$planwave" --list-commands | sed -n 's/^command\t\([^\t]*\)\t.*/\1/p'); do
    inputs_of "$command"
    "$planwave" "$command" --help-all > help
    # name of the option, and whether it is what a command writes
    sed -nE 's/^ +(-.), +--([a-z-]+) +(FILE|DIR|NAME)[^ ]* +(.*)/\2 \4/p; s/^ +--([a-z-]+) +(FILE|DIR)[^ ]* +(.*)/\1 \3/p' help > options
    check "$command: the test knows what it reads" [ "$inputs" != unknown ]
    force=$(grep -q -- '--force' help && echo -f)
    while read -r option what; do
        case $what in points* | lines* | readings* | "read these"*) output=no ;; *) output=yes ;; esac
        for input in $inputs; do
            other_name "$input"
            before=$(sums)
            # shellcheck disable=SC2086
            run $command $line $force --$option "$name"
            problem=
            [ "$(sums)" = "$before" ] || problem="$input was changed"
            [ $output = no ] || [ "$status" -eq 2 ] || problem="$problem; status $status, not 2"
            verdict "$command --$option $name is refused" "$problem"
        done
    done < options
done

# ---- inputs that are not named on the line, and companions of pictures ----
kept=$(sums)
bad "the picture of a plan is no picture to write" 2 "would be read" rasterize in/room.yaml -f -o in/plan.png
bad "nor with the difference of two plans" 2 "would be read" import --diff in/room.yaml in/room.yaml -f -o in/plan.png
bad "the table beside a map is not the points" 2 "would be read" place in/room.yaml --candidates in/points.csv --need -60dBm:50% -f --map in/points.png
check "all of them are as they were" [ "$(sums)" = "$kept" ]

# ---- two outputs of one name ----
two="place in/room.yaml --candidates in/points.csv --need -60dBm:50%"
mkdir sub
ln -s sub sub2
bad "two outputs of one name" 2 "p.yaml would be written twice" $two -o p.yaml --json p.yaml
bad "one of them through a folder" 2 "would be written twice" $two -o p.yaml --json ./sub/../p.yaml
bad "or through a link to a folder" 2 "would be written twice" $two --levels sub/p.csv --json sub2/p.csv
bad "a map's table and the levels" 2 "would be written twice" $two --map p.png --levels p.csv
good "the same options with names of their own" candidates $two --dry-run -o p.yaml --json p.json
finish
