#!/bin/bash
# planwave import from a file to a map: what it writes is a scenario that runs, in words that can be changed, and a change shows in
# --diff. What is wrong ends with its own status and leaves everything as it was.
. tests/support/script.sh

# A room of 6 x 4 m beside one of 4 x 4 m, outer walls of concrete, a door between the rooms; in metres.
cat > rooms.geojson << 'END'
{"type": "FeatureCollection", "crs": {"type": "name", "properties": {"name": "local metres"}}, "features": [
 {"type": "Feature", "properties": {"indoor": "wall", "material": "concrete"},
  "geometry": {"type": "LineString", "coordinates": [[0, 0], [10, 0], [10, 4], [0, 4], [0, 0]]}},
 {"type": "Feature", "properties": {"indoor": "wall"}, "geometry": {"type": "LineString", "coordinates": [[6, 0], [6, 4]]}},
 {"type": "Feature", "properties": {"door": "yes"}, "geometry": {"type": "LineString", "coordinates": [[6, 1], [6, 2]]}}]}
END
good "a drawing becomes a scenario" 'm2 of concrete' import rooms.geojson --frequency 800MHz --tx 3,3
check "which is there" test -s rooms.yaml
check "with a picture beside it" test -s rooms-import.png
check "and says what is a guess" grep -q 'guess' rooms.yaml
good "it runs" 'wrote' run rooms.yaml -o rooms.h5 --progress none --set 'accuracy=4 dB'
good "and has a map" 'wrote' map rooms.h5 -o rooms.png
check "nothing of which has a partial left" test -z "$(ls -A | grep partial)"
good "the scenario is the same from another folder" '.' import rooms.geojson -o "$PWD/there.yaml" --overlay "$PWD/there.png" --tx 3,3
good "nothing differs from itself" 'nothing differs' import --diff rooms.yaml there.yaml
good "a class is said" 'stands for' import rooms.geojson -o said.yaml --overlay said.png --class 'indoor=wall=glass' --tx 3,3
good "and differs where it stood" 'm2 from brick to glass' import --diff rooms.yaml said.yaml -o changes.png
check "and says where it is drawn" grep -q '^wrote changes.png' out
check "which is drawn" test -s changes.png

