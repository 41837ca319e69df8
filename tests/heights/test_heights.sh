#!/bin/sh
# Heights in two dimensions by the program, from the scenario to every output: an empty hall, of which Friis says the power and the straight
# line the delay; which heights count, what says so, and what is refused.
. tests/support/script.sh

cat > hall.yaml << 'END'
title: Empty hall
plan: {size: [6 m, 4 m]}
band: {centre: 900 MHz, width: 300 MHz}
grid: {scheme: fd4o, cell: 2.5 cm}
transmitters:
  - {name: ap, at: [1 m, 2 m], height: 2.6 m, antenna: half-wave}
  - {name: flat, at: [5 m, 1 m]}
receivers:
  - {name: desk, at: [3 m, 2 m], height: 0.8 m, antenna: hertzian, gain: 0 dBi}
  - {name: bare, at: [4 m, 3 m]}
  - {name: row, from: [2 m, 1 m], to: [4 m, 1 m], count: 3, height: 1.2 m, record: spectra}
spectra: {count: 48, spacing: 4 cells}
stop: {after: 50 ns, decay: off}
END
good "a run" 'wrote hall.h5' run hall.yaml --backend cpu -o hall.h5
good "info has the heights" 'desk +at \(3\.000, 2\.000, 0\.800\) m' info hall.h5
good "of receivers of the spectra as well" 'row_2 +at \(3\.000, 1\.000, 1\.200\) m' info hall.h5

good "a link of two dipoles" 'distance +2\.69 m' channel hall.h5 --tx ap --rx desk -o desk
good "one whose receiver has no height is level" 'distance +3\.16 m' channel hall.h5 --tx ap --rx bare -o level
good "and with a height given, not" 'distance +3\.35 m' channel hall.h5 --tx ap --rx bare --receiver-height 1.5m -o bare
good "a point with a height" 'distance +3\.35 m' channel hall.h5 --tx ap --at 4,3,1.5 -o point
good "by distance" 'distance +3\.35 m' channel hall.h5 --tx ap --rx bare --receiver-height 1.5 --spreading distance -o straight
good "as solved, heights do not count" 'distance +3\.16 m' channel hall.h5 --tx ap --rx bare --receiver-height 1.5 --spreading none -o solved
good "a transmitter's height may be given later" 'distance +2\.32 m' channel hall.h5 --tx flat --rx bare --receiver-height 1.5 --tx-height 2.1 -o later
good "pairs" 'a and tau of 5 receivers' channel hall.h5 --tx-height 2.6 --rx all -o pairs.h5
good "a map" 'wrote map.png' map hall.h5 --tx ap --quantity path-gain --receiver-height 1.5 -o map.png
good "a map of the same with the heights of nobody" 'wrote plain.png' map hall.h5 --tx ap --quantity path-gain -o plain.png
good "coverage" 'receiver at 1\.5 m' coverage hall.h5 --tx ap --receiver-height 1.5 --tx-height 2 --threshold -30dBm -o coverage.csv
good "a page" 'wrote page.html' report hall.h5 --receiver-height 1.5 --tx-height 2.6 -o page.html
for file in bare/metrics.csv bare/power_delay_profile.csv bare/tapped_delay_line.csv bare/channel.s2p map.csv coverage.csv; do
    check "$file says so" grep -q 'from 2D to 3D: delay.*slanted paths: transmitter at 2\.6 m, receiver at 1\.5 m' "$file"
done
check "a level link says nothing of heights" sh -c '! grep -q slanted level/metrics.csv'
check "the pairs' table has both heights" grep -q 'transmitter_height_m,height_m' pairs.csv
check "the page says so" grep -q 'slanted paths: transmitter ap at 2\.6 m, flat at 2\.6 m, receiver at 1\.5 m' page.html

# Points with heights of their own, by calibrate: what it predicts is Friis.
printf 'x,y,z,dBm\n3,2,0.8,-40\n4,3,1.5,-41\n2,1,1.2,-42\n5,2,1,-43\n3,1,1.2,-44\n' > walk.csv
good "calibrate takes the third column" 'RMSE' calibrate hall.h5 --tx ap --measured walk.csv --hold-out 0 -o residuals.csv
check "and says so" grep -q 'slanted paths: transmitter at 2\.6 m, receiver at heights of their own' residuals.csv

cat > law.py << 'END'
import csv, math
import h5py, numpy as np

C, FC, EIRP = 299792458.0, 900e6, 20.0

def table(path):
    return list(csv.reader(line for line in open(path) if not line.startswith("#")))

def metric(path, name):
    return next(float(row[1]) for row in table(path) if row[0] == name)

def half_wave(sine):
    return (math.cos(0.5 * math.pi * sine) / math.sqrt(1 - sine * sine)) ** 2

