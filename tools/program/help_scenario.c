/* The text of `planwave help scenario`: every key, what it means, its default; the words that a key may have come from
 * the library's tables. */
#include "program/tool.h"

#include <string.h>

static const char BEFORE_IMAGE[] =
    "A scenario is a YAML file. Quantities have units (2.4 GHz, 2 cm, 386 ns, -60 dB, 20 dBm); a bare number is "
    "SI.\n"
    "The origin is the lower left corner of the plan; x grows to the right and y upwards. A star marks a key that\n"
    "must be given.\n\n"
    "title                    a text for pictures and tables; default: the name of the file\n"
    "level_interval           as in 6.4 dB: 19 of 20 measured levels lie so near to the prediction. calibrate --joint\n"
    "                         writes it into the fitted scenario, and maps and tables of its runs say it\n"
    "dimensions               2 (default) or 3. A plan with heights is good for both\n"
    "polarisation             of the field in two dimensions: vertical (default; Ez) or horizontal (Ex, Ey, Hz).\n"
    "                         With both, metal lies at its place between the nodes, but in the\n"
    "                         absorber and a few cells before it\n"
    "plan *                   a picture, a drawing, or a size with shapes; shapes lie over a picture or a drawing\n";

static const char AFTER_IMAGE[] =
    "  pixel                  side of a pixel, as in 1 cm\n"
    "  legend                 colours to materials: {\"#000000\": brick, \"#ffffff\": air}\n"
    "  tolerance              largest difference from a colour of the legend, per channel, 0 (default) to 255. With "
    "16\n"
    "                         or so, pixels of smooth edges are divided between the two materials that meet there\n"
    "  size                   [width, height], without a picture or a drawing\n"
    "  rectangles             - {from: [x, y], to: [x, y], material: M}\n"
    "  polygons               - {points: [[x, y], ...], material: M}\n"
    "  circles                - {centre: [x, y], radius: R, material: M}\n"
    "  walls                  - {from: [x, y], to: [x, y], thickness: T, material: M}, or of layers, the first on the\n"
    "                         left of the way from `from` to `to`: {from: [x, y], to: [x, y], layers: [{material: "
    "glass,\n"
    "                         thickness: 4 mm}, {material: air, thickness: 16 mm}, {material: glass, thickness: 4 mm,\n"
    "                         coating: 5 ohm}]}\n"
    "  coating                of a rectangle, polygon, wall, layer, box, or an opening with a material: a conducting\n"
    "                         film on a face, by its sheet resistance in ohm per square: 5 ohm, or {resistance: 5 "
    "ohm,\n"
    "                         side: left (default), right or both}. Left is as of a wall's layers; an upright "
    "rectangle\n"
    "                         counts as drawn upwards, a lying one to the right; a polygon has it on its longest side\n"
    "  openings               - {from: [x, y], to: [x, y]}, a rectangle of air, or of its material\n"
    "  boxes                  - {from: [x, y, z], to: [x, y, z], material: M}, in a plan with storeys\n"
    "                         a later entry covers earlier ones, and a later list of these six the earlier lists\n"
    "  a material M           a name of ITU-R P.2040-4 (planwave info --materials), or\n"
    "                         {relative_permittivity: 2.89, conductivity: 0.002 S/m}, or {perfect_conductor: "
    "true}\n"
    "                         With coating: 5 ohm it has a film on one face. Coated glass by name: low-e glass (5 "
    "ohm),\n"
    "                         low-e glass double silver (2.5 ohm), low-e glass hard coat (15 ohm), metal-coated glass\n"
    "                         (10 ohm); foil is metal\n"
    "  poles                  of a material of own values: what depends on frequency, any number up to 16 of\n"
    "                         {kind: debye, strength: 73.2, relaxation_time: 8.3 ps},\n"
    "                         {kind: lorentz, strength: 1, frequency: 2 GHz, damping: 100 MHz},\n"
    "                         {kind: drude, frequency: 2 GHz, damping: 10 MHz}, {kind: conductivity, conductivity: 0.1 "
    "S/m};\n"
    "                         relative_permittivity is then that of infinitely high frequency\n"
    "                         or {measured: FILE.csv}, lines 'frequency [Hz], relative_permittivity, loss' (or, with "
    "a\n"
    "                         header that says so, conductivity in S/m), to which poles are fitted over the band\n"
    "  fit_error              of fitted poles: how far they are off the values at most; planwave writes it\n"
    "materials                of names of ITU-R P.2040-4: constant: their values at the band's centre; fitted: over "
    "the\n"
    "                         whole band, by up to five poles and a conductivity; or auto (default): fitted where "
    "constant\n"
    "                         values would be more than 2 % off somewhere in the band\n";

