/* A scenario: what the user asked for, in SI units with every default filled in. The only module that knows YAML.
 * It checks what can be checked without looking at the plan; rasterizing and solving are for the rooms to the right. */
#pragma once

#include "api/plan/port.h"
#include "api/scenario.h"
#include "base/names.h"
#include "base/status.h"
#include "problem/absorber.h"
#include "problem/poles/pole.h"
#include "problem/stencil.h"
#include "scenario/antenna/antenna.h"

struct node; /* scenario_tree.h */

struct point {
    double x, y; /* m, origin at the lower left of the plan */
};

/* A material as written: by P.2040 name, or with its own values. */
struct material_choice {
    char name[NAME_SIZE]; /* P.2040 name ("brick", "metal"), or a description of own values */
    bool own_values;      /* the two numbers below were written by the user */
    bool perfect_conductor;
    double relative_permittivity; /* >= 1; with poles that of infinitely high frequency */
    double conductivity;          /* S/m, >= 0; of poles that are conductivities added up */
    struct pole poles[POLE_LIMIT];
    int pole_count;
    double fit_error;            /* of poles that were fitted: the largest relative error over the band; else 0 */
    const struct node *measured; /* while a scenario is read: where it names a CSV */
    double coating; /* while a scenario is read: ohm per square of a sheet on one face; then a shape of its own */
};

/* The film that a coating becomes (scenario/plan/scenario_coating.c), named by its sheet resistance, and how thin it
 * is.
 */
bool material_is_film(const struct material_choice *choice);
static const double FILM_THICKNESS = 1e-5; /* m */

/* Whether both are the same material, names aside. */
bool material_choices_equal(const struct material_choice *a, const struct material_choice *b);

/* In the order in which their lists are drawn. What came from a drawing are polygons under all that is written. */
enum shape_kind { SHAPE_DRAWN, SHAPE_RECTANGLE, SHAPE_POLYGON, SHAPE_CIRCLE, SHAPE_WALL, SHAPE_OPENING, SHAPE_BOX };

/* Heights count from the upper face of the lowest storey's floor. Everything that is drawn reaches from `low` to
 * `high`; `has_heights` is false where the scenario left them out, which means from the floor to the ceiling of its
 * storey. */
struct height_range {
    bool has_heights;
    double low, high; /* m; of a storey's own lists over its floor, of the plan's over the lowest one */
    bool top;         /* given as `top`: waves pass over it */
};

enum { EVERY_STOREY = -1 };

/* One drawing operation; later shapes lie over earlier ones. An opening is a rectangle of air, or of its own material:
 * a door, a window, a hole in a slab. A box is a rectangle with heights. */
struct shape {
    enum shape_kind kind;
    struct height_range z;
    int storey;           /* whose list it stands in; EVERY_STOREY: the plan's own, through all of them */
    struct point *points; /* (point_count), owned: two corners | polygon | centre | two ends of the centre line */
    int point_count;
    double radius;    /* m, circles */
    double thickness; /* m, walls */
    struct material_choice material;
    int line; /* in the scenario, for messages */
};

/* A wall so thick that its unit was probably forgotten or mistaken: over 2 m, or over 0.5 m and thicker than long. */
bool wall_is_stout(const struct shape *shape);

/* A colour of several layers, as a window with wall under and over it, has an entry for each, one after the other. */
struct legend_entry {
    uint8_t red, green, blue;
    struct material_choice material;
    struct height_range z;
    bool upper; /* a further layer of the colour of the entry before it */
};

/* A slab over the whole plan, or over a part of it; thickness 0: there is none. Everything else that is drawn at its
 * heights lies over it. */
struct slab_choice {
    double thickness; /* m */
    struct material_choice material;
    bool has_area;         /* it is a rectangle */
    struct point from, to; /* m: the rectangle's lower left and upper right corner */
};

/* One storey: room of `height` metres between its floor and its ceiling. The ceiling of a storey that has another over
 * it is that one's floor. */
struct storey_choice {
    char name[NAME_SIZE];
    double height; /* m, clear */
    struct slab_choice floor, ceiling;
    int line;
};

/* Furniture, cupboards, people: things that chance puts on the floor (plan/clutter/clutter.h). */
struct clutter_choice {
    double density;                    /* of the free floor, covered */
    double least, most;                /* m: sides of the things */
    struct material_choice *materials; /* (material_count), owned; each as likely */
    int material_count;
    int64_t seed;
    double height; /* m over the floor; NAN: to the ceiling */
    bool has_area;
    struct point from, to; /* m: lower left and upper right corner */
    int line;
};

