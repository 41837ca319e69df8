#!/bin/bash
# public_files.sh FOLDER [PROGRAM]: fetches drawings of public repositories into the folder, each at a fixed commit and with its licence named,
# and imports them with nothing said but the length of a unit. Prints a table: walls, windows and doors as the import tells them, and how much
# wall another import has more or less, to which the layer or the colour of the walls was named. The
# overlays, FOLDER/NAME-import.png, are for looking: validation/drawings.md says what is missed and made up. Files that are there already
# are not fetched again; what cannot be fetched is said.
set -u
folder=${1:?the folder for the files} program=${2:-build/planwave}
mkdir -p "$folder" || exit 4
blender=grebtsew/FloorplanToBlender3d/2da4c9532e9866b025c67aee17f87ff7e0b8db98/Images/Examples
deep=zlzeng/DeepFloorplan/819db2368da447274a80ff4379a75aadec455407/demo
tf2=zcemycl/TF2DeepFloorplan/b5860f2976cbb77100c4e7f6b1318a2ac3e4a818/resources
dxf=bjnortier/dxf/edce48e2473b0d9bb9658836a350751c36123551/test/resources
home=ExperienceLovelace/ha-floorplan/56b969418215e99081650534194990d061cdf35a/docs/_docs/floorplan/examples
indoor=open-indoor/openindoor6/5b776e1d9c2c58af7c81087a09ad64bdebcf6e90/examples

printf '| %s | %s | %s | %s | %s | %s |\n' file licence brick windows doors 'walls named'
echo '| --- | --- | --- | --- | --- | --- |'
while read -r path unit licence walls options; do
    name=$(echo "$path" | cut -d/ -f2)-$(basename "$path")
    if [ ! -s "$folder/$name" ] && ! curl -sSfL -o "$folder/$name" "https://raw.githubusercontent.com/$path"; then
        rm -f "$folder/$name"
        echo "| $name | $licence | not fetched | | | |"
        continue
    fi
    # shellcheck disable=SC2086 # options are several words
    told=$("$program" import "$folder/$name" -f -o "$folder/$name.yaml" --overlay "$folder/$name-import.png" --unit "$unit" $options 2>&1)
    sum() { echo "$told" | sed -n "s/.* m2  \([0-9]*\) $1.*/\1/p" | awk '{ n += $1 } END { print n + 0 }'; }
    brick=$(echo "$told" | grep -o '[0-9.e+]* m2 of brick' | head -n 1)
    windows=$(sum windows) doors=$(sum doors)
    named=
    if [ "$walls" != - ]; then
        region=$(sed -n 's/.*region: \[\([^]]*\)\].*/\1/p' "$folder/$name.yaml" | head -n 1)
        # shellcheck disable=SC2086
        "$program" import "$folder/$name" -q -f -o "$folder/$name-named.yaml" --unit "$unit" --region "$region" --class "$walls=brick" $options
        named=$("$program" import --diff "$folder/$name.yaml" "$folder/$name-named.yaml" | awk '/brick/ { n += $1 } END { printf "%.2g m2", n }')
    fi
    echo "| $name | $licence | ${brick:-none} | ${windows:-0} | ${doors:-0} | $named |"
done << END
$blender/example.png 1.48cm GPL-3.0 #000002
$blender/example2.png 2cm GPL-3.0 #000000
$blender/example3.png 5cm GPL-3.0 #040707
$blender/example4.png 2.46cm GPL-3.0 #000000
$blender/example5.png 1.5cm GPL-3.0 #333333
$blender/example6.png 1.2cm GPL-3.0 ink --picture scan=on
$deep/45719584.jpg 3cm GPL-3.0 #8f0129
$deep/45765448.jpg 3.3cm GPL-3.0 #000000
$deep/47541863.jpg 3.7cm GPL-3.0 #000000
$tf2/123.jpg 1.2cm GPL-3.0 #000000
$tf2/30939153.jpg 2.4cm GPL-3.0 #000000
$tf2/example4.png 1.6cm GPL-3.0 #7e7e7e
$tf2/example5.jpg 2.5cm GPL-3.0 #000000
$dxf/floorplan.dxf 1in MIT *A-WALL
$dxf/Ceco.NET-Architecture-Tm-53.dxf 1m MIT wall*
$home/home/home.svg 4.5cm Apache-2.0 fill?#000000
$indoor/house.geojson 1m AGPL-3.0 -
$indoor/autocad/plan.geojson 1m AGPL-3.0 *Facade*
END