/* Of drawings of other programs. */
static const char DRAWING[] =
    "  drawing                a file of another program; planwave import writes these keys, and planwave help import "
    "lists\n"
    "                         the formats. A storey may have one too\n"
    "    file *               path from the folder of the scenario\n"
    "    page                 of a file with several floors: the name of one\n"
    "    unit                 how long a unit of the drawing is, of a picture a pixel, as in 1 mm; or\n"
    "    scale                {from: [x, y], to: [x, y], length: 12.4 m}, two of its points and how far they are "
    "apart\n"
    "    turn                 an angle, counterclockwise, as in 3 deg\n"
    "    region               [x0, y0, x1, y1] in units of the drawing, after the turn: what becomes the plan; "
    "default:\n"
    "                         all that is drawn, and around it\n"
    "    margin               of air, default 1 m\n"
    "    classes              what every layer, colour or type of wall stands for, the first name or pattern that "
    "fits:\n"
    "                           A-WALL*: brick                walls, as wide as they are drawn\n"
    "                           A-FURN: ignored\n"
    "                           WALLS: {as: walls, material: brick, thickness: 12 cm, z: [0 m, 2.1 m]}\n"
    "                         as: walls (default), faces (two lines beside each other, apart: [5 cm, 45 cm]), rooms\n"
    "                         (walls along the outlines of areas), openings (doors and windows, as they are drawn),\n"
    "                         windows (panes in the middle of what is drawn for each: panes: 2, gap: 16 mm between "
    "them),\n"
    "                         doors (a leaf, or without a material open; arcs are understood) or ignored. The word\n"
    "                         gaps: ignored, but lines and arcs that fill gaps of walls are windows and doors, which "
    "the\n"
    "                         classes \"window gaps\" and \"door gaps\" say what they are made of\n"
    "    picture              how a picture is read, lengths in pixels: scan (dark ink on paper, instead of colours),\n"
    "                         threshold (1 to 255, or local), tolerance (of colours), corners and sides (four points "
    "of\n"
    "                         a photographed rectangle, and its width and height), deskew (turned so that edges run\n"
    "                         along the axes), speck (areas and holes up to this size are dropped), hollow (between\n"
    "                         lines up to this far apart is a wall), thinnest and thickest (of strokes that are "
    "walls),\n"
    "                         marks (areas up to this long that are not built along walls, as arrows, are dropped),\n"
    "                         gap (openings up to this are closed), openings (gaps up to this are windows where thin "
    "lines\n"
    "                         run through them, doors where an arc is drawn), straight (edges are set along the "
    "walls'\n"
    "                         direction)\n";

/* Heights of a plan. */
static const char STOREYS[] =
    "  clutter                furniture, cupboards and people at random places on the free floor: empty, home, "
    "office,\n"
    "                         warehouse; or {preset: home, seed: 3}; or {density: 11 %, size: [40 cm, 1.2 m], "
    "materials:\n"
    "                         [wood, metal]}; or a list of such maps. The density is the share of the floor, sizes "
    "are\n"
    "                         sides, each material is as likely. seed (default 1) draws another floor; height (of "
    "plans\n"
    "                         with storeys; default: to the ceiling); from, to (corners of a part of the floor).\n"
    "                         planwave uncertainty --vary clutter:seed maps the P10 and P90 over draws\n"
    "  storey                 what three dimensions need, of a plan of one storey: {height: 2.6 m, floor: F, ceiling: "
    "F}.\n"
    "                         The height is that of the room; F is none (default) or {material: M, thickness: T}, a\n"
    "                         slab over the whole plan, or with from: [x, y], to: [x, y] over a part of it\n"
    "  storeys                a list of such storeys, from below, each with its own name and lists of shapes. "
    "The\n"
    "                         ceiling of one is the floor of the next and is given once. Heights count from the upper\n"
    "                         face of the lowest floor, in a storey's lists from its own floor; the plan's lists\n"
    "                         go through all storeys, and what a storey draws covers them\n"
    "  z: [from, to]          of any shape: its heights; default: floor to ceiling. Of a legend's colour: {material: "
    "M,\n"
    "                         z: [from, to]}, or a list of such layers, as of a window with wall under and over it\n"
    "  sill, head, material   of an opening in a plan with storeys: a window is {from: [x, y], to: [x, y], sill: 90 "
    "cm,\n"
    "                         head: 2.1 m, material: glass}; with z it cuts through slabs as well\n"
    "  top: H                 of any shape but boxes, and of a legend's colour: the same as z: [0, H], of a cupboard "
    "or a\n"
    "                         partition that ends under the ceiling. In two dimensions the plan is then solved twice,\n"
    "                         under and over the tops, and --spreading storey sends power over them\n"
    "  cut                    the height at which a run in two dimensions cuts a plan with storeys; default: that of\n"
    "                         the first transmitter, or 1.2 m; with a top 1.2 m or half of the highest, if that is "
    "less\n"
    "  over                   the height of the second cut; default: half way from the highest top to the ceiling; "
    "none:\n"
    "                         the first cut alone. Also for what has z, sill or head\n";

