#!/bin/sh
# What people do with results, from outside: coverage tables, calibration, films, pictures by their ending; and every export read back by
# numpy and h5py where these are (the shapes that Sionna's CIRDataset takes included).
. tests/support/script.sh

cat > room.yaml << 'END'
title: Two access points
plan:
  size: [2.4 m, 1.8 m]
  walls: [{from: [1.2 m, 0 m], to: [1.2 m, 1.2 m], thickness: 9 cm, material: brick}]
grid: {scheme: dd4, cell: 3 cm, courant: 0.3}
band: {centre: 1 GHz, width: 300 MHz}
transmitters:
  - {name: left, at: [0.6 m, 0.9 m], power: 20 dBm}
  - {name: right, at: [1.8 m, 0.9 m], power: 10 dBm}
receivers: [{name: probe, at: [2.1 m, 1.2 m], gain: 2 dBi}]
spectra: {count: 48, spacing: 2 cells}
stop: {after: 60 ns, decay: off}
END

# ---- frames: no ffmpeg, then one that only notes what it was asked ----
mkdir tools
for tool in sh touch; do ln -s "$(command -v $tool)" tools/$tool; done
PATH_BEFORE=$PATH
PATH=$work/tools
export PATH
timeout=$(PATH=$PATH_BEFORE command -v timeout)
"$timeout" "$limit" "$planwave" run room.yaml --backend cpu -o room.h5 --frames film --frames-every 100 > out 2> err < /dev/null
status=$?
PATH=$PATH_BEFORE
export PATH
check "a run with frames" [ "$status" -eq 0 ]
check "without ffmpeg it says how to make a film" grep -q 'ffmpeg -framerate 25 -i .film/tx1-left-%06d.png' out
check "the pictures are there, for both" [ -s film/tx1-left-000000.png -a -s film/tx2-right-000005.png ]
bad "a folder of frames that is in use" 3 "film exists" run room.yaml --backend cpu -o again.h5 --frames film
cat > tools/ffmpeg << 'END'
#!/bin/sh
for film; do :; done
case $film in *.mp4) echo half > "$film"; exit 1 ;; esac
echo "$@" > "$film"
END
chmod +x tools/ffmpeg
PATH=$work/tools:$PATH good "with ffmpeg a film each" 'wrote .*tx1-left.webm' run room.yaml --backend cpu --set 'stop.after=10 ns' -o short.h5 --frames './50%' --frames-every 200
check "ffmpeg was told the series, with the percent sign doubled" grep -q -e '-i [./]*50%%/tx1-left-%06d.png' '50%/tx1-left.webm'
check "no half film stays" [ ! -e '50%/tx1-left.mp4' ]

