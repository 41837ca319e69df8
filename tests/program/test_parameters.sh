#!/bin/sh
# planwave parameters from outside: free space has the exponent 2 and no shadowing, a wall its shadow, and the table is one that
# programs read.
. tests/support/script.sh

cat > open.yaml << 'END'
plan: {size: [6 m, 4 m]}
grid: {scheme: fd4o, cell: 3 cm}
band: {centre: 1.2 GHz, width: 300 MHz}
transmitters: [{name: ap, at: [1 m, 2 m]}]
spectra: {count: 16, spacing: 2 cells}
stop: {after: 50 ns, decay: off}
END
good "a run of free space" 'wrote open.h5' run open.yaml --backend cpu -o open.h5
good "its parameters" 'path-loss exponent +(1\.9|2\.0|2 )' parameters open.h5 --area far=3,0,6,4 -o open.json
python3 - << 'END' 2> law.err
import json
rows = json.load(open("open.json"))["rows"]
assert [(r["area"], r["condition"]) for r in rows] == [("floor", "LOS"), ("floor", "NLOS"), ("far", "LOS"), ("far", "NLOS")]
floor, none, far, _ = rows
assert floor["samples"] > 200 and none["samples"] == 0 and none["path_loss_exponent"]["value"] is None
assert 100 < far["samples"] < floor["samples"] and far["nearest_m"] >= 2
assert abs(floor["path_loss_exponent"]["value"] - 2) < 0.05 and abs(floor["close_in_exponent"]["value"] - 2) < 0.05
assert floor["sf_std_dB"]["value"] < 0.3
n = floor["path_loss_exponent"]
assert n["low"] <= n["value"] <= n["high"]
END
verdict "the exponent is 2 and nothing is in shadow" "$([ $? -eq 0 ] || tail -n 1 law.err)"
good "a run with the field in the plane" 'wrote flat.h5' run open.yaml --backend cpu -o flat.h5 --set polarisation=horizontal
good "has the same exponent" 'path-loss exponent +(1\.9|2\.0|2 )' parameters flat.h5 --draws 20 --angles 0
good "a run with a wall" 'wrote wall.h5' run open.yaml --backend cpu -o wall.h5 \
    --set 'plan.walls=[{from: [3 m, 1 m], to: [3 m, 3 m], thickness: 12 cm, material: metal}]'
good "and of it" 'wrote wall.csv' parameters wall.h5 -o wall.csv --draws 50 --angles 20
python3 - << 'END' 2> law.err
import csv
rows = list(csv.DictReader(line for line in open("wall.csv") if not line.startswith("#")))
assert [r["condition"] for r in rows] == ["LOS", "NLOS"]
los, nlos = ({k: v if k in ("area", "condition") else float(v) for k, v in r.items()} for r in rows)
# behind the wall: from (1, 2) it covers the angle to its ends, (2, -1) and (2, 1): the area from 3 to 5 m between them, and to the rim
inside = sum(abs(y - 2) <= (x - 1) / 2 for x in (3.1 + 0.01 * i for i in range(290)) for y in (0.01 * j for j in range(400)))
share = inside / 240000 / (1 - 3.14 / 24)
found = nlos["samples"] / (nlos["samples"] + los["samples"])
assert abs(found - share) < 0.04, (found, share)
assert nlos["close_in_exponent"] > los["close_in_exponent"] + 0.3, (nlos["close_in_exponent"], los["close_in_exponent"])
assert los["lg_asa_mean"] == los["lg_asa_mean"] and 0 < los["asa_samples"] <= 20
END
verdict "behind the wall there is no sight, and more is lost" "$([ $? -eq 0 ] || tail -n 1 law.err)"
good "a run of open air and one before a metal wall" 'wrote plate.h5' run open.yaml --backend cpu -o plate.h5 --set 'band.width=500 MHz' \
    --set 'transmitters=[{name: ap, at: [2.5 m, 2 m]}]' --set 'plan.walls=[{from: [5 cm, 0 m], to: [5 cm, 4 m], thickness: 6 cm, material: metal}]' \
    --set spectra.count=32
good "their clusters" 'time clusters, mean +2' parameters plate.h5 --area right=4.5,1,6,3 -o plate.json
good "of a wide band" 'wrote wide.h5' run open.yaml --backend cpu -o wide.h5 --set 'band.width=500 MHz' --set spectra.count=32
good "where nothing reflects" 'time clusters, mean +1' parameters wide.h5 -o wide.json
good "a narrow band has none, and says so" 'time clusters are not told.*333 MHz' parameters wall.h5 --draws 0
python3 - << 'END' 2> law.err
import json
floor, _, right, _ = json.load(open("plate.json"))["rows"]
# the image of (2.5, 2) is behind the wall, at -2.34: everywhere on the right its path is 11 to 16 ns longer
assert right["cluster_samples"] > 20 and abs(right["clusters_mean"]["value"] - 2) < 0.05, right
assert right["cluster_ds_ns"]["value"] == 0, right
assert right["clusters_mean"]["low"] <= right["clusters_mean"]["value"] <= right["clusters_mean"]["high"]
air = json.load(open("wide.json"))["rows"][0]
assert air["clusters_mean"]["value"] == 1 and air["clusters_std"]["value"] == 0 and air["cluster_ds_ns"]["value"] == 0, air
END
verdict "one cluster in open air, two before a wall" "$([ $? -eq 0 ] || tail -n 1 law.err)"
bad "a gap that is none" 2 "above zero" parameters wall.h5 --cluster-gap 0ns
bad "what is there is kept" 3 "exists" parameters wall.h5 -o wall.csv
bad "an area that is none" 2 "give a name and two corners" parameters wall.h5 --area lab
bad "an area beside the floor" 2 "no cell of the map lies in it" parameters wall.h5 --area lab=90,90,95,95
bad "no such transmitter" 3 "ap9" parameters wall.h5 --tx ap9
bad "a distance that is none" 2 "allowed" parameters wall.h5 --least-distance 0m

finish