static const char BEFORE_SCHEME[] =
    "band *                   2.4 GHz, or {centre: 2.4 GHz, width: 600 MHz}: the frequencies wanted; default\n"
    "                         width: 100 MHz, or a fifth of the centre where that is less\n"
    "accuracy                 what planwave chooses by: the forecast error of local mean powers, default 1 dB,\n"
    "                         or of the complex field, as in 5 %\n"
    "grid                     everything in it may be auto, and is chosen where nothing is said\n"
    "  cell                   side of a cell, as in 2 cm; or cells_per_wavelength: N, at the upper band edge in\n"
    "                         the slowest material of the plan\n";

static const char BEFORE_ABSORBER[] =
    "  courant                part of the two-dimensional Yee limit; default: the largest stable one\n"
    "  symmetry               [x], [y], [x, y], ...: the low ends of these axes are planes of symmetry (perfect\n"
    "                         magnetic walls), so that half or a quarter of a plan is solved\n"
    "  storage                in three dimensions: full (default), or half: fields are kept in 16 bits, eight values "
    "to\n"
    "                         an exponent. Half the memory, and 0.7 of the speed on a GPU; the noise that it adds\n"
    "                         is told before the run. Single precision, one device\n";

static const char AFTER_ABSORBER[] =
    "                         berenger: what rounding leaves grows with time in single precision, about 2e-6 of\n"
    "                         the peak in 10 000 steps\n"
    "    kappa                cpml: how much the coordinate is stretched at the wall, from 1; default 8\n"
    "    alpha                cpml: shifted pole: multiples of c over the layer's thickness, default 5/cells,\n"
    "                         or as in the literature with its unit: 0.05 S/m\n"
    "    sides                kinds of single ends, as in {x_low: pec, y_high: cpml}; of x, y and in three dimensions\n"
    "                         z, low or high; others are of `kind`. At pec the plan's edge is a metal wall, and\n"
    "                         the cell is chosen so that it divides the plan; at pmc, for low ends, it is a plane of\n"
    "                         symmetry, as by `symmetry`; mur goes with these two alone\n";

