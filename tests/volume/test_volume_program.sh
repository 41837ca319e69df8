#!/bin/sh
# The program on a result in three dimensions, from outside: planes by height, cuts, components, what is refused and why. The fields are
# those of a dipole in a box of air, of which Friis says the power.
. tests/support/script.sh

cat > box.yaml << 'END'
title: A box of air
dimensions: 3
plan:
  size: [2.4 m, 1.2 m]
  storey: {height: 1.2 m}
band: {centre: 600 MHz, width: 120 MHz}
grid: {scheme: fd4, cell: 5 cm}
transmitters:
  - {name: left, at: [0.5 m, 0.6 m, 0.6 m], power: 20 dBm}
  - {name: flat, at: [0.5 m, 0.3 m, 0.6 m], power: 20 dBm, polarisation: x}
receivers:
  - {name: probe, at: [2.1 m, 0.6 m, 0.6 m], gain: 2 dBi}
spectra:
  count: 9
  heights: [0.3 m, 0.6 m]
  components: [ex, ey, ez]
  cuts: [{from: [0 m, 0.6 m], to: [2.4 m, 0.6 m]}]
  spacing: 2 cells
stop: {after: 40 ns, decay: off}
END
good "a run" 'wrote box.h5' run box.yaml --backend cpu -o box.h5
good "info lists planes and cuts" 'cut 1, y = 0\.6' info box.h5
good "info lists polarisations" 'Hertzian dipole along x' info box.h5

# P = 20 dBm + 2 dBi + 20 lg(c/(4 pi 600 MHz 1.6 m)) = -10.09 dBm
good "received power is that of Friis" 'received power +-10\.[01]' channel box.h5 --tx left --rx probe -o probe
check "its channel is relative to a dipole, not to a line current" grep -q 'exp(-j k 1 m)/(4 pi 1 m)' probe/transfer_function.csv
good "and broadside there is nothing across it" 'cross-polar ratio +nothing across' channel box.h5 --tx left --rx probe -o across
# 0.3 m lower E is tilted by atan(0.3/1.6): Ex/Ez is -14.5 dB
good "a point at a height" 'cross-polar ratio +-1[45]\.' channel box.h5 --tx left --at 2.1,0.6 --height 0.3 -o point
good "its component along x" 'received power +-2[67]\.' channel box.h5 --tx left --at 2.1,0.6 --height 0.3 --component ex -o slanted
good "the height as a third coordinate, and which plane that is" 'that of +\(2\.1[0-9]*, 0\.6[0-9]*, 0\.[23]' channel box.h5 --tx left --at 2.1,0.6,0.3 -o point -f
good "points of several heights" 'wrote heights.h5' channel box.h5 --tx left --at 2.1,0.6,0.3 --at 2.1,0.6,0.6 -o heights.h5
grep -q 'point (2\.[01][0-9]*, 0\.[56][0-9]*, 0\.[23]' heights.csv && grep -q 'point (2\.[01][0-9]*, 0\.[56][0-9]*, 0\.[56]' heights.csv
verdict "its table has both heights" "$([ $? -eq 0 ] || cat heights.csv)"
printf 'x,y,z\n2.1,0.6,0.3\n2.1,0.6,0.6\n' > heights.in
good "and of a file" 'a and tau of 2 receivers' channel box.h5 --tx left --at-file heights.in -o heights2.h5
good "pairs have polarisations" 'wrote pairs.h5' channel box.h5 --tx all --at 2.1,0.6 --at 1,1 -o pairs.h5
good "a map at a height" 'Ez at height 0\.[23]' map box.h5 --height 0.3 -o low.png
good "the total of all components" 'total of Ex, Ey, Ez at height 0\.' map box.h5 --height 0.6 --component total -o total.png
good "a vertical cut" 'Ez on the cut at y = 0\.60' map box.h5 --cut 1 --tx left -o cut.png
grep -q '^x_m,z_m,path_gain_dB' cut.csv
verdict "its numbers are over x and z" "$([ $? -eq 0 ] || echo 'no heading x_m,z_m')"
good "coverage of every height" 'Ez at height 0\.[56]' coverage box.h5 -o coverage.csv
[ "$(grep -c 'Ez at height 0\.[23]' coverage.csv)" -gt 0 ] && [ "$(grep -c 'Ez at height 0\.[56]' coverage.csv)" -gt 0 ]
verdict "its file has both planes" "$([ $? -eq 0 ] || echo 'a plane is missing')"
good "a page" 'wrote box.html' report box.h5 -o box.html
grep -q '"sheets":\[{"component":"Ez","asked":0.' box.html && grep -q 'id="walls-5"' box.html
verdict "it has all planes" "$([ $? -eq 0 ] || echo 'a sheet is missing')"
good "compare works over all groups" 'identical' compare box.h5 box.h5

