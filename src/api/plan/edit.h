/* Editing a plan as a person does who looks at it: walls are drawn and erased, materials get other values. The scenario
 * is then written, solved or edited further (scenario.h). A scenario whose change failed is to be freed.
 *
 *     PW_TRY(pw_scenario_add_wall(scenario, (const double[]){1, 0, 1, 3}, 0.1, "brick", error));
 *     PW_TRY(pw_scenario_set_material(scenario, "brick", 4.2, 0.05, error));
 */
#ifndef PLANWAVE_EDIT_H
#define PLANWAVE_EDIT_H

#include "api/plan/plan.h"

PW_C_BEGIN

/* Draws a wall along `line`, x and y of one end of its centre line and of the other [m], `thickness` [m]. `material` is
 * one of the plan, by its name, or one of pw_material_names; "air" makes a door. Over an opening of the plan, which
 * lies over walls, the wall becomes an opening of its own material. PW_BAD_INPUT: no such material, ends that are not
 * apart, or a slanted wall over an opening. */
pw_status pw_scenario_add_wall(pw_scenario *scenario, const double line[4], double thickness, const char *material,
                               pw_error *error);

/* Draws a circle around (x, y) [m]. `material` is what a scenario says in its place: "brick", or
 * "{relative_permittivity: 20, poles: [{kind: debye, strength: 30, relaxation_time: 7 ps}]}". PW_BAD_INPUT: no such
 * material, a radius that is not above 0, or an opening of the plan there, which would lie over it. */
pw_status pw_scenario_add_circle(pw_scenario *scenario, double x, double y, double radius, const char *material,
                                 pw_error *error);

/* The same from `low` to `high` [m over the lowest floor]: an upright cylinder, for three dimensions. PW_BAD_INPUT:
 * also a plan without storeys, and heights of which `low` is not the lower. */
pw_status pw_scenario_add_cylinder(pw_scenario *scenario, double x, double y, double radius, double low, double high,
                                   const char *material, pw_error *error);

/* What stands at a point of the plan: a shape, or of a net of walls the straight piece there, from one junction,
 * opening or end to the next. */
typedef struct pw_wall_piece {
    double x, y;          /* m: a point of it */
    double line[4];       /* m: x, y of one end of its centre line and of the other */
    double thickness;     /* m */
    const char *material; /* owned by the plan; "air": an opening */
} pw_wall_piece;
/* The wall at (x, y), else the nearest one within `near` [m]. `plan` is the scenario's, here and below. PW_BAD_INPUT:
 * nothing but air is there. */
pw_status pw_scenario_find_wall(const pw_scenario *scenario, const pw_floorplan *plan, double x, double y, double near,
                                pw_wall_piece *piece, pw_error *error);

/* Takes away what stands at (x, y) [m]: the uppermost shape; over a piece of a net of walls or of the plan's picture
 * air is laid. PW_BAD_INPUT: nothing but air is there. */
pw_status pw_scenario_erase(pw_scenario *scenario, const pw_floorplan *plan, double x, double y, pw_error *error);

/* Makes what stands at (x, y) [m] of another material, as pw_scenario_add_wall takes it. */
pw_status pw_scenario_set_wall(pw_scenario *scenario, const pw_floorplan *plan, double x, double y,
                               const char *material, pw_error *error);

/* Puts a window or a door into the wall at (x, y) [m]: an opening so wide, at most the piece of wall, and in the middle
 * of the wall a pane or a leaf, of "air" none. */
pw_status pw_scenario_put_opening(pw_scenario *scenario, const pw_floorplan *plan, double x, double y, double width,
                                  double thickness, const char *material, pw_error *error);

/* Makes all lengths on the floor `factor` times as large, places of transmitters and receivers too. PW_BAD_INPUT: a
 * factor that is not above 0, or receivers from a file, which keep their places. */
pw_status pw_scenario_scale_plan(pw_scenario *scenario, double factor, pw_error *error);

/* Gives everything of a material these values at all frequencies: relative permittivity (1 or more), conductivity
 * [S/m]. What had its name from its values gets that of its new ones. PW_BAD_INPUT: the plan has no such material, or
 * it is air, a conductor or one with poles. */
pw_status pw_scenario_set_material(pw_scenario *scenario, const char *material, double relative_permittivity,
                                   double conductivity, pw_error *error);

PW_C_END

#endif