static const char BEFORE_WAVEFORM[] =
    "transmitters *           planwave runs one simulation for each\n"
    "  - at *                 [x, y] or [x, y, z]; with to: [x, y] or [x, y, z] a line source between the two\n"
    "    height, storey       z instead of in at; over the floor of this storey, where the default is 1.5 m. In two\n"
    "                         dimensions links between ends that both have one are slanted (planwave help metrics)\n"
    "    polarisation         in three dimensions: vertical (default), x, y or a direction [a, b, c]; with horizontal\n"
    "                         polarisation in two: loop (default; alike all around), x, y or a direction [a, b]\n"
    "    antenna              in three dimensions: hertzian (default; a short dipole), half-wave or a pattern.\n"
    "                         In two: isotropic (default; alike all around), these, or a pattern, which needs a\n"
    "                         point and vertical polarisation: {pattern: P, bearing: 30 deg, downtilt: 6 deg}.\n"
    "                         P is a file in the Planet format (.msi, .pln), one of the antennas below, or a\n"
    "                         form: tr38901 (an element of 3GPP TR 38.901), patch, sector. The bearing counts\n"
    "                         clockwise from y, as on a compass; the downtilt is mechanical, and a tilt that the\n"
    "                         file is made with is in its cuts. The field carries the azimuth cut, in three\n"
    "                         dimensions all of the pattern, with roll (clockwise as seen from behind) and slant:\n"
    "                         45 deg in place of polarisation; the dry run says how well.\n"
    "                         Or an array of equal antennas, {array: ula, elements: 4} in a row or {array: upa,\n"
    "                         elements: [2, 4]} in rows and columns (three dimensions). It stands upright and looks\n"
    "                         along bearing, downtilt and roll; spacing: 0.5 wavelengths (default), a length, or of "
    "upa\n"
    "                         two, between rows and between columns; element: one of the antennas above;\n"
    "                         polarisation: cross (two ports at -45 and 45 degrees) or vh, in three dimensions. It\n"
    "                         becomes one transmitter an antenna, NAME.1, NAME.2, ..., each with an equal share of "
    "the\n"
    "                         power and a simulation of its own. They count as in Sionna: down a column, column by\n"
    "                         column from the left as seen from the front, polarisation by polarisation\n"
    "    port                 {number: 2, array: [1, 4, 1]}: the transmitter NAME.2 is such an antenna of the station\n"
    "                         NAME, of rows, columns and polarisations; antennas stand one after the other\n"
    "    name                 default tx1, tx2, ...\n"
    "    power                EIRP: what the antenna's main direction sends, gain included; default 20 dBm\n"
    "    conducted_power      in its place: what enters the antenna; the EIRP is that and the antenna's gain\n"
    "    channel              of Wi-Fi, in the band of the scenario: 36, or {number: 36, width: 80 MHz, band: 5 GHz};\n"
    "                         width 20 MHz (default), 40, 80, 160 or 320 MHz. Transmitters on channels that do not\n"
    "                         overlap do not interfere (sinr); one without a channel interferes with all\n"
    "    source               soft (default; a line current, A) or hard (the field itself, V/m)\n"
    "    sampled_at           when in a step the current is taken: midpoint (default) or end\n";

static const char AFTER_WAVEFORM[] =
    "receivers\n"
    "  - at *                 [x, y] or [x, y, z]; or many at once, named NAME_1, NAME_2, ...:\n"
    "    from, to             the ends of a line, with count: N (both ends included) or spacing: LENGTH\n"
    "    grid                 {from: [x, y], to: [x, y], spacing: LENGTH}, row by row from the lower left\n"
    "    file                 a CSV beside the scenario, a line x,y or x,y,name or x,y,z,name for each; with a "
    "heading\n"
    "                         x,y,z or in three dimensions x,y,z as well\n"
    "    height, storey, polarisation\n"
    "                         as those of transmitters; of a file the storey from whose floor its heights count\n"
    "    name, gain           default rx1, rx2, ...; 0 dBi, with an antenna that one's gain\n"
    "    antenna              as those of transmitters. In two dimensions a pattern weighs what arrives by its\n"
    "                         direction, which the running spectra in a disc of air around the receiver tell. In\n"
    "                         three half-wave takes in the field along the dipole; without an antenna a receiver "
    "takes\n"
    "                         in the field at a point, along its polarisation, at 0 dBi. Antennas of an array are\n"
    "                         recorded at every step, each at its own place\n"
    "    port                 as of transmitters\n"
    "    record               steps: the field at every step; spectra: that of the running spectra, which costs no\n"
    "                         memory: of the nearest point, in three dimensions of the nearest plane at the place\n"
    "                         itself; auto (default): spectra for lines, grids and files where there are more than\n"
    "                         200 receivers in all\n"
    "antennas                 patterns for several transmitters or receivers\n"
    "  - name *               what these call it\n"
    "    file                 .msi or .pln; a far field of CST or Feko, .ffs or .ffe, with ahead: z where it\n"
    "                         looks along z and not x, and up (z, or x); or in its place\n"
    "    form                 tr38901, patch, short-dipole, half-wave-dipole or sector; of that beam_width: 65 deg or\n"
    "                         [65 deg, 40 deg] in azimuth and elevation, front_to_back: 30 dB, gain; or in its place\n"
    "    horizontal, vertical losses in dB at equal steps once around, as in \"0 0.1 0.5 ...\": clockwise from "
    "straight\n"
    "                         ahead, and from straight ahead downwards; with gain, make, frequency, electrical_tilt\n"
    "spectra                  running Fourier transforms, on (default) or off, or:\n"
    "  count                  frequencies over the band, both edges included; default: so many that a\n"
    "                         profile does not fold into itself\n"
    "  spacing                cells between points; default: two points per wavelength, in three dimensions five\n"
    "                         where receivers are taken from them\n"
    "  region                 [x0, y0, x1, y1]; default: the whole plan\n"
    "  every                  steps between samples; default auto, by the aliasing margin\n"
    "  aliasing               the aliasing margin, default 80 dB\n"
    "  heights                in three dimensions: of the planes, as in [1.2 m, 4 m]; default: those of receivers\n"
    "                         that are taken from the spectra, and 1.5 m over every other floor\n"
    "  cuts                   - {from: [x, y], to: [x, y]}, vertical ones along x or y, through all heights\n"
    "  components             of [ex, ey, ez]; default [ez], and those that such receivers take in. With horizontal\n"
    "                         polarisation hz stands in place of ez\n"
    "  warp                   evaluate at the frequencies at which time stepping is exact: on (default), off\n"
    "stop                     when a run ends: at whichever comes first\n"
    "  after, steps           a simulated time, default: twice what the decay is forecast to take; a number of steps\n"
    "  decay                  energy in the field relative to its peak, as in -60 dB, or off; default: -50 dB, or\n"
    "                         less where the forecast error is small, or where the energy falls a good part of\n"
    "                         that within 1/(band width); off where steps are given\n\n"
    "Any key may be set on the command line: planwave run flat.yaml --set 'grid.cell=1 cm' --set "
    "spectra.count=64\n";