# ---- coverage ----
good "coverage with a threshold and its unit" '>= -40 dBm +[0-9.]+ % +[0-9.]+ % +[0-9.]+ %' coverage room.h5 --threshold -40dBm
good "coverage as CSV, with a room" 'wrote table.csv' coverage room.h5 --threshold '-40 dBm,-50' --threshold -60 --area 'east=1.3,0,2.4,1.8' --local-mean -o table.csv
check "two parts, three thresholds, a head" [ "$(grep -c '^"' table.csv)" -eq 6 -a "$(grep -c '^area,area_m2,threshold_dBm,"left","right","best server"' table.csv)" -eq 1 ]
good "sinr, of one transmitter" 'noise -101.0 dBm: bandwidth 10 MHz, noise figure 3 dB' coverage room.h5 --quantity sinr --tx left --bandwidth 10MHz --noise-figure 3dB --threshold 10dB
good "a mean wider than the floor" 'minimum -?[0-9]' map room.h5 --mean 1e9km -o wide.png
bad "coverage: no threshold at all" 2 "give one or several" coverage room.h5 --threshold ,
bad "calibrate: no material at all" 2 "give one or several" calibrate room.h5 --measured walk.csv --materials ''
mkfifo pipe.csv
bad "a pipe is not replaced" 3 "neither a file nor a folder" coverage room.h5 --force -o pipe.csv
rm pipe.csv
bad "coverage: the wrong unit" 2 "the unit here is dBm, not 'dB'" coverage room.h5 --threshold 20dB
bad "coverage: no number" 2 "give a number, such as -67dBm" coverage room.h5 --threshold strong
bad "coverage: a quantity that has none" 2 "cannot be counted by best server" coverage room.h5 --quantity best-server
bad "coverage: an area without corners" 2 "a name and two corners" coverage room.h5 --area east=1,2,3
bad "coverage: an area outside" 2 "moon.*no cell" coverage room.h5 --area moon=90,90,91,91
bad "coverage: a bandwidth that is none" 2 "bandwidth" coverage room.h5 --quantity snr --bandwidth 5kg
bad "coverage: a bandwidth without its unit" 2 "the unit is missing: without one this is 20 Hz; write 20GHz or 20MHz" coverage room.h5 --quantity snr --bandwidth 20
bad "coverage: a table that is there" 3 "exists" coverage room.h5 -o table.csv
bad "coverage: would overwrite the result" 2 "room.h5" coverage room.h5 -o room.h5 --force

# ---- percentiles ----
good "percentiles of the floor" '50 % +-?[0-9.]+ +-?[0-9.]+ +-?[0-9.]+' coverage room.h5 --percentiles 10,50 --percentiles 90 -o percentiles.csv
check "a line for each" [ "$(grep -c '^[159]0,' percentiles.csv)" -eq 3 -a "$(grep -c '^percent,"left","right","best server"' percentiles.csv)" -eq 1 ]
good "the whole distribution, of an area too" 'wrote cdf.csv' coverage room.h5 --quantity k-factor --tx left --area 'east=1.3,0,2.4,1.8' --cdf cdf.csv
check "steps of half a per cent" [ "$(grep -c '^[0-9]' cdf.csv)" -eq 201 -a "$(grep -c '^percent,"left","east: left"' cdf.csv)" -eq 1 ]
good "as a picture, over the receivers" 'wrote cdf.png' coverage room.h5 --receivers --cdf cdf.png
bad "percentiles: none" 2 "give one or several" coverage room.h5 --percentiles ,
bad "percentiles: over a hundred" 2 "allowed are 0 to 100" coverage room.h5 --percentiles 50,101
bad "percentiles: no number" 2 "give a number, such as 10%" coverage room.h5 --percentiles half
bad "percentiles and thresholds" 2 "does not go together with --percentiles" coverage room.h5 --percentiles 50 --threshold -40
bad "percentiles: of names" 2 "best server is a name" coverage room.h5 --quantity best-server --percentiles 50
bad "percentiles: receivers in an area" 2 "parts of the floor" coverage room.h5 --receivers --percentiles 50 --area east=1,0,2,1
bad "percentiles: a distribution that is there" 3 "exists" coverage room.h5 --cdf cdf.csv
bad "percentiles: would overwrite the result" 2 "ends in .png" coverage room.h5 --cdf room.h5 --force

# ---- maps ----
good "a map of SINR, its border at a level with unit" 'SINR' map room.h5 --quantity sinr --coverage 20dB -o sinr.png --size 500
good "a threshold in dBm is one of coverage" 'at or over -40 dBm' map room.h5 --quantity received-power --threshold -40dBm --mean 0.3m -o power.svg
check "SVG" grep -q '<svg' power.svg
check "a map says whose error its forecast is" grep -q 'error on the plan as drawn.*validation/measured/README.md' power.svg
check "by depth" grep -q 'dB in the strongest half of the floor' power.svg
good "a threshold that the floor crosses" 'at or over -12 dBm' map room.h5 --quantity received-power --coverage -12dBm -o line.svg
check "its line is named" grep -q 'white line, -12 dBm: ' line.svg
good "a threshold that every point reaches" 'at or over -200 dBm: 100.0 %' map room.h5 --quantity received-power --coverage -200dBm -o all.svg
check "no line is named that is not there" sh -c "grep -q '>-200 dBm: 100.0 %' all.svg && ! grep -q 'white line' all.svg"
good "one transmitter alone" 'wrote lone.h5' run room.yaml --set 'transmitters=[{name: lone, at: [0.6, 0.9]}]' -o lone.h5
good "is the strongest of one" 'wrote lone.svg' map lone.h5 --quantity best-server -o lone.svg
check "and called by its name" sh -c "grep -q 'lone, 20 dBm EIRP, receiver' lone.svg && ! grep -q 'strongest of' lone.svg"
check "names its local mean" grep -q '# local mean of the power over 0.3 m by 0.3 m' power.csv
good "PDF" 'wrote spread.pdf' map room.h5 --quantity maximum-delay -o spread.pdf
check "is one" [ "$(head -c 4 spread.pdf)" = %PDF ]
good "coherence over more than half the band" 'wrote coherence.svg' map room.h5 --quantity coherence-50 -o coherence.svg
check "is told as that" grep -qE '>grey: over [0-9.]+ MHz, half the band<' coherence.svg
bad "a map: the wrong unit" 2 "the unit here is dB, not 'dBm'" map room.h5 --quantity sinr --coverage -67dBm -o wrong.png
bad "a map too small to read" 2 "from 100 to" map room.h5 --size 20 -o wrong.png
bad "a mean over nothing" 2 "above zero" map room.h5 --mean 0m -o wrong.png
good "the plot of a channel alone" 'wrote' channel room.h5 --rx probe -o probe.svg
check "is SVG" grep -q '<svg' probe.svg

# ---- many receivers ----
good "receivers of the spectra" 'taken from the spectra' run room.yaml --set 'receivers=[{name: g, grid: {from: [0.6, 0.3], to: [2.1, 1.2], spacing: 0.3}, gain: 3 dBi, record: spectra}]' -o many.h5 -v
good "one of them" 'received power' channel many.h5 --tx left --rx g_9 -o g9
good "the point that it stands on" 'received power' channel many.h5 --tx left --at 1.2,0.6 -o p9
check "has the same field" sh -c 'grep -v "^#" g9/transfer_function.csv > one; grep -v "^#" p9/transfer_function.csv | cmp - one'
good "all of them" 'a and tau of 24 receivers, 2 transmitters' channel many.h5 --rx all --batch
check "are listed" sh -c '"$0" info many.h5 | grep -q "g_24 .*of the spectra"' "$planwave"

# ---- calibration ----
good "a map for points" 'wrote' map room.h5 --quantity received-power --local-mean --tx left -o level.png
{ echo 'x,y,dBm'; grep -v '^[#x]' level.csv | awk -F, 'NR % 60 == 7 {printf "%s,%s,%.4f\n", $1, $2, $3 - 4.5}'; } > walk.csv
good "calibrate finds an offset" 'global offset of -4.50 dB' calibrate room.h5 --measured walk.csv -o residuals.csv
check "point by point" [ "$(grep -vc '^[#x]' residuals.csv)" -eq "$(grep -vc '^x' walk.csv)" ]
head -n 4 walk.csv > few.csv
bad "calibrate: too few points" 3 "few.csv: 1 parameter cannot be fitted to 3 points" calibrate room.h5 --measured few.csv
bad "calibrate: too few for a material" 3 "parameters cannot be fitted" calibrate room.h5 --measured walk.csv --materials brick,wood,glass
echo '5,here,-40' >> few.csv
bad "calibrate: a line that is none" 3 "few.csv:5: y .m. = 'here'" calibrate room.h5 --measured few.csv
bad "calibrate: no points named" 2 "measured" calibrate room.h5
bad "calibrate: points that are not there" 3 "nowhere.csv" calibrate room.h5 --measured nowhere.csv
bad "calibrate: would overwrite the points" 2 "walk.csv" calibrate room.h5 --measured walk.csv -o walk.csv --force

mkdir fitted
printf '2.1,1.2,probe\n' > probes.csv
good "a room that reads a file" 'wrote' run room.yaml --set 'receivers=[{file: probes.csv}]' -o reads.h5
sed 's/$/,left/; s/^x,y,dBm,left/x,y,power,transmitter/' walk.csv > readings.csv
good "calibrate writes the fitted scenario elsewhere" 'wrote fitted/room.yaml' calibrate reads.h5 --joint --measured readings.csv -o fitted/room.yaml
check "it names the file as seen from there" grep -q 'file: "../probes.csv"' fitted/room.yaml
good "and runs" 'will take' run fitted/room.yaml --dry-run
mv probes.csv gone.csv
bad "calibrate: the file that the scenario reads is gone" 3 "cannot read 'probes.csv'" calibrate reads.h5 --joint --measured readings.csv -o again.yaml

# ---- exports, by numpy and h5py ----
good "a channel" 'rms delay spread' channel room.h5 --tx left --rx probe -o probe
if ! find_numpy; then
    echo "[  SKIPPED ] exports by numpy and h5py: no python3 with both here"
else
    "$python" - > out 2> err << 'END'
import csv, h5py, numpy as np
c = 299792458.0
level = np.load("level.npy")
rows = [r for r in csv.reader(open("level.csv")) if not r[0].startswith(("#", "x"))]
assert level.shape == (31, 41) and level.dtype == np.float32
assert np.allclose(level.ravel(), [float(r[2]) for r in rows], atol=1e-3)

def table(name):
    lines = [l for l in open("probe/" + name) if l[0] not in "#!" and not l[0].isalpha()]
    return np.array([[float(v) for v in l.replace(",", " ").split()] for l in lines])

transfer = table("transfer_function.csv")
s = table("channel.s2p")
assert transfer.shape == (48, 5) and s.shape == (48, 9)
f, g = transfer[:, 0], transfer[:, 1] + 1j * transfer[:, 2]
assert np.array_equal(s[:, 3:5], s[:, 5:7]) and not s[:, [1, 2, 7, 8]].any()

with h5py.File("probe/cir.h5") as cir:
    fc = cir.attrs["carrier_frequency"]
    for kind in "taps", "paths":
        a, tau = cir[kind + "/a"][...], cir[kind + "/tau"][...]
        # batch, rx, rx antenna, tx, tx antenna, paths, time steps; batch, rx, tx, paths
        assert a.dtype == np.complex64 and tau.dtype == np.float32
        assert a.shape == (1, 1, 1, 1, 1, tau.shape[-1], 1) and tau.shape == (1, 1, 1, tau.shape[-1])
        assert np.all(np.diff(tau[0, 0, 0]) > 0)
    # cir_to_ofdm_channel: sum over paths of a exp(-j 2 pi (f - fc) tau)
    a, tau = cir["taps/a"][0, 0, 0, 0, 0, :, 0], cir["taps/tau"][0, 0, 0].astype(float)
    h = (a[None, :] * np.exp(-2j * np.pi * np.outer(f - fc, tau))).sum(axis=1)
    s21 = (s[:, 3] + 1j * s[:, 4]) * f / fc
    assert np.allclose(h, s21, atol=2e-3 * abs(s21).max()), abs(h - s21).max() / abs(s21).max()

delay = table("impulse_response.csv")
profile = table("power_delay_profile.csv")
assert np.allclose(delay[:, 1] ** 2 + delay[:, 2] ** 2, profile[:, 2], rtol=1e-5, atol=1e-12)
line = table("tapped_delay_line.csv")
assert line[0, 1] == 0 and np.isclose((10 ** (line[:, 2] / 10)).sum(), 1, atol=1e-4)
metrics = {r[0]: float(r[1]) for r in csv.reader(open("probe/metrics.csv")) if len(r) == 4 and r[0][0] != "#" and r[0] != "quantity"}
over = profile[profile[:, 4] > 0.5]
mean = (over[:, 1] * over[:, 2]).sum() / over[:, 2].sum()
spread = np.sqrt((over[:, 1] ** 2 * over[:, 2]).sum() / over[:, 2].sum() - mean**2)
assert np.isclose(max(mean, 0.0), metrics["mean_excess_delay"], atol=1e-13) and np.isclose(spread, metrics["rms_delay_spread"], atol=1e-13)
END
    status=$?
    check "every export, by numpy and h5py" [ "$status" -eq 0 ]
fi

# ---- the same result, a second later, gives the same bytes: a file with a time in it could not be compared ----
twice() { # twice FILE-OR-FOLDER COMMAND...: made twice
    made=$1
    shift
    "$planwave" "$@" -f -o "$made" > /dev/null 2>&1 && rm -rf first && mv "$made" first && sleep 1.1 &&
        "$planwave" "$@" -f -o "$made" > /dev/null 2>&1 && diff -r first "$made"
}
check "a channel is the same bytes when it is made again" twice again channel room.h5 --rx probe
check "a file of pairs is the same bytes when it is made again" twice again.h5 channel room.h5 --rx probe --at 0.3,0.3

good "help on metrics has the new ones" 'SINR' help metrics

# ---- frequencies as they are asked for, profiles of all pairs ----
run channel room.h5 --rx all --at 0.91,0.47 --subcarriers 16x1MHz -o asked.npy
check "responses at subcarriers as an array" [ "$status" -eq 0 ]
check "of receivers, transmitters and frequencies" grep -aq "'<c8', 'fortran_order': False, 'shape': (2, 2, 16)" asked.npy
check "and nothing else" [ "$(wc -c < asked.npy)" -eq $((128 + 2 * 2 * 16 * 8)) ]
run channel room.h5 --rx all --at 0.91,0.47 --subcarriers wifi6-20 -o asked.csv
check "a line for each of the 242 tones of a channel" [ "$(grep -c '^"' asked.csv)" -eq 968 ]
run channel room.h5 --rx all --subcarriers nr-20MHz-15kHz@1.02GHz --profiles -o tones.h5
check "in the file of all pairs, with profiles" [ "$status" -eq 0 ]
check "and what they are off by is said" grep -q "H at 1272 frequencies as asked for: estimated error at most" out
check "the file has the profiles" grep -aq profile_delay tones.h5
run channel room.h5 --subcarriers wifi-30 -o never.npy
check "an unknown signal is refused" [ "$status" -eq 2 ]
check "with the known ones" grep -q "wifi6-20, -40" err
run channel room.h5 --subcarriers wifi-20@5.18GHz -o never.npy
check "frequencies that were not solved are refused" [ "$status" -eq 3 ]
check "with those that were" grep -q "850 to 1150 MHz" err
check "and nothing is written" [ ! -e never.npy ]

# ---- where there is no field ----
good "a receiver in metal" 'wrote inside.h5' run room.yaml --backend cpu -o inside.h5 \
    --set 'plan.rectangles=[{from: [1.9 m, 1 m], to: [2.3 m, 1.4 m], material: metal}]'
good "has no power" 'received power  *not defined' channel inside.h5 -o inside
check "and no coherence bandwidth over half the band" [ "$(grep -c 'coherence bandwidth at 0.[59]  *not defined' out)" -eq 2 ]

finish
