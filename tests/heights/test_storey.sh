#!/bin/sh
# `spreading: storey` by the program: every command takes it and says which storey, what is assumed, and what it refuses. The numbers are
# those of Friis in a plan whose storey has neither floor nor ceiling; laws of the rest are in test_storey.c.
. tests/support/script.sh

cat > room.yaml << 'ROOM'
title: Empty hall
plan: {size: [6 m, 4 m]}
band: {centre: 900 MHz, width: 300 MHz}
grid: {scheme: fd4o, cell: 2.5 cm}
transmitters:
  - {name: ap, at: [1 m, 2 m], height: 2.4 m, antenna: half-wave}
  - {name: flat, at: [5 m, 1 m]}
receivers:
  - {name: desk, at: [3 m, 2 m], height: 0.8 m, antenna: hertzian, gain: 0 dBi}
  - {name: bare, at: [4 m, 3 m]}
  - {name: shelf, at: [4 m, 1 m], height: 2.7 m}
spectra: {count: 24, spacing: 4 cells}
stop: {after: 50 ns, decay: off}
ROOM
good "a run" 'wrote hall.h5' run room.yaml --backend cpu -o hall.h5
assumed='storey: .*2\.6 m between 20 cm of concrete \(assumed: the plan has no storey\)'
good "a link" 'distance +2\.56 m' channel hall.h5 --tx ap --rx desk --spreading storey -o desk
check "names the storey, and that it is assumed" grep -Eq "from 2D to 3D: $assumed; transmitter at 2\.4 m, receiver at 0\.8 m" desk/metrics.csv
good "a receiver without a height stands at 1.5 m" 'distance +3\.29 m' channel hall.h5 --tx ap --rx bare --spreading storey -o bare
check "and its file says so" grep -Eq 'receiver at 1\.5 m' bare/metrics.csv
good "a map" 'wrote map.png' map hall.h5 --tx ap --quantity path-gain --spreading storey -o map.png
check "says so" grep -Eq "$assumed" map.csv
good "of K, through the storey" 'wrote k.png' map hall.h5 --tx ap --quantity k-factor --spreading storey -o k.png
good "of the RMS delay spread" 'wrote rms.png' map hall.h5 --tx ap --quantity rms-delay-spread --spreading storey -o rms.png
good "of SINR" 'wrote sinr.png' map hall.h5 --quantity sinr --spreading storey -o sinr.png
good "coverage" 'storey' coverage hall.h5 --threshold -30dBm --spreading storey -o coverage.csv
good "a page" 'wrote page.html' report hall.h5 --spreading storey -o page.html
check "says so" grep -Eq "$assumed" page.html
good "pairs" 'a and tau of' channel hall.h5 --spreading storey --receiver-height 2 --rx desk --rx bare -o pairs.h5
check "say so" grep -Eq "$assumed" pairs.csv
bad "a receiver over the ceiling" 2 "the height of receiver 'shelf' is 2\.7 m, and the storey reaches from 0 to 2\.6 m" channel hall.h5 --tx ap --rx shelf --spreading storey -o no
bad "receivers over it" 2 'the height of receivers is 3 m, and the storey' map hall.h5 --spreading storey --receiver-height 3 -o no.png
bad "a transmitter over it" 2 "the height of transmitter 'flat' is 2\.9 m" channel hall.h5 --tx flat --rx bare --tx-height 2.9 --spreading storey -o no

good "a run of a plan with a storey" 'wrote open.h5' run room.yaml --backend cpu --set 'plan={size: [6 m, 4 m], storey: {height: 3 m}}' -o open.h5
good "whose storey counts" 'distance +3\.19 m' channel open.h5 --tx ap --rx bare --receiver-height 2 --spreading storey -o open
check "and is told" grep -Eq 'storey: .*3 m between nothing; transmitter at 2\.4 m, receiver at 2 m' open/metrics.csv
good "without slabs it is the slanted path" 'path loss' channel open.h5 --tx ap --rx bare --receiver-height 2 --spreading delay -o slanted
loss() { sed -n 's/^path_loss,\([^,]*\),.*/\1/p' "$1/metrics.csv"; }
check "within 0.2 dB" awk "BEGIN {d = $(loss open) - $(loss slanted); exit !(d * d < 0.04)}"

