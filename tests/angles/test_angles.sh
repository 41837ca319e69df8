#!/bin/sh
# Angles by the program: two paths over a conducting plane, at both ends of the link; where there are none, and why; receivers that listen
# through a pattern. The law is that of images.
. tests/support/script.sh

cat > plane.yaml << 'END'
title: Over a conducting plane
plan: {size: [4.4 m, 2.4 m]}
band: {centre: 2.4 GHz, width: 400 MHz}
grid: {scheme: fd4o, cell: 1 cm, absorber: {sides: {y_low: pec}}}
transmitters:
  - {name: ap, at: [0.7 m, 1.2 m]}
  - {name: back, at: [3.4 m, 0.9 m]}
receivers:
  - {name: desk, at: [3.4 m, 0.9 m]}
  - {name: low, at: [2 m, 0.05 m]}
  - {name: toward, at: [3.4 m, 1.2 m], gain: 0 dBi, antenna: {pattern: panel.msi, bearing: 270 deg}}
  - {name: away, at: [3.4 m, 1.2 m], gain: 0 dBi, antenna: {pattern: panel.msi, bearing: 90 deg}, record: spectra}
spectra: {count: 40, spacing: 5 cells}
stop: {after: 34 ns, decay: off}
END
cp "$here/floorplans/panel_65.msi" panel.msi
good "a run" 'wrote plane.h5' run plane.yaml --backend cpu -o plane.h5
good "a link both of whose ends are known" 'wrote link' channel plane.h5 --tx ap --rx desk -o link
good "a point" 'wrote point' channel plane.h5 --tx ap --at 2.2,1 -o point
good "a receiver beside the plane" 'wrote low' channel plane.h5 --tx ap --rx low -o low
check "a picture of it" [ -s link/angles.png ]
check "what is not known says why" grep -q '^# arrival: not known: within 0\.75 wavelengths.*there is' low/angles.csv
check "so do departures" grep -q '^# departure: not known: .*reciprocity' point/angles.csv
check "and then there is no column of them" grep -q '^azimuth_deg,bearing_deg,arrival_dB$' point/angles.csv

cat > law.py << 'END'
import math, re, sys
import h5py, numpy as np

def peaks(folder, end):
    """azimuth [degrees] and power [dB] of the peaks of an end, strongest first."""
    found = re.findall(rf"^# {end} peak \d+: azimuth ([\d.]+), bearing ([\d.]+) degrees, (-?[\d.]+) dB", open(folder + "/angles.csv").read(), re.M)
    for azimuth, bearing, _ in found:
        assert abs((90 - float(azimuth) - float(bearing) + 180) % 360 - 180) < 0.02
    return [(float(a), float(p)) for a, _, p in found]

def look(folder, end, here, there):
    """The two strongest peaks are the direction of the other end and that of its image under y = 0, within 2 degrees."""
    wanted = [math.degrees(math.atan2(y - here[1], there[0] - here[0])) % 360 for y in (there[1], -there[1])]
    found = peaks(folder, end)
    assert len(found) >= 2, found
    for azimuth, (at, _) in zip(wanted, found):
        assert abs((at - azimuth + 180) % 360 - 180) < 2, (wanted, found)
    # amplitudes fall as the root of the length in two dimensions, and by one factor for the link
    lengths = [math.hypot(there[0] - here[0], y - here[1]) for y in (there[1], -there[1])]
    assert abs(found[0][1] - found[1][1] - 10 * math.log10(lengths[1] / lengths[0])) < 0.6, (lengths, found)
    assert len(found) == 2, found

ap, desk = (0.7, 1.2), (3.4, 0.9)
look("link", "arrival", desk, ap)
look("link", "departure", ap, desk)
look("point", "arrival", (2.2, 1.0), ap)
with h5py.File("link/cir.h5") as f:
    power, peak = f["angles/arrival"][...], f["angles/arrival_peaks"][...]
    table = np.array([line.split(",") for line in open("link/angles.csv") if line[0].isdigit()], dtype=float)
    assert power.shape == (360,) and np.allclose(10 * np.log10(power), table[:, 2], atol=1e-3)
    assert abs(peak[0, 0] - peaks("link", "arrival")[0][0]) < 0.01 and f["angles"].attrs["arrival_residual"] < 0.02
END
if ! find_numpy; then
    echo "[  SKIPPED ] the law, by numpy and h5py: no python3 with both here"
else
    "$python" law.py 2> law.err
    verdict "directions are those of the other end and of its image, within 2 degrees" "$([ $? -eq 0 ] || cat law.err)"
fi

# A panel in free space whose back is 30 dB down: what it takes in from ahead, aside and behind against a receiver without one.
sed -e 's/, absorber: {sides: {y_low: pec}}//' -e '/back,/d' -e '/desk\|low,/d' -e '/name: toward/i\  - {name: plain, at: [3.4 m, 1.2 m]}' \
    -e '/name: toward/a\  - {name: aside, at: [3.4 m, 1.2 m], gain: 0 dBi, antenna: {pattern: panel.msi, bearing: 330 deg}}' plane.yaml > panel.yaml
good "a run in free space" 'wrote panel.h5' run panel.yaml --backend cpu -o panel.h5
good "pairs" 'wrote pairs.h5' channel panel.h5 --rx all -o pairs.h5
loss() { awk -F, -v name="\"$1\"" '$2 == name { print $6 }' pairs.csv; }
for name in toward:0 aside:10.22 away:30; do
    at=${name%:*}
    check "received from $at as the file has it" awk -v a="$(loss "$at")" -v b="$(loss plain)" -v want="${name#*:}" 'BEGIN { d = a - b - want; exit !(d < 0.5 && d > -0.5) }'
done
good "one receiver gives the same" "path loss \(isotropic\) +$(printf '%.2f' "$(loss aside)")" channel panel.h5 --rx aside -o aside
bad "a lattice that is too coarse for a pattern" 3 'spectra.spacing is 7 cells; allowed is up to 5' run panel.yaml --set spectra.spacing='7 cells' --dry-run
bad "no spectra for one" 3 'are off' run panel.yaml --set spectra=off --dry-run
bad "a place off the plan, by an option" 3 "^planwave: panel.yaml: --set transmitters: transmitter .* outside the plan" run panel.yaml --set 'transmitters=[{at: [500, 1]}]' --dry-run
finish
