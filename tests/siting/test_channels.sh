#!/bin/sh
# Channels of Wi-Fi from place and import to maps of SINR: a plan of two channels is what the two access points then have, and on
# channels apart the SINR is the SNR, on one channel what both levels and the noise say, on overlapping ones in between.
cd "$(dirname "$0")/../.." || exit 1
. tests/support/script.sh

cat > room.yaml <<'END'
plan: {size: [1.2 m, 0.8 m]}
grid: {scheme: fd4o, cell: 1.5 cm}
band: {centre: 2.45 GHz, width: 100 MHz}
transmitters: [{name: ap, at: [0.4 m, 0.4 m], power: -50 dBm}]
spectra: {count: 8, spacing: 2 cells}
stop: {after: 25 ns, decay: off}
END
good "two channels" 'ap2 .* (1|6) ' place room.yaml --candidates '0.3,0.4;0.9,0.4' --demand grid:0.2m --best 2 --channels 2 -o answer.yaml
check "are those that do not overlap, in the scenario" sh -c "[ \$(grep -cE 'channel: \{band: 2.4 GHz, number: [16], width: 20 MHz\}' answer.yaml) = 2 ]"
bad "channels that overlap" 2 'channels 1 and 3 of 2.4 GHz overlap' place room.yaml --channels 1,3
bad "more than the band has" 2 'has 4 of 20 MHz' place room.yaml --channels 5
good "the same in another band" 'access point' place room.yaml --set 'band.centre=5.25 GHz' --set 'grid.cell=1 cm' \
    --candidates '0.3,0.4;0.9,0.4' --demand grid:0.4m --best 2 --channels 3
check "has other channels" grep -qE '^  ap1 .* 36 ' out

good "it runs" '' run answer.yaml -o answer.h5
good "info has them" ' channel (1|6)$' info answer.h5
sed -E 's/number: 6/number: 1/' answer.yaml > same.yaml
sed -E 's/number: 6/number: 3/' answer.yaml > near.yaml
grep -v 'channel: {' answer.yaml > none.yaml
for which in same near none; do
    good "$which" '' run $which.yaml -o $which.h5
done
for which in answer same near none; do
    good "SINR $which" 'SINR' map $which.h5 --quantity sinr --noise-figure 40dB -o $which.png
done
good "SNR" 'SNR' map answer.h5 --quantity snr --noise-figure 40dB -o snr.png
good "levels" '' map answer.h5 --quantity received-power --tx ap1 -o ap1.png
good "levels" '' map answer.h5 --quantity received-power --tx ap2 -o ap2.png
check "apart: no interference; on one channel all of it; two apart half" /usr/bin/python3 -c "
from math import log10
read = lambda name: [float(line.split(',')[2]) for line in open(name + '.csv') if line[0] not in '#x']
a, b, snr, kept = read('ap1'), read('ap2'), read('snr'), {n: read(n) for n in ('answer', 'same', 'near', 'none')}
assert max(abs(s - q) for s, q in zip(kept['answer'], snr)) < 1e-3
assert kept['same'] == kept['none'] and len(a) > 100
for n, (p, q, s) in enumerate(zip(a, b, snr)):
    own, other = max(p, q), min(p, q)
    noise = 10 ** ((own - s) / 10)
    for name, share in (('same', 1), ('near', 0.5)):
        assert abs(own - 10 * log10(noise + share * 10 ** (other / 10)) - kept[name][n]) < 0.02, (name, n)"
good "coverage agrees" 'sinr|SINR' coverage answer.h5 --quantity sinr --noise-figure 40dB --threshold 10dB -o sinr.csv
good "so does the report" '' report near.h5 -o near.html
check "which knows the channels" grep -qE '"channel":\[[0-9.e+]*,[0-9.e+]*,"3"\]' near.html

printf '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"><rect id="wall" x="10" y="10" width="380" height="280" fill="none" stroke="#000" stroke-width="10"/></svg>' > plan.svg
good "import takes them" '' import plan.svg --unit 1cm --tx '1,1,name=west,channel=11' --tx '3,1,channel={number: 3}' -o plan.yaml
good "and what it writes is read" '' run plan.yaml --dry-run
bad "a channel of another band" 3 'channel.*36.*allowed' run plan.yaml --dry-run --set 'transmitters.west.channel=36'
finish