def law(d, rise, *patterns):
    """Path gain [dB]: free space over the straight line, and each antenna's power at its elevation."""
    return -20 * math.log10(math.hypot(d, rise)) + sum(10 * math.log10(p(rise / math.hypot(d, rise))) for p in patterns)

hertzian = lambda sine: 1 - sine * sine
d = math.hypot(3, 1)
for folder, expected in (("desk", law(2, 1.8, half_wave, hertzian)), ("bare", law(d, 1.1, half_wave)), ("point", law(d, 1.1, half_wave)),
                         ("straight", law(d, 1.1, half_wave)), ("level", law(d, 0)), ("later", law(math.hypot(1, 2), 0.6))):
    found = metric(folder + "/metrics.csv", "path_gain")
    assert abs(found - expected) < (0.15 if folder == "level" else 0.03), (folder, found, expected)
delay = math.hypot(d, 1.1) / C
found = metric("bare/metrics.csv", "first_arrival")
assert abs(found - delay) < 0.1e-9, (found, delay)
with h5py.File("bare/cir.h5") as f:
    assert f.attrs["transmitter_height"] == 2.6 and f.attrs["receiver_height"] == 1.5
    tau, a = f["paths/tau"][...].ravel(), f["paths/a"][...].ravel()
    assert abs(tau[np.argmax(abs(a["re"] + 1j * a["im"]) if a.dtype.names else abs(a))] - delay) < 0.1e-9

# Pairs: the sum of the taps over the slanted delays is H, and its power that of Friis.
with h5py.File("pairs.h5") as f:
    heights = f["receivers/height"][...]
    assert np.isnan(heights[1]) and list(heights[[0, 2]]) == [0.8, 1.2] and list(f["transmitters/height"][...]) == [2.6, 2.6]
    assert "slanted paths" in f.attrs["spreading"]
for row in table("pairs.csv")[1:]:
    at, x, y, z = row[0], float(row[2]), float(row[3]), float(row[12])
    if at == "ap" and not math.isnan(z):
        patterns = (half_wave, hertzian) if row[1] == "desk" else (half_wave,)
        expected = law(math.hypot(x - 1, y - 2), 2.6 - z, *patterns) + 20 * math.log10(C / (4 * math.pi * FC))
        assert abs(-float(row[5]) - expected) < 0.06, (row, expected)

# The map, but for cells near the antenna's foot and in the window's reach of the corners.
for row in table("map.csv")[1:]:
    x, y, gain = map(float, row)
    d = math.hypot(x - 1, y - 2)
    if d > 0.3:
        assert abs(gain - law(d, 1.1, half_wave)) < 0.08, (row, law(d, 1.1, half_wave))
for row in table("residuals.csv")[1:]:
    x, y, z, predicted = float(row[0]), float(row[1]), float(row[2]), float(row[5])
    expected = EIRP + law(math.hypot(x - 1, y - 2), 2.6 - z, half_wave) + 20 * math.log10(C / (4 * math.pi * FC))
    assert abs(predicted - expected) < 0.15, (row, expected)
END
if ! find_numpy; then
    echo "[  SKIPPED ] the law, by numpy and h5py: no python3 with both here"
else
    "$python" law.py 2> law.err
    verdict "powers and delays are those of free space over the straight line" "$([ $? -eq 0 ] || cat law.err)"
fi

bad "a receiver's height needs the transmitter's" 2 "'flat' of hall.h5 has no height" channel hall.h5 --tx flat --rx bare --receiver-height 1 -o x
bad "so do pairs, before they begin" 2 "'flat' of hall.h5 has no height" channel hall.h5 --rx all --receiver-height 1 -o x.h5
check "which leave nothing behind" [ ! -e x.h5 ]
bad "so does a map" 2 "'flat' of hall.h5 has no height" map hall.h5 --tx flat --receiver-height 1 -o x.png
bad "a height that is none" 2 'give a height' map hall.h5 --tx ap --receiver-height high -o x.png
bad "one that is not finite" 2 'give a height' map hall.h5 --tx ap --receiver-height inf -o x.png
cat > box.yaml << 'END'
dimensions: 3
plan: {size: [1 m, 1 m], storey: {height: 0.6 m}}
band: {centre: 600 MHz, width: 60 MHz}
grid: {scheme: yee, cell: 5 cm}
transmitters: [{name: ap, at: [0.3, 0.5, 0.3]}]
spectra: {count: 2, heights: [0.3 m]}
stop: {after: 5 ns, decay: off}
END
good "a run in three dimensions" 'wrote box.h5' run box.yaml --backend cpu -o box.h5
bad "has heights of its own" 2 'solved in three' map box.h5 --receiver-height 0.3 -o x.png
finish