struct plan_choice {
    char *image;                 /* path of a picture, owned, NULL when the plan is geometry alone */
    int image_line;              /* in the scenario, for messages */
    double pixel;                /* m per pixel */
    struct legend_entry *legend; /* (legend_count), owned */
    int legend_count;
    int tolerance; /* largest difference per colour channel that still matches the nearest legend entry, 0..255 */
    double width, height; /* m; 0 when the image decides */
    struct shape *shapes; /* (shape_count), owned, in drawing order */
    int shape_count;
    struct storey_choice *storeys; /* (storey_count), owned, from below; 0: the plan has no heights */
    int storey_count;
    struct clutter_choice *clutter; /* (clutter_count), owned */
    int clutter_count;
    double cut;  /* m: the height that a two-dimensional run of a plan with heights takes; NAN: that of the first
                    transmitter */
    double over; /* m: the height of a second cut, over what ends under the ceiling; NAN: none */
};

/* Height of the upper face of a storey's floor, m over the lowest floor. */
double storey_floor(const struct plan_choice *plan, int storey);

/* The storey in which, or in whose floor, a height lies; the lowest or highest for one outside. */
int storey_at(const struct plan_choice *plan, double z);

/* The lowest and the highest face of a plan with storeys, their slabs included, m over the lowest floor. */
double plan_low(const struct plan_choice *plan);
double plan_high(const struct plan_choice *plan);

/* From where to where a shape, or an entry of the legend, reaches in a plan with storeys, m over the lowest floor. What
 * stands in the plan's own lists without heights reaches from the lowest floor to the highest ceiling, slabs between
 * them included. */
struct height_range shape_heights(const struct plan_choice *plan, const struct shape *shape);
struct height_range legend_heights(const struct plan_choice *plan, const struct legend_entry *entry);

/* Where a terminal stands over its storey's floor when nothing is said, m. */
static const double TERMINAL_HEIGHT = PW_TERMINAL_HEIGHT;

/* How walls become values at nodes (medium/averaging_weight.h). */
enum averaging { AVERAGING_POINT, AVERAGING_AREA, AVERAGING_MOMENT, AVERAGING_BANDLIMITED, AVERAGING_COUNT };

/* One way of averaging; the table is in scenario_choices.c. */
struct averaging_rule {
    const char *name;        /* as written in YAML */
    const char *description; /* a clause for help texts */
    /* The default for schemes with a reach of one cell, for wider ones, or for none. */
    enum { DEFAULT_OF_NONE, DEFAULT_OF_REACH_ONE, DEFAULT_OF_WIDER } default_of;
    /* What the place of a dielectric face between the nodes adds to the error of a path
     * (discretize/forecast/error_law.h): `face` (k cell)^power, with dd4 `face_dd4`. */
    struct {
        double face, face_dd4, power;
    } error;
};
/* "ex", "ey", and "ez" or with horizontal polarisation in two dimensions "hz". */
const char *component_word(bool horizontal, int component);

/* The scheme that open choices begin with. */
enum { DEFAULT_SCHEME = SCHEME_FD4O };
const struct averaging_rule *averaging_rule(enum averaging averaging);
enum averaging averaging_default(enum scheme scheme);

/* The quality that is wanted, by which open choices are made: of the two numbers one is 0. */
struct accuracy_choice {
    double decibels; /* root mean square error of the mean power over a wavelength */
    double field;    /* relative error of the complex field */
};

/* What the user left open is chosen when the plan is known (discretize/choose.h). */
struct grid_choice {
    bool scheme_open, averaging_open;
    enum scheme scheme;
    enum averaging averaging;    /* open with an open scheme only; else averaging_default() */
    double cell;                 /* m; 0: open */
    double cells_per_wavelength; /* in the slowest medium, at the upper band edge; 0: not given */
    double courant;              /* as a fraction of the two-dimensional Yee limit; 0: open */
    struct absorber absorber;    /* default: that of absorber_listed(0); 0 cells where no end has a layer */
    /* The low end of the axis (x = 0, y = 0, in three dimensions the lowest face) is a plane of symmetry, a perfect
     * magnetic conductor, and has no absorber. */
    bool symmetric[3];
    bool half; /* three dimensions: fields are kept in 16 bits (problem/half.h) */
};

/* Ends of the axes as a scenario names them: entry 2 axis + (0: low, 1: high), NULL after the last. */
extern const char *const ABSORBER_SIDES[];

enum waveform_kind {
    WAVEFORM_GAUSSIAN,           /* exp(-((t-t0)/Ts)^2) */
    WAVEFORM_MODULATED_GAUSSIAN, /* the same times sin(2 pi f0 (t-t0)) */
    WAVEFORM_RICKER,             /* second derivative of a Gaussian, peak frequency f0 */
    WAVEFORM_DIFFERENTIATED_GAUSSIAN,
    WAVEFORM_SINUSOID, /* f0, with a raised-cosine ramp of `ramp` seconds */
    WAVEFORM_CONSTANT,
    WAVEFORM_SAMPLES, /* CSV of the user: time [s], current [A], linear in between */
    WAVEFORM_COUNT
};
enum { DEFAULT_WAVEFORM = WAVEFORM_MODULATED_GAUSSIAN };