good "two access points, one in words" 'wrote' import rooms.geojson -o both.yaml --tx '3,3,name=west,power=17 dBm' --tx 8,2
check "are two transmitters" test "$(grep -c '^  - {name' both.yaml)" = 2
check "with what is known of them" grep -q 'name: west, at: \[3 m, 3 m\], power: 17 dBm' both.yaml
check "and no width of the band that differs from the usual" test -z "$(grep 'width: [0-9]' both.yaml)"
good "one that is called as another would be" 'wrote' import rooms.geojson -o names.yaml --tx 3,3,name=tx2 --tx 8,2 --tx 8,3
check "leaves it another name" test "$(sed -n 's/.*{name: \(tx[0-9]*\).*/\1/p' names.yaml | sort -u | wc -l)" = 3
cat > points.geojson << 'END'
{"type":"FeatureCollection","features":[
{"type":"Feature","properties":{"indoor":"wall","material":"brick"},"geometry":{"type":"Polygon","coordinates":[[[0,0],[0.0001,0],[0.0001,0.000005],[0,0.000005],[0,0]]]}},
{"type":"Feature","properties":{"indoor":"wall","material":"brick"},"geometry":{"type":"Polygon","coordinates":[[[0,0.00008],[0.0001,0.00008],[0.0001,0.000085],[0,0.000085],[0,0.00008]]]}},
{"type":"Feature","properties":{"type":"access point","name":"Lobby"},"geometry":{"type":"Point","coordinates":[0.00002,0.00003]}},
{"type":"Feature","properties":{"type":"access point","name":"Lobby"},"geometry":{"type":"Point","coordinates":[0.00003,0.00003]}},
{"type":"Feature","properties":{"type":"access point","name":"AP/3: \"客厅\""},"geometry":{"type":"Point","coordinates":[0.00004,0.00003]}},
{"type":"Feature","properties":{"type":"access point","name":"best"},"geometry":{"type":"Point","coordinates":[0.00005,0.00003]}},
{"type":"Feature","properties":{"type":"access point"},"geometry":{"type":"Point","coordinates":[0.00006,0.00003]}}]}
END
good "access points of a file" 'wrote' import points.geojson -o points.yaml --tx 2,2
check "keep their names, or get one that nobody has" test "$(sed -n 's/^  - {name: "*\([^",]*\).*/\1/p' points.yaml | tr '\n' '|')" = 'Lobby|Lobby 2|AP_3_ _客厅_|ap4|ap5|tx|'
check "with what the file says where that is no name" grep -q 'AP_3_ _客厅_".*# AP/3: "客厅"$' points.yaml
good "and run" 'stations +6 transmitters' run points.yaml --dry-run
: > nothing.dxf
bad "an empty drawing" 3 "'nothing.dxf' is empty" import nothing.dxf -o x.yaml
mkdir house
bad "a name that is a folder, and no picture of a scenario that is not there" 4 "'house': Is a directory" import rooms.geojson -o house
bad "two of one name" 3 "second transmitter of the name 'a'" import rooms.geojson -o x.yaml --tx 3,3,name=a --tx 8,2,name=a
bad "a transmitter of unknown words" 3 "'rooms.geojson': transmitters.*unknown key" import rooms.geojson -o x.yaml --tx 3,3,nmae=west
bad "a message names no file that was not written" 3 "^planwave: 'rooms.geojson': plan.drawing" import rooms.geojson -o x.yaml --class '*=cheese'

# Windows and doors are things: a box of 20 cm becomes panes of 4 mm, and a door the leaf that it is said to be.
cat > things.svg << 'END'
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 400"><g id="Walls"><rect width="200" height="20"/><rect x="300" width="300" height="20"/>
<rect y="380" width="600" height="20"/><rect y="20" width="20" height="360"/><rect x="580" y="20" width="20" height="100"/>
<rect x="580" y="210" width="20" height="170"/></g><g id="Windows"><rect x="200" width="100" height="20"/></g>
<g id="Doors" fill="none" stroke="black"><path d="M580 120H490A90 90 0 0 0 580 210"/></g></svg>
END
good "windows and doors" '1 windows of several panes of glass' import things.svg --unit 1cm --tx 3,2 --windows 'double glazing' --doors wood
check "a window is of two panes" grep -q 'as: windows, material: glass, thickness: 4 mm, panes: 2, gap: 1.6 cm' things.yaml
check "doors are counted" grep -q '1 doors of wood' out
check "as thick as panes are" grep -q 'the plan has .*0.008 m2 of glass' out
check "and as a door is, not as drawn" grep -q 'the plan has .*0.036 m2 of wood' out
good "doors are open where nobody says" '1 doors, open' import things.svg --unit 1cm --tx 3,2 -o open.yaml

# The same of one pen: what is filled are walls, and thin lines and arcs in their gaps are windows and doors, as in pictures.
sed 's/<g[^>]*>//g; s/<.g>//g; s/<rect x="200" width="100" height="20".>/<path d="M200 1H300M200 10H300M200 19H300M40 60H140V110H40Z" fill="none" stroke="black"\/>/
     s/<path d="M580/<path fill="none" stroke="black" d="M580/' things.svg > one.svg
good "windows and doors of one pen" '1 windows of several panes of glass .guessed from thin lines in gaps' import one.svg --unit 1cm --tx 3,2 \
    --windows 'double glazing' --doors wood
check "doors too" grep -q '1 doors of wood' out
check "nothing but these" grep -q 'the plan has .*0.008 m2 of glass, 0.036 m2 of wood' out
check "which the scenario says" grep -q 'stroke #000000.*: gaps' one.yaml
good "it is the plan of the names" 'nothing differs' import --diff things.yaml one.yaml
# What is said to be of glass is a pane, though it is drawn as wide as the wall.
sed 's/<path d="M200 1.*110H40Z" fill="none" stroke="black".>/<rect x="200" width="100" height="20" fill="#3b9ed8"\/>/' one.svg > blue.svg
good "a colour of glass" '1 windows of glass' import blue.svg --unit 1cm --tx 3,2 --class 'fill #3b9ed8=glass'
check "is 1 cm thick" grep -q 'the plan has .*0.01 m2 of glass' out
bad "a door of no material" 2 "doors 'cheese'.*double glazing" import things.svg --unit 1cm -o x.yaml --doors cheese

# Floors on which nothing is a wall: one between others keeps them apart, one on top is left out, and said.
python3 - > floors.geojson << 'END'
import json
def feature(level, properties):
    ring = [[0, 0], [6, 0], [6, 4], [0, 4], [0, 0]]
    return {"type": "Feature", "properties": {"level": level, **properties}, "geometry": {"type": "Polygon", "coordinates": [ring]}}
kinds = [{"indoor": "room"}, {"indoor": "area"}, {"indoor": "room"}, {"building": "roof"}]
print(json.dumps({"type": "FeatureCollection", "crs": {"type": "name", "properties": {"name": "local"}},
                  "features": [feature(str(n), kind) for n, kind in enumerate(kinds)]}))
END
good "floors without walls" "left out: floor '3', on which nothing is a wall" import floors.geojson --tx 3,2,storey=3_2,height=2
check "one between others stays" test "$(grep -c '^    - name' floors.yaml)" = 3
check "without a drawing" test "$(grep -c 'drawing:' floors.yaml)" = 2

cat > two.svg << 'END'
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300"><g id="plan"><rect width="400" height="8"/><rect y="292" width="400" height="8"/>
<rect width="8" height="300"/></g><g id="sensor.wind_direction"><circle cx="200" cy="150" r="30"/></g></svg>
END
good "a colour is a wall where no name says one" 'plan .*walls of brick .guessed from the colour' import two.svg --unit 2.5cm
check "and a sensor of wind is none" grep -q 'wind_direction.*: ignored' two.yaml

# A house of 33 x 20 ft drawn in inches, whose header says millimetres: the plan is written, and doubted.
python3 - > inches.dxf << 'END'
def line(a, b):
    return ["0", "LINE", "8", "A-WALL", "10", str(a[0]), "20", str(a[1]), "11", str(b[0]), "21", str(b[1])]
groups = ["0", "SECTION", "2", "HEADER", "9", "$INSUNITS", "70", "4", "0", "ENDSEC", "0", "SECTION", "2", "ENTITIES"]
for off in 0, 6:
    corners = [(off, off), (396 - off, off), (396 - off, 240 - off), (off, 240 - off)]
    for n in range(4):
        groups += line(corners[n], corners[(n + 1) % 4])
print("\n".join(groups + ["0", "ENDSEC", "0", "EOF"]))
END
good "a house of 40 cm is doubted" '.' import inches.dxf --tx 0.5,0.5
check "with the unit that fits" grep -q 'warning: the plan is 0.396 m x 0.24 m.*millimetres.*--unit 1in makes it 10.1 m x 6.1 m' err
check "in the scenario too" grep -q 'unit: 1 mm .*DOUBTFUL' inches.yaml
good "with that unit it is none" 'a unit is 0.0254 m' import inches.dxf -o right.yaml --unit 1in --tx 5,5
check "nothing is doubtful" test ! -s err
# Possible, but another unit is far more likely.
sed '0,/^4$/s//5/' inches.dxf > centimetres.dxf
good "a house of 4 m with walls of 6 cm is doubted" '.' import centimetres.dxf --tx 0.5,0.5
check "with the unit that fits" grep -q 'warning: the plan is 3.96 m x 2.4 m.*centimetres.*--unit 1in makes it 10.1 m' err
sed 's/^396$/9900/; s/^390$/9750/; s/^240$/6000/; s/^234$/5850/; s/^6$/150/' centimetres.dxf > thick.dxf
good "walls of 1.5 m in a house of 99 m are doubted" '.' import thick.dxf --tx 5,5
check "with the unit that fits" grep -q 'warning: the plan is 99 m x 60 m.*--unit 1mm makes it 9.9 m x 6 m' err
sed 's/^396$/39600000/; s/^390$/39599994/' inches.dxf > long.dxf
bad "what no unit makes a building of" 3 'not likely.*No other unit' import long.dxf
bad "no unit at all" 3 'does not say how long a unit.*reaches from 0,0 to 400,300; --unit 1in makes it' import two.svg -o x.yaml

sed 's/A-WALL/Fen\\U+00EAtres/' inches.dxf > panes.dxf
good "windows alone" 'Fenêtres .*windows of glass' import panes.dxf --unit 1in --tx 5,5
check "are doubted" grep -q 'warning: windows and doors were understood, but nothing that is a wall' err
echo '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 400"><g id="Walls"><rect width="500" height="400"/></g></svg>' > full.svg
good "a plan that is filled" 'm2 of brick' import full.svg --unit 2cm --tx 1,1
check "is doubted" grep -q 'warning: .*not likely' err

# Of a printed set the sheets without walls are left out.
if command -v pdftocairo > /dev/null; then
    cat > sheets.pdf << 'END'
%PDF-1.4
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Count 2 /Kids [3 0 R 5 0 R] >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] /Contents 4 0 R >> endobj
4 0 obj << /Length 59 >> stream
0 g 0 0 400 10 re f 0 290 400 10 re f 0 0 10 300 re f      
endstream endobj
5 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] /Contents 6 0 R >> endobj
6 0 obj << /Length 24 >> stream
0.5 g 0 0 100 100 re f  
endstream endobj
trailer << /Root 1 0 R >>
END
    good "a sheet without walls" "left out: page '2', on which nothing is a wall" import sheets.pdf --unit 2cm --class 'fill #000000=concrete'
    check "is not in the scenario" grep -q 'page: "1"' sheets.yaml
    sed 's/0.5 g 0 0 100 100 re f/                       /' sheets.pdf > blank.pdf
    bad "a sheet that is blank" 3 "nothing is drawn on page '2' of 'blank.pdf'" import blank.pdf --unit 2cm --page 2
