/* The plan of a scenario: its storeys and shapes as they are written, and the plan itself, looked at without a grid.
 * And materials by name. */
#ifndef PLANWAVE_PLAN_H
#define PLANWAVE_PLAN_H

#include "api/bench.h"
#include "api/plot.h"
#include "api/scenario.h"

PW_C_BEGIN

/* ---- materials by name; pw_material_describe lists them ---- */

/* The table's spelling of `name` ("ceiling_board" is "ceiling board", "vacuum" is "air", "pec" is "metal"), or NULL
 * when unknown. */
const char *pw_material_canonical(const char *name);

/* The table's name for what builders call otherwise ("drywall" is "plasterboard"); NULL when there is none. It is a
 * hint and no alias: what the user calls tile may be ceramic. */
const char *pw_material_meant(const char *name);

/* Every known name, comma separated, into `text`, which is returned. */
const char *pw_material_names(char *text, size_t size);

/* The row of a canonical name that covers the frequency [Hz], else the one whose range is nearest. */
pw_material pw_material_at(const char *name, double frequency);

/* ---- as it is written ---- */

typedef struct pw_plan_facts {
    double width, height; /* m; 0 where a picture decides */
    const char *image;    /* path of the picture; NULL: the plan is shapes alone */
    int storey_count;     /* 0: the plan has no heights */
    int shape_count;
} pw_plan_facts;
pw_plan_facts pw_scenario_describe_plan(const pw_scenario *scenario);

/* Storeys count from 0, from below; the index must be one of them. */
typedef struct pw_storey {
    const char *name;
    double floor;  /* m over the lowest floor */
    double height; /* m, clear */
} pw_storey;
pw_storey pw_scenario_describe_storey(const pw_scenario *scenario, int storey);
/* The storey that a height [m over the lowest floor] lies in, of one in a slab the one whose floor that is. */
int pw_scenario_storey_at(const pw_scenario *scenario, double height);

typedef enum pw_shape_kind {
    PW_SHAPE_DRAWN, /* of a drawing */
    PW_SHAPE_RECTANGLE,
    PW_SHAPE_POLYGON,
    PW_SHAPE_CIRCLE,
    PW_SHAPE_WALL,
    PW_SHAPE_OPENING,
    PW_SHAPE_BOX
} pw_shape_kind;

/* A shape; later ones lie over earlier ones. */
typedef struct pw_shape {
    pw_shape_kind kind;
    int storey;       /* whose list it stands in; -1: the plan's own, through all of them */
    double low, high; /* m over the lowest floor */
    double line[4];   /* m, of a wall: x, y of one end of its centre line and of the other */
    double thickness; /* m, of a wall */
    double *corners;  /* (corner_count, 2), m, owned: its outline, of a circle a polygon of the same area */
    int corner_count;
    const char *material; /* its name, as the scenario has it */
    bool own_values;      /* the scenario gives the material's values */
    bool air;
    double relative_permittivity, conductivity; /* at the band's centre; S/m */
    bool perfect_conductor;
} pw_shape;
/* The shape at `index`, which must be one of the plan's; the caller frees it with pw_shape_free. PW_BAD_INPUT: it has
 * no extent, or its material is not known. */
pw_status pw_scenario_describe_shape(const pw_scenario *scenario, int index, pw_shape *shape, pw_error *error);
void pw_shape_free(pw_shape *shape);

/* A wall, a pane or a sheet as a line on the plan, from one end to the other [m]. */
typedef struct pw_thin_line {
    double x0, y0, x1, y1;
    const char *material; /* owned by the scenario */
    bool perfect_conductor;
} pw_thin_line;
/* What is thinner than `most` [m] at this height [m; NAN: where a run in two dimensions cuts the plan], for pictures
 * whose cells are too coarse for it: the middle of it, less what is drawn over it. The plan's picture is not looked at.
 * The caller frees *lines (*count; may be NULL). */
pw_status pw_scenario_thin_lines(const pw_scenario *scenario, double most, double height, pw_thin_line **lines,
                                 size_t *count, pw_error *error);

/* ---- as it is: what stands where ---- */

/* The plan, of one with storeys at the height where a run in two dimensions cuts it. */
typedef struct floorplan pw_floorplan;

/* Reads the plan's picture, where it has one. The scenario need not outlive it; the caller frees it with
 * pw_floorplan_free. PW_BAD_INPUT: a picture that cannot be read, or with colours that the legend does not know. */
pw_status pw_floorplan_create(const pw_scenario *scenario, pw_floorplan **plan, pw_error *error);
/* NULL is allowed. */
void pw_floorplan_free(pw_floorplan *plan);
void pw_floorplan_release(pw_floorplan **owner); /* of PW_OWNED_AS */

typedef struct pw_floorplan_facts {
    double width, height; /* m */
    double pixel;         /* m, side of a pixel of its picture; 0: it has none */
    int material_count;   /* material 0 is air */
} pw_floorplan_facts;
pw_floorplan_facts pw_floorplan_describe(const pw_floorplan *plan);

typedef struct pw_floorplan_material {
    const char *name;                           /* owned by the plan */
    double relative_permittivity, conductivity; /* at the band's centre; S/m */
    bool perfect_conductor;
    bool dispersive; /* it has poles */
    uint32_t colour; /* 0xrrggbb, in which pictures show it */
} pw_floorplan_material;
pw_floorplan_material pw_floorplan_describe_material(const pw_floorplan *plan, int material);

/* The area of every material, areas (material_count) [m^2], looked at in steps of `step` [m]. */
pw_status pw_floorplan_areas(const pw_floorplan *plan, double step, double *areas, pw_error *error);

/* Materials at the middles of squares of side `step` [m] from the plan's lower left corner on: (height, width), row 0
 * at the bottom, air outside. With `parts` over 1 so many points squared are looked at in each square, and the first
 * that is not air counts, so that a wall thinner than a square is still there. */
pw_status pw_floorplan_pixels(const pw_floorplan *plan, double step, int parts, int width, int height,
                              uint16_t *materials, pw_error *error);

/* Entries of the key, behind a plot command, for the materials of which there is an area (material_count). Pixels
 * beside a picture that its key takes. */
void pw_floorplan_key(const pw_floorplan *plan, const double *areas, pw_plot *plot);
enum { PW_FLOORPLAN_KEY_WIDTH = 350 };
/* How gnuplot draws the entries of such a key: `NaN PW_FLOORPLAN_SWATCH linecolor rgb '#404040' title 'brick'`. */
#define PW_FLOORPLAN_SWATCH "with points pointtype 5 pointsize 2.2"

PW_C_END

#endif