/* One kind of waveform, and which keys beside kind and amplitude it takes; the table is in scenario_choices.c. A kind
 * with a ramp lasts to the end of the run; one with neither ramp nor file is a pulse. */
struct waveform_rule {
    const char *name;        /* as written in YAML */
    const char *description; /* a clause for help texts */
    bool frequency, width, ramp, delay, file;
};
const struct waveform_rule *waveform_rule(enum waveform_kind kind);

struct waveform_choice {
    enum waveform_kind kind;
    double amplitude;  /* A (soft) or V/m (hard), default 1 */
    double frequency;  /* Hz, f0 */
    double width;      /* s, Ts; 0: chosen from the band (-10 dB at the edges) */
    double delay;      /* s, t0; NAN: chosen so that the pulse starts below 1e-6 of its peak */
    double ramp;       /* s */
    bool centre_alone; /* of previews: nothing but the band's centre is asked for */
    char *file;        /* owned, WAVEFORM_SAMPLES */
};

enum source_kind { SOURCE_SOFT, SOURCE_HARD };

struct direction {
    double x, y, z;
};

/* Equal antennas in rows and columns; rows 0: there is one antenna (antenna/antenna_array.h). */
struct antenna_array {
    bool upright;                   /* upa, with rows; else ula, one row */
    int rows, columns;              /* elements */
    double pitch[2];                /* m, between rows and between columns */
    double bearing, downtilt, roll; /* rad: the way it looks, as of antennas; roll clockwise as seen from behind */
    /* Of an element: the terminal's own, or two ports at -45 and 45 degrees, or vertical and horizontal. */
    enum array_polarisation { ARRAY_OWN, ARRAY_CROSS, ARRAY_VH } polarisation;
};

struct transmitter_choice {
    char name[NAME_SIZE];
    pw_port port;
    struct point at, to;      /* `to` equals `at` for a point source, else the far end of a line source */
    double height, to_height; /* m over the lowest floor; NAN where the scenario leaves it out */
    /* Of unit length; vertical: (0, 0, 1), which with horizontal polarisation in two dimensions is a loop: a magnetic
     * line current along z. */
    struct direction polarisation;
    /* Three dimensions: a Hertzian dipole is a current moment at a point; a half-wave dipole a current line of half a
     * wavelength at the band's centre, its current a half sine. Two: a pattern's azimuth cut is in the field
     * (discretize/antenna/array.h), what is left of any antenna is for the step to three dimensions. */
    struct antenna antenna;
    double power;     /* dBm, EIRP; default 20 */
    double conducted; /* dBm into the antenna, where the scenario gives that: power is then that and the gain */
    bool has_conducted;
    pw_wifi_channel channel; /* number 0: none is given */
    enum source_kind source;
    bool sampled_at_step_end; /* current of step n taken at (n+1) dt instead of (n+1/2) dt: paper 003, table 6 */
    struct waveform_choice waveform;
    int line;
};

struct receiver_choice {
    char name[NAME_SIZE];
    struct point at;
    double height;                 /* m over the lowest floor; NAN where the scenario leaves it out */
    struct direction polarisation; /* of unit length: the component of E that is received, or a loop that takes in Hz */
    double gain;                   /* dBi, default 0, of a pattern its own */
    struct antenna antenna;        /* two dimensions; in three a component of the field is received */
    pw_port port;
    int line;
};

/* What is kept of the field at a receiver. */
enum receiver_record {
    RECORD_AUTO,   /* spectra for grids, lines and files where there are more than RECORDED_LIMIT receivers */
    RECORD_STEPS,  /* Ez at every step */
    RECORD_SPECTRA /* the running spectra, which takes no memory of its own: in two dimensions at the nearest point of
                    * their lattice, in three between the points of the nearest plane */
};
enum { RECORDED_LIMIT = 200 };