run map box.h5 --height 0.4 -o near.png
grep -q 'no plane was kept at a height of 0.4 m: this is the one at 0.3 m' err
verdict "a height that was not kept is told" "$([ "$status" -eq 0 ] || echo "status $status"; grep -q 'this is the one' err || echo 'no warning')"
bad "a point at a height that was not kept" 3 'this result has heights: 0\.3 m, 0\.6 m' channel box.h5 --at 2.1,0.6,1.1 -o x
bad "a height twice" 2 'points without' channel box.h5 --at 2.1,0.6,0.3 --height 0.6 -o x
bad "no such height" 3 'this result has heights: 0\.3 m, 0\.6 m' map box.h5 --height 2 -o x.png
bad "no such cut" 3 'it has: 1 \(y = 0\.6 m\)' map box.h5 --cut 2 -o x.png
bad "a cut has no height" 2 'has no height' map box.h5 --cut 1 --height 0.3 -o x.png
bad "nothing is spread in three dimensions" 2 'solved in three' map box.h5 --spreading delay -o x.png
bad "a channel has no total" 2 'one component' channel box.h5 --component total -o x
bad "delays have no total" 2 'one of powers' map box.h5 --component total --quantity rms-delay-spread -o x.png
bad "a height that is none" 2 'give a height' map box.h5 --height high -o x.png
bad "a component that is none" 2 'own, ex, ey, ez' map box.h5 --component hx -o x.png
# Free space again: 1 m, 1.2 m, ... from the transmitter, 0.3 m lower on the last three; Ez falls with cos^2 of the angle.
awk 'BEGIN { print "x,y,z,power"; for (n = 0; n < 8; n++) { x = 1 + 0.1 * n; z = n < 5 ? 0.6 : 0.3; r = x * x + (0.6 - z) ^ 2
    printf "%g,0.6,%g,%.3f\n", 0.5 + x, z, 20 + 20 * log(299.792458 / 600 / 12.566370614) / log(10) + 10 * log(x ^ 4 / r ^ 3) / log(10) - 3 } }' > points.csv
good "calibration against points with heights" 'global offset of -[23]\.[0-9]* dB' calibrate box.h5 --tx left --hold-out 0 --mean 5cm --measured points.csv -o walk.csv
grep -q '^x_m,y_m,z_m,' walk.csv && grep -q '^1.5,0.6,0.6,' walk.csv
verdict "its table has heights" "$([ $? -eq 0 ] || cat walk.csv)"
printf 'x,y,z,power\n1,0.6,0.9,-20\n1,0.5,0.9,-20\n1,0.6,0.6,-20\n1,0.7,0.6,-20\n1,0.5,0.6,-20\n' > high.csv
bad "a point in no plane" 3 'high\.csv:2: .*this result has heights' calibrate box.h5 --hold-out 0 --measured high.csv -o x.csv
bad "an antenna for everything" 2 'one component' calibrate box.h5 --component total --measured points.csv -o x.csv

cat > flat.yaml << 'END'
plan: {size: [1.2 m, 1 m]}
band: {centre: 1 GHz, width: 200 MHz}
grid: {scheme: fd4, cell: 3 cm}
transmitters: [{name: ap, at: [0.4 m, 0.5 m]}]
spectra: {count: 8, spacing: 2 cells}
stop: {after: 10 ns, decay: off}
END
good "a run in two dimensions" 'wrote flat.h5' run flat.yaml --backend cpu -o flat.h5
bad "which has no heights" 2 'two dimensions' map flat.h5 --height 1 -o x.png
bad "and Ez alone" 2 'two dimensions' map flat.h5 --component ex -o x.png
good "ez is what it has" 'wrote ez.png' map flat.h5 --component ez -o ez.png

# A cut says of what does not stand in it where it does. A stand-in for gnuplot keeps what it is told.
mkdir tools
cat > tools/gnuplot << 'END'
#!/bin/sh
for script; do :; done
cp "$script" "$KEPT"
while read -r set output name; do case $set.$output in set.output) eval "echo drawn > $name" ;; esac; done < "$script"
END
chmod +x tools/gnuplot
KEPT=$work/script PATH=$work/tools:$PATH good "a cut of the plan" 'wrote plan.png' rasterize box.yaml --cut y=0.6m -o plan.png
grep -q 'label .left. at' script && grep -q 'flat, y = 0.30 m' script && grep -q 'label .probe. at' script
verdict "says where a transmitter beside it stands" "$([ $? -eq 0 ] || grep label script)"
KEPT=$work/script PATH=$work/tools:$PATH good "another" 'wrote other.png' rasterize box.yaml --cut x=0.6m -o other.png
! grep -q 'probe' script
verdict "and leaves receivers out that are far" "$([ $? -eq 0 ] || grep label script)"
# Terminals without a height stand at the usual one, and the result says so.
sed -e "s/\(at: \[[^],]*,[^],]*\),[^]]*\]/\1]/" -e "s/storey: {height: 1.2 m}/storey: {height: 2 m}/" box.yaml > level.yaml
good "terminals without a height" 'wrote level.h5' run level.yaml -f -o level.h5
good "a result of terminals without a height" '1\.5' info level.h5
good "delays of a run that ended at once" 'no point has a value' map flat.h5 --quantity rms-delay-spread -o spread.png
grep -q 'set a lower stop.decay or a longer stop.after' err
verdict "and what would help" "$([ $? -eq 0 ] || echo 'no advice')"
finish
