/* Floor and ceiling of a result in two dimensions (physics.md section 6). Over a storey whose walls are upright every
 * path over the plan, of L metres, is the shadow of a family: the one that rises evenly from end to end, and its images
 * in floor and ceiling. An image at a height dz over the receiver has the length R = sqrt(L^2 + dz^2), is reflected at
 * the angle atan(dz/L), and arrives with
 *
 *     sqrt(L) / R  r_floor^a r_ceiling^b  A_departure A_arrival  exp(-jk(R - L))
 *
 * of the path over the plan: r are the reflection coefficients of the slabs at that angle, a and b how often it meets
 * them, A the amplitudes of the antennas at that elevation. The images of one path add as fields.
 *
 * A transfer function is taken apart into the direct path, whose length is known exactly, and one tap for each delay
 * of the band. Without walls the first is all there is. A wall that a path meets aslant reflects and lets through as
 * it does waves along the plan.
 *
 * Cupboards and partitions that end under the ceiling: the plan is solved twice, at the cut and over their tops, and
 * each image is shared between the two answers by the Fresnel zone that it has under and over the tops
 * (storey_over.c). */
#pragma once

#include <complex.h>

#include "base/status.h"
#include "channel/slant/slant.h"
#include "result/result.h"
#include "scenario/scenario.h"

/* Heights count from the lowest floor of the plan. */
struct storey {
    double floor, height;        /* m: of the upper face of its floor; clear */
    struct slab_choice slabs[2]; /* below and above; thickness 0: none */
    bool assumed;                /* the plan has no storey */
    double top;                  /* m: where the second answer begins; NAN: there is none */
};

/* 2.6 m between 20 cm of concrete. */
struct storey storey_assumed(void);

/* The one that a result in two dimensions cuts: of its scenario, or the assumed one. */
pw_status storey_of_result(const struct result *result, struct storey *storey, pw_error *error);

/* PW_USAGE: a height [m] of `whose` ("transmitter 'ap'") that is not between floor and ceiling. */
pw_status storey_holds(const struct storey *storey, const char *whose, double height, pw_error *error);

/* "storey of 2.6 m between 20 cm concrete and 20 cm concrete (assumed: the plan has no storey)". Returns `text`. */
enum { STOREY_TEXT = 192 };
const char *storey_text(const struct storey *storey, char text[STOREY_TEXT]);

/* One image: how far it is over the receiver's end of the straight line, and what it met. */
struct storey_image {
    double rise; /* m, from the source's image to the receiver */
    int met[2];  /* floor, ceiling: how often */
    int leaves;  /* 1 or -1: it departs to the same side of the plan as it arrives from, or to the other */
};

/* Images in order of their distance, four of each turn after the first two: index 0 is the straight path. `from`, `to`:
 * m over the floor. */
struct storey_image storey_image(double height, double from, double to, int index);

/* Which of the two answers: the plan alone, where it counts at all heights; else that of the cut, and that over the
 * tops.
 */
enum storey_part { STOREY_WHOLE, STOREY_UNDER, STOREY_OVER };
static inline bool storey_is_open(const struct storey *storey)
{
    return storey->top < storey->floor + storey->height;
}
/* Share, 0 to 1, of the amplitude of a path of `length` [m] over the plan that passes in a part. It rises evenly by
 * `rise` from the height `from` over the floor, an image's height if need be, and meets the tops at the share `along`
 * of its way; 0: anywhere. They end at `top` [m over the lowest floor]; 0: at that of the storey. */
struct storey_path {
    double length, from, rise, along, top;
};
double complex storey_share(const struct storey *storey, enum storey_part part, double wavelength,
                            const struct storey_path *path);

/* Permittivity of a material at a frequency [Hz]; of metal it has no meaning. */
struct permittivity storey_permittivity(const struct material_choice *material, double frequency);

/* Reflection coefficient (re, im) of a slab in air at the sine of the angle between wave and slab: of the field across
 * the slab of a wave with E in the plane of incidence (`upright`), or of E of a wave with E along the slab. */
void storey_reflection(const struct slab_choice *slab, double frequency, double sine, bool upright, double value[2]);

/* What the channels of a band share; read-only after creation. */
struct storey_band;
struct storey_axis {
    const double *frequency; /* Hz, equally spaced: `count` of them, borrowed while it is made */
    int count;
    bool horizontal; /* polarisation */
};
pw_status storey_band_create(const struct storey *storey, const struct storey_axis *axis, struct storey_band **band,
                             pw_error *error);
const struct storey *storey_of_band(const struct storey_band *band);
/* NULL is allowed. */
void storey_band_free(struct storey_band *band);

/* What one thread keeps from link to link. */
struct storey_work;
pw_status storey_work_create(const struct storey_band *band, struct storey_work **work, pw_error *error);
/* NULL is allowed. */
void storey_work_free(struct storey_work *work);

/* Turns `transfer` (count, 2), relative to a wave at 1 m of the plan, into that between the two ends in the storey,
 * relative to free space at 1 m. `usable` (count): others are zero and stay so. `distance`: m over the plan, at least
 * a wavelength over 2 pi; `slant`: heights and antennas of the ends; `over` (count, 2): the same of the plan over the
 * tops, or NULL. Returns the mean |.|^2 after over that before. */
double storey_apply(const struct storey_band *band, struct storey_work *work, double distance,
                    const struct slant *slant, const bool *usable, const double *over, double *transfer);
