#!/bin/sh
# Names in other alphabets: rooms, access points and materials are called as people call them. Every command that takes or tells a name,
# and every file that one goes into.
. tests/support/script.sh
cat > büro.yaml << 'END'
title: Büro
plan:
  size: [3 m, 2 m]
  walls: [{from: [1.5 m, 0 m], to: [1.5 m, 1.2 m], thickness: 10 cm, material: {name: hormigón, relative_permittivity: 5, conductivity: 0.05 S/m}}]
band: {centre: 1 GHz, width: 200 MHz}
grid: {cell: 4 cm}
transmitters: [{name: recepción, at: [0.8 m, 1 m]}, {name: 客厅, at: [2.4 m, 1.4 m]}]
receivers: [{name: Küche 1, at: [2.2 m, 0.6 m]}, {file: puntos.csv}]
spectra: {spacing: 1 cells}
END
printf '\357\273\277x,y,nombre\n2.5,1.5,склад\n' > puntos.csv
run run büro.yaml -o büro.h5 --backend cpu --progress none
check "a scenario with such names is solved" [ "$status" -eq 0 ]
good "info tells them, in columns" '^  客厅           at .2.4' info büro.h5
good "channel takes them" 'wrote recepción-склад/' channel büro.h5 --tx recepción --rx склад -o recepción-склад
check "its files know them" grep -q 'receiver: склад' recepción-склад/metrics.csv
good "a table of all pairs" 'wrote pairs.h5' channel büro.h5 --rx all -o pairs.h5
check "with them" grep -q '"客厅","Küche 1"' pairs.csv
good "coverage" ' recepción +客厅' coverage büro.h5 --threshold -40dBm
good "maps" 'wrote mapa.svg' map büro.h5 --quantity best-server -o mapa.svg
check "with their letters" grep -q '客厅' mapa.svg
good "the report" 'wrote' report büro.h5 -o büro.html
good "rasterize tells the material" '^hormigón                                5 ' rasterize büro.yaml -o r.png
good "export" 'wrote' export büro.yaml -o büro.geojson
check "as UTF-8" grep -q '"客厅"' büro.geojson
good "sensitivity to it" 'hormigón:permittivity' sensitivity büro.yaml --tx 客厅 --rx склад --vary hormigón:permittivity
good "a result agrees with itself" 'identical' compare büro.h5 büro.h5
{
    echo x,y,transmitter,power
    for n in 1 2 3 4 5 6 7 8; do
        echo "0.$n,0.$n,recepción,-3$n"
        echo "2.$n,1.$n,客厅,-2$n"
    done
} > medido.csv
good "joint calibration" '客厅' calibrate büro.h5 --joint --measured medido.csv --blocks 5cm
good "frames are named in ASCII" 'wrote' run büro.yaml -o frames.h5 --backend cpu --frames frames --set 'stop.after=5 ns'
check "by number" sh -c 'ls frames | grep -q "^tx2-"'
bad "half a letter is no name" 3 'incomplete UTF-8' run büro.yaml --set "transmitters.0.name=$(printf 'caf\303')" -o no.h5
bad "nor is what cannot be seen" 3 'is no name; allowed' run büro.yaml --set "transmitters.0.name=$(printf 'a\342\200\213b')" -o no.h5
bad "a name that is not there" 3 "'кухня'" channel büro.h5 --tx кухня -o no
finish
