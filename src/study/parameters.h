/* What of a scenario a study varies: the permittivity, the conductivity or the wall thickness of a material, by name.
 *
 * A value is changed by a factor, for a name may stand for several: walls of a material can have several thicknesses,
 * and materials of one's own may share a name. Thickness is that of `walls:`, whose centre lines stay; an opening that
 * went through such a wall goes through it afterwards, and a wall that ended at its face still does. Walls of a picture
 * or a drawing, and rectangles and polygons, have no thickness that could be changed. */
#ifndef PARAMETERS_H
#define PARAMETERS_H

#include "scenario/scenario.h"

enum parameter_kind { PARAMETER_PERMITTIVITY, PARAMETER_CONDUCTIVITY, PARAMETER_THICKNESS, PARAMETER_KIND_COUNT };

struct parameter {
    enum parameter_kind kind;
    char name[NAME_SIZE]; /* of the material */
};

enum { PARAMETER_TEXT_SIZE = NAME_SIZE + 16 };

/* "permittivity" and the like; NULL after the last kind. */
const char *parameter_kind_word(int kind);
/* "1", "S/m", "m". */
const char *parameter_unit(enum parameter_kind kind);

/* Reads "brick:permittivity". PW_BAD_INPUT with the text and what is allowed. */
pw_status parameter_parse(const char *text, struct parameter *parameter, pw_error *error);

/* The other way: "brick:permittivity". */
const char *parameter_text(const struct parameter *parameter, char text[PARAMETER_TEXT_SIZE]);

/* What a parameter is in a scenario: equal numbers unless its name stands for several. */
struct parameter_range {
    double low, high; /* in the parameter's unit; of the material at the centre of the band */
    int places;       /* shapes, entries of the legend and slabs that have it */
};

/* PW_BAD_INPUT: a material that the plan does not have, a perfect conductor or one with poles; a thickness where no
 * wall has the material. */
pw_status parameter_look(const struct scenario *scenario, const struct parameter *parameter,
                         struct parameter_range *range, pw_error *error);

/* Multiplies the parameter wherever it stands by `factor` (above 0); a permittivity stays at least 1. PW_BAD_INPUT as
 * above, and for a wall that is neither along x nor along y, with an opening in it, which would no longer fit. */
pw_status parameter_scale(struct scenario *scenario, const struct parameter *parameter, double factor, pw_error *error);

#endif