/* "a, b (default), c" */
static void print_words(pw_choice_kind kind, FILE *out)
{
    pw_choice choice;
    for (size_t n = 0; (choice = pw_choice_describe(kind, n)).name != NULL; n++) {
        fprintf(out, "%s%s%s", n > 0 ? ", " : "", choice.name, choice.is_default ? " (default)" : "");
    }
}

/* One line for each word. */
static void print_lines(pw_choice_kind kind, FILE *out)
{
    pw_choice choice;
    int width = 0;
    for (size_t n = 0; (choice = pw_choice_describe(kind, n)).name != NULL; n++) {
        int length = (int)strlen(choice.name);
        width = length > width ? length : width;
    }
    for (size_t n = 0; (choice = pw_choice_describe(kind, n)).name != NULL; n++) {
        fprintf(out, "%27s%-*s  %s%s\n", "", width, choice.name, choice.description,
                choice.is_default ? " (default)" : "");
    }
}

void help_scenario(FILE *out)
{
    fputs(BEFORE_IMAGE, out);
    fprintf(out, "  %-22s ", "image");
    print_words(PW_PLAN_FORMATS, out);
    fputs(", path from the folder of the scenario; needs pixel and legend\n", out);
    fputs(AFTER_IMAGE, out);
    fputs(DRAWING, out);
    fputs(STOREYS, out);
    fputs(BEFORE_SCHEME, out);
    fprintf(out, "  %-22s ", "scheme");
    print_words(PW_SCHEMES, out);
    fprintf(out, "\n  %-22s how walls become values at the nodes:\n", "averaging");
    print_lines(PW_AVERAGINGS, out);
    fputs(BEFORE_ABSORBER, out);
    fprintf(out, "  %-22s {kind: K, cells: N, order: M, reflection: R}, the kinds being:\n", "absorber");
    print_lines(PW_ABSORBERS, out);
    fputs(AFTER_ABSORBER, out);
    fputs(BEFORE_WAVEFORM, out);
    fprintf(out,
            "    %-20s {kind: K, amplitude: 1, frequency: band centre, width: auto, delay: auto}, ramp or file where\n"
            "%24s the kind has one. width: auto fills the band, and at least 200 MHz; one that misses the band\n"
            "%24s is refused. The kinds are:\n",
            "waveform", "", "");
    print_lines(PW_WAVEFORMS, out);
    fputs(AFTER_WAVEFORM, out);
}
