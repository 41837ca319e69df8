/* The end of a link at which a field is taken: a receiver of a result, or a point of the chosen sheet: between its
 * cells where they stand close enough (problem/spectra/sheet_place.h), else at the nearest. It knows where each
 * component of E stands in the file, and which combination of them is received. */
#pragma once

#include "api/channel.h"
#include "base/status.h"
#include "result/result.h"

enum { PLACE_NAME_SIZE = 2 * NAME_SIZE };

struct place {
    int receiver;               /* recorded at every step: its index; -1: the cells have it */
    struct sheet_place part[3]; /* Ex, Ey, Ez, at the same x and y where the points are close enough; sheet -1: not
                                 * kept; in two dimensions Ez alone */
    double x, y, height;     /* m: where the field is taken; in two dimensions the height is NAN unless it was given */
    double asked_x, asked_y; /* m */
    double along[3];         /* of unit length: E along it is received */
    double gain;             /* dBi */
    struct antenna antenna;  /* of a receiver in two dimensions; isotropic of a point */
    bool weighed; /* three dimensions: by the receiver's pattern, along its own direction; no component is across it */
    pw_port port; /* of a receiver: whose antenna it is */
    char name[PLACE_NAME_SIZE]; /* of the receiver, or "point (x, y) m" */
};

/* A receiver of a transmitter; `component` PW_COMPONENT_OWN takes the one along its polarisation. PW_BAD_INPUT: a
 * component that was not kept; PW_USAGE: PW_COMPONENT_TOTAL. */
pw_status place_of_receiver(const struct result *result, int transmitter, int receiver, pw_component component,
                            struct place *place, pw_error *error);

/* The point `at` [m], or the cell nearest to it, of the horizontal plane nearest to `height`, or, where that is NAN, of
 * the chosen sheet; in two dimensions the height is the place's own. x and y, of a vertical cut x or y and the height.
 * A component that is named has cells of its own; PW_COMPONENT_OWN takes the sheet's. PW_BAD_INPUT: no running spectra,
 * no plane at that height, or a point outside them; and as above. */
pw_status place_of_point(const struct result *result, int transmitter, const double *at, double height,
                         pw_component component, struct place *place, pw_error *error);

/* True where component 0..2 was kept. */
bool place_has(const struct place *place, int component);

/* Writes where the field is taken into the metrics. */
void place_tell(const struct place *place, pw_metrics *metrics);

/* m, along the straight line, in two dimensions over the plan. */
double place_distance(const struct result *result, const struct place *place, const struct result_transmitter *from);

/* Spectrum of a component that was kept, (frequency_count, 2) [V/m s], at that place for any transmitter. */
pw_status place_read(const struct result *result, int transmitter, const struct place *place, int component,
                     double *field, pw_error *error);

/* What a place that was recorded takes in at every step, (samples) [V/m]. */
pw_status place_series(const struct result *result, int transmitter, const struct place *place, double *series,
                       pw_error *error);