# What floor and ceiling scatter comes to what distance gives, late: nothing where there is neither.
for plan in open hall; do
    for way in distance diffuse; do
        good "$plan by $way" 'path loss' channel $plan.h5 --tx ap --rx bare --receiver-height 2 --spreading $way -o $plan-$way
    done
done
for way in distance diffuse; do
    grep -v '^#' hall-$way/transfer_function.csv > hall-$way/cut.csv
done
check "names the storey" grep -Eq 'diffuse: distance, and what floor and ceiling scatter, 2\.6 m between 20 cm of concrete \(assumed' hall-diffuse/metrics.csv
check "nothing without slabs" test "$(loss open-diffuse)" = "$(loss open-distance)"
check "0.2 to 3 dB between concrete" awk "BEGIN {d = $(loss hall-distance) - $(loss hall-diffuse); exit !(d > 0.2 && d < 3)}"
check "nor in the profile" test "$(grep -v '^#' open-diffuse/power_delay_profile.csv)" = "$(grep -v '^#' open-distance/power_delay_profile.csv)"
for of in rms_delay_spread mean_excess_delay rician_k coherence_bandwidth_0.9; do
    check "nor in $of" test "$(grep "^$of," open-diffuse/metrics.csv)" = "$(grep "^$of," open-distance/metrics.csv)"
done
metric() { sed -n "s/^$2,\([^,]*\),.*/\1/p" "$1/metrics.csv"; }
for of in rms_delay_spread mean_excess_delay; do
    check "more $of between concrete" awk "BEGIN {exit !($(metric hall-diffuse $of) > 1.1 * $(metric hall-distance $of))}"
done
check "and less K" awk "BEGIN {exit !($(metric hall-diffuse rician_k) < $(metric hall-distance rician_k) - 1)}"
check "but H as before" cmp hall-diffuse/cut.csv hall-distance/cut.csv
good "a run without spectra" 'wrote bare.h5' run room.yaml --backend cpu --set spectra=off -o bare.h5
bad "has nothing that scatters" 3 'what floor and ceiling scatter comes from all of the floor' channel bare.h5 --tx ap --rx desk --spreading diffuse -o no
for of in path-gain rms-delay-spread k-factor coherence-90; do
    good "a map of $of" "wrote $of.png" map hall.h5 --tx ap --quantity $of --spreading diffuse -o $of.png
done

# An instrument of less bandwidth and with a noise floor.
good "the middle 100 MHz alone" 'rms delay spread' channel hall.h5 --tx ap --rx desk --channel-width 100MHz -o narrow
good "a noise floor" 'rms delay spread' channel hall.h5 --tx ap --rx desk --noise-floor 20 -o noisy
check "which is told" grep -Eq 'noise_floor,-[0-9.]+' noisy/metrics.csv
bad "a width without a frequency" 2 'holds no frequency of the band' channel hall.h5 --tx ap --rx desk --channel-width 1kHz -o no

# What calibration says of a new place goes with the scenario into its runs and all that is made of them.
good "a run of a calibrated scenario" 'wrote known.h5' run room.yaml --backend cpu --set 'level_interval=6.4 dB' -o known.h5
good "a map of it" 'wrote known.png' map known.h5 --tx ap --quantity path-gain -o known.png
good "coverage of it" '' coverage known.h5 --threshold -30dBm -o known_coverage.csv
good "a link of it" 'path loss' channel known.h5 --tx ap --rx desk -o known
for file in known.csv known_coverage.csv known/metrics.csv; do
    check "$file says so" grep -q '^# calibrated: 19 of 20 measured levels lie within 6\.4 dB of the prediction' "$file"
done
good "a picture of it" 'wrote picture.svg' map known.h5 --tx ap --quantity path-gain -o picture.svg
check "the picture says so" grep -q '19 of 20 measured levels lie within 6\.4 dB' picture.svg
good "a page of it" '' report known.h5 -o known.html
check "the page says so" grep -q '"level_interval":6\.4' known.html
check "a map of the other does not" sh -c '! grep -q calibrated map.csv'
bad "no interval" 3 'level_interval' run room.yaml --set 'level_interval=-1 dB' --dry-run
finish