fi

good "a design of a network" 'wrote' import "$here/floorplans/flat.esx" -o esx.yaml
check "is solved where its access points send" grep -q 'centre: 2.412 GHz}   # where the first access point sends' esx.yaml
check "with their channels" [ "$(grep -c 'power: 20 dBm, channel: 1}\|power: 17 dBm, channel: 6}' esx.yaml)" -eq 2 ]
good "a design of another kind" 'wrote' import "$here/floorplans/flat.openintent.json" -o intent.yaml
check "has them too" [ "$(grep -c 'channel: 1}\|channel: 6}' intent.yaml)" -eq 2 ]
sed 's/"channel": 36/"channel": 44/; s/"20_MHz"/"80_MHz"/g; s/"FREQ_2.4GHZ"/"FREQ_5GHZ"/; s/"channel": 1,/"channel": 36,/' \
    "$here/floorplans/flat.openintent.json" > wide.openintent.json
good "a wide channel" 'wrote' import wide.openintent.json -o wide.yaml
check "is said with its width" grep -q 'channel: {number: 36, width: 80 MHz}' wide.yaml
good "or where the user says" 'channels of access points beyond the band, 2 times' import "$here/floorplans/flat.esx" -o esx5.yaml --frequency 5.2GHz
bad "an existing scenario is kept" 3 'rooms.yaml' import rooms.geojson
bad "a file that is not there" 3 'nothere' import nothere.dxf
echo nonsense > nonsense.bin
bad "a file of no format" 3 'is not a' import nonsense.bin -o x.yaml
printf 'RIFF....WEBPVP8 ' > plan.webp
bad "a picture of another format" 3 "'plan.webp' is a WebP picture, which is not read: save it as PNG .\`dwebp FILE -o plan.png\`" import plan.webp --unit 1cm
# DWG by way of dwg2dxf of LibreDWG; a stand-in gives a known drawing.
printf 'AC1027 and more' > plan.dwg
mkdir -p with
bad "a DWG without LibreDWG" 3 "'plan.dwg' is a DWG file.*Install LibreDWG.*dwg2dxf -o PLAN.dxf PLAN.dwg" import plan.dwg --unit 1mm
cat > with/dwg2dxf << 'END'
#!/bin/sh
[ "$1 $2" = "-y -o" ] && [ "${4%/plan.dwg}" != "$4" ] && cp "$DRAWING" "$3"
END
chmod +x with/dwg2dxf
usual=$PATH PATH=$PWD/with:$PATH
export DRAWING="$here/floorplans/flat.dxf"
good "a DWG with it" 'wrote' import plan.dwg -o dwg.yaml --tx 7,7
good "and is the same plan as the DXF" 'wrote' import "$here/floorplans/flat.dxf" -o dxf.yaml --tx 7,7
good "with nothing that differs" 'nothing differs' import --diff dwg.yaml dxf.yaml
export DRAWING=/nowhere
bad "a DWG that it cannot read" 3 "dwg2dxf of LibreDWG cannot read 'plan.dwg'" import plan.dwg -o x.yaml
PATH=$usual
echo 'ISO-10303-21;' > model.ifc
bad "a model" 3 "'model.ifc' is an IFC model.*python -m planwave.ifc MODEL.ifc -o PLAN.yaml.*DXF or SVG" import model.ifc
bad "a class without its words" 2 'NAME=MATERIAL' import rooms.geojson -o x.yaml --class WALL
bad "an unknown material" 3 'unknown material' import rooms.geojson -o x.yaml --class '*=cheese'
bad "an unknown material of walls" 2 'no material' import rooms.geojson -o x.yaml --wall cheese
bad "nothing that is a wall" 3 'was understood as a wall' import rooms.geojson -o x.yaml --class '*=ignored'
bad "an unknown floor" 3 'no floor' import rooms.geojson -o x.yaml --page attic
# A sheet in millimetres, drawn 1:50: a house of 11.5 m by 7 m, and what its walls say of a sheet whose scale nobody knows.
cat > sheet.svg << 'END'
<svg xmlns="http://www.w3.org/2000/svg" width="297mm" height="210mm" viewBox="0 0 594 420">
<path fill="none" stroke="#000" stroke-width="6" d="M60 60H520V340H60Z"/></svg>
END
good "a sheet by its scale" '13.5 m x 9 m, a unit is 0.025 m' import sheet.svg -o sheet.yaml --scale 1:50
check "which the scenario says" grep -q 'unit: 2.5 cm   # 1:50, as you say' sheet.yaml
bad "a sheet of no scale" 3 'scale 1:50 makes it 11.5 m x 7 m' import sheet.svg -o x.yaml
bad "a scale of what is no sheet" 3 "'rooms.geojson' is no sheet of paper" import rooms.geojson -o x.yaml --scale 1:50
bad "a scale of one point" 2 'scale' import rooms.geojson -o x.yaml --scale 1,1,1,1=3m
bad "a region that is none" 2 'region' import rooms.geojson -o x.yaml --region 1,1,0,0
bad "a transmitter that is none" 2 'tx' import rooms.geojson -o x.yaml --tx 3
bad "a transmitter outside the drawing" 3 '\(30, 3\) m.*outside the plan.*from 0 to 12 m and y from 0 to 6 m' import rooms.geojson -o x.yaml --tx 30,3
bad "an unknown key of pictures" 3 'unknown key' import rooms.geojson -o x.yaml --picture skan=on
bad "two files" 2 'one file' import rooms.geojson rooms.geojson
bad "a difference of one" 2 'two scenarios' import --diff rooms.yaml
bad "a difference of what is no scenario" 3 'nonsense' import --diff rooms.yaml nonsense.bin
finish