/* One entry of the list of receivers as written: a point, or many. */
enum receiver_kind { RECEIVER_POINT, RECEIVER_LINE, RECEIVER_GRID, RECEIVER_FILE };
struct receiver_entry {
    enum receiver_kind kind;
    char name[NAME_SIZE];  /* of a point; of many the beginning of their names: NAME_1, NAME_2, ... */
    struct point from, to; /* of a point both the same */
    /* m over the lowest floor, of a file over its storey's; NAN where the scenario leaves it out */
    double height, to_height;
    int storey; /* of a file: the one from whose floor its heights count; EVERY_STOREY: the lowest */
    struct direction polarisation;
    double spacing; /* m, grids and lines; 0: a line has a count */
    int count;      /* of a line, both ends included */
    char *file;     /* owned: a CSV of points, x, y, a name, or with z before it */
    double gain;    /* dBi */
    struct antenna antenna;
    struct antenna_array array; /* at each point */
    pw_port port;               /* of a point that is one antenna of a station */
    enum receiver_record record;
    int line;
};

/* Three dimensions: a vertical cut, from `from` to `to`, which lie along x or along y of each other, through all
 * heights of the building. */
struct cut_choice {
    struct point from, to;
};

enum { HEIGHT_LIMIT = PW_SCENARIO_HEIGHTS }; /* planes of spectra, and cuts of spectra */

struct spectra_choice {
    bool enabled;
    /* Three dimensions: horizontal planes at these heights [m over the lowest floor] (none, and no cuts: 1.5 m over
     * every storey's floor), and vertical cuts; on each the components of E that are named. */
    double heights[HEIGHT_LIMIT];
    int height_count;
    struct cut_choice cuts[HEIGHT_LIMIT];
    int cut_count;
    /* Ex, Ey, Ez (with horizontal polarisation in two dimensions Hz); default the last alone, and what receivers of the
     * spectra take in. */
    bool components[3];
    bool components_open;
    int count;   /* frequencies, equally spaced over the band, both edges included (1: the centre); 0: open */
    int spacing; /* cells between sampled nodes; 0: open */
    bool has_region;
    struct point from, to; /* m, region corners */
    int every;             /* steps between samples; 0: by the aliasing rule */
    double aliasing;       /* dB, margin of the aliasing rule, default 80 */
    bool warp;             /* frequency warping, default on */
};

struct stop_choice {
    double after;    /* s; 0: open, unless there are steps */
    int64_t steps;   /* 0: not given */
    double decay;    /* dB, negative; 0: no stop by decay */
    bool decay_open; /* nothing was said of it */
};

/* Over the band, rows of the material table are fitted where constant values would be far off, always or never. */
enum material_mode { MATERIALS_AUTO, MATERIALS_CONSTANT, MATERIALS_FITTED };

struct scenario {
    char *file;                       /* name for messages, owned */
    char *title;                      /* owned */
    char *text;                       /* resolved scenario as YAML, owned */
    double level_interval;            /* dB: 19 of 20 levels lie so near to the prediction; 0: nobody has measured */
    int dimensions;                   /* 2 or 3 */
    bool horizontal;                  /* two dimensions: polarisation horizontal (Ex, Ey, Hz) in place of Ez */
    double band_centre, band_width;   /* Hz */
    enum material_mode material_mode; /* of the table's rows; one that is fitted becomes a material of own values */
    struct accuracy_choice accuracy;
    struct plan_choice plan;
    struct grid_choice grid;
    struct antenna_pattern **patterns; /* (pattern_count), owned, as each of them: of all terminals */
    int pattern_count;
    size_t pattern_room;
    struct transmitter_choice *transmitters; /* (transmitter_count >= 1), owned */
    int transmitter_count;
    struct receiver_entry *receiver_entries; /* (receiver_entry_count >= 0), owned */
    int receiver_entry_count;
    struct receiver_choice *receivers; /* (receiver_count >= 0), owned: those whose field is recorded at every step */
    int receiver_count;
    struct receiver_choice *lattice_receivers; /* (lattice_receiver_count >= 0), owned: those of the running spectra */
    int lattice_receiver_count;
    struct spectra_choice spectra;
    struct stop_choice stop;
    bool (*go_on)(void *user); /* asked by set-ups; NULL: nobody */
    void *go_on_user;
};

/* Whether a run solves the plan's second cut as well. */
bool scenario_has_over(const struct scenario *scenario);

/* Whether the set-up of a scenario is still wanted. */
static inline bool scenario_is_wanted(const struct scenario *scenario)
{
    return scenario->go_on == NULL || scenario->go_on(scenario->go_on_user);
}

/* The scenario as YAML with every key that is decided; the caller owns *text. */
pw_status scenario_write(const struct scenario *scenario, char **text, pw_error *error);

/* The same for a file of its own, `path`: the files that the scenario reads are named as seen from its folder, and must
 * be there. The scenario is as before afterwards. */
pw_status scenario_write_for(struct scenario *scenario, const char *path, char **text, pw_error *error);

/* The files that a scenario names and that are there, in the order of its text: a line "size checksum name" each,
 * without folders. The caller owns *text. */
pw_status scenario_files_write(const struct scenario *scenario, char **text, pw_error *error);
