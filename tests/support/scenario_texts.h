/* Two scenarios as text: every key, and as little as there can be. */
#ifndef SCENARIO_TEXTS_H
#define SCENARIO_TEXTS_H

/* The example of the manual, on one page. */
static const char FULL[] =
    "title: Flat, access point in the corridor\n"
    "plan:\n"
    "  image: flat.png\n"
    "  pixel: 2 cm\n"
    "  tolerance: 3\n"
    "  legend:\n"
    "    \"#000000\": brick\n"
    "    \"#3060C0\": {relative_permittivity: 2.89, conductivity: 0.002 S/m}\n"
    "    \"#ffffff\": air\n"
    "  size: [15.36 m, 12 m]\n"
    "  openings:   [{from: [7.2 m, 1.28 m], to: [8.1 m, 1.2 m]}]\n"
    "  rectangles: [{from: [1.2 m, 1.2 m], to: [14.16 m, 1.28 m], material: brick}]\n"
    "  polygons:   [{points: [[2 m, 2 m], [3 m, 2 m], [3 m, 4 m]], material: wood}]\n"
    "  circles:    [{centre: [6.1 m, 5.6 m], radius: 25 cm, material: Ceiling_board}]\n"
    "  walls:      [{from: [1 m, 2 m], to: [5 m, 3 m], thickness: 8 cm, material: {perfect_conductor: true}}]\n"
    "grid:\n"
    "  scheme: dd3\n"
    "  cell: 2 cm\n"
    "  courant: 0.25\n"
    "  averaging: area\n"
    "  absorber: {kind: upml, cells: 10 cells, order: 3, reflection: 1.125e-7}\n"
    "band: {centre: 2.4 GHz, width: 600 MHz}\n"
    "transmitters:\n"
    "  - {name: ap1, at: [7.68 m, 7.68 m], power: 17 dBm}\n"
    "  - name: line.2\n"
    "    at: [1 m, 1 m]\n"
    "    to: [2 m, 1 m]\n"
    "    power: 100 mW\n"
    "    source: hard\n"
    "    sampled_at: end\n"
    "    waveform: {kind: gaussian, width: 0.5 ns, delay: 1.5 ns, amplitude: 2}\n"
    "  - {at: [3, 3], waveform: {kind: samples, file: pulse.csv}}\n"
    "receivers:\n"
    "  - {name: north, at: [7.68 m, 10.24 m]}\n"
    "  - {name: far away, at: [1, 1], gain: 3 dBi}\n"
    "spectra: {count: 232, spacing: 4 cells, region: [3, 4, 1, 2], every: 8, aliasing: 60 dB, warp: off}\n"
    "stop: {after: 386.44 ns, steps: 4096, decay: -60 dB}\n";

static const char SMALL[] = "plan: {size: [4, 3]}\n"
                            "grid: {cell: 2 cm}\n"
                            "band: {centre: 2.4 GHz, width: 600 MHz}\n"
                            "transmitters: [{at: [1, 1]}]\n"
                            "stop: {after: 100 ns}\n";

#endif
