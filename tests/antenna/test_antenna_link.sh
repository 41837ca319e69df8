#!/bin/sh
# An antenna with a pattern from its file to a power: an empty hall in two dimensions, heights of both ends, bearing, mechanical and
# electrical tilt, of which Friis and the two cuts say what is received; the result holds all that it takes to run it again.
. tests/support/script.sh

cat > pattern.py << 'END'
import csv, math, sys

def parabola(degrees, width, most):
    return min(12 * (((degrees + 540) % 360 - 180) / width) ** 2, most)

def horizontal(degrees):
    return -parabola(degrees, 65, 25)

def vertical(degrees):
    return -parabola(degrees - 5, 40, 25)

def level(bearing, tilt, d):
    """Horizontal projection interpolation (Gil et al. 2001) in the frame of the tilted antenna; d: x, y, z."""
    b, t, r = math.radians(bearing), math.radians(tilt), math.sqrt(sum(v * v for v in d))
    x, y, z = (v / r for v in d)
    ahead, right = x * math.sin(b) + y * math.cos(b), x * math.cos(b) - y * math.sin(b)
    forward, up = ahead * math.cos(t) - z * math.sin(t), ahead * math.sin(t) + z * math.cos(t)
    phi, down = math.degrees(math.atan2(right, forward)), -math.degrees(math.asin(up))
    back = abs(phi) / 180
    return horizontal(phi) - (1 - back) * (horizontal(0) - vertical(down)) - back * (horizontal(180) - vertical(180 - down))

if sys.argv[1] == "write":
    with open("panel.msi", "w") as out:
        out.write("NAME Panel\nFREQUENCY 900\nGAIN 9.85 dBd\nTILT ELECTRICAL\nELECTRICAL_TILT 5\n")
        for name, cut in (("HORIZONTAL", horizontal), ("VERTICAL", vertical)):
            out.write(f"{name} 360\n" + "".join(f"{n} {-cut(n):.6f}\n" for n in range(360)))
else:
    for name, d in (("a", (3, 0.2)), ("b", (2.5, 1.5)), ("c", (1, -1.4)), ("d", (3.4, -1.2))):
        rise = 0.8 - 2.6
        rows = csv.reader(line for line in open(f"link_{name}/metrics.csv") if not line.startswith("#"))
        found = next(float(row[1]) for row in rows if row[0] == "received_power")
        expected = 18 + 20 * math.log10(299792458 / (4 * math.pi * 900e6 * math.hypot(*d, rise))) + level(80, 15, (*d, rise))
        assert abs(found - expected) < 0.35, (name, found, expected)
END
python3 pattern.py write || exit 1
cat > hall.yaml << 'END'
title: Empty hall
plan: {size: [6 m, 4 m]}
band: {centre: 900 MHz, width: 150 MHz}
transmitters:
  - {name: ap, at: [1.3 m, 2 m], height: 2.6 m, antenna: {pattern: panel.msi, bearing: 80 deg, downtilt: 15 deg}, conducted_power: 6 dBm}
receivers:
  - {name: a, at: [4.3 m, 2.2 m], height: 0.8 m}
  - {name: b, at: [3.8 m, 3.5 m], height: 0.8 m}
  - {name: c, at: [2.3 m, 0.6 m], height: 0.8 m}
  - {name: d, at: [4.7 m, 0.8 m], height: 0.8 m}
spectra: off
stop: {after: 70 ns, decay: off}
END
good "the dry run says how well the pattern is radiated" "pattern 'Panel' from [0-9]+ line currents within .* down to -15 dB" run hall.yaml --dry-run
good "and what the power is" 'EIRP 18 dBm: 6 dBm conducted and a gain of 12 dBi' run hall.yaml --dry-run
good "a run" 'wrote hall.h5' run hall.yaml --backend cpu -o hall.h5
good "the result tells the antenna" "pattern 'Panel', bearing 80 deg, downtilt 15 deg" info hall.h5
good "and the EIRP" 'EIRP 18 dBm = 6 dBm conducted \+ 12\.00 dBi' info hall.h5
for name in a b c d; do
    good "the link to $name" 'received power' channel hall.h5 --rx $name -o link_$name
done
python3 pattern.py check 2> law.err
verdict "powers are those of Friis and the two cuts" "$([ $? -eq 0 ] || tail -n 1 law.err)"

sed -i 's/pattern: panel.msi/pattern: nowhere.msi/' hall.yaml
bad "a file that is not there" 3 'hall.yaml:5: transmitters\[0\].*nowhere.msi' run hall.yaml --dry-run
printf 'NAME a\nHORIZONTAL 360\n0 0\n1 x\n' > nowhere.msi
bad "one that is none" 3 "nowhere.msi:4: '1 x' is not a value of HORIZONTAL" run hall.yaml --dry-run
finish
