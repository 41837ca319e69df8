/* The complex field that an antenna with a pattern sends into a direction, in all its components; and the closed forms.
 * Amplitudes are 1 in the direction in which it sends most, and of receivers the same field is what they take in. A
 * pattern of two cuts, a sector and TR 38.901's element have no phase: their field is along one direction across the
 * ray, vertical or slanted, and its phase is for whoever makes it.
 *
 *     short-dipole, half-wave-dipole     along up
 *     patch       E along up; the field of a Huygens source times sinc(y/2) cos(z pi/2), which is a square of half a
 *                 wavelength of uniform currents along its upper and lower edges
 *     sector      loss min(12 (azimuth/width)^2 + min(12 (elevation/width)^2, floor), floor) dB
 *     tr38901     that with 65 degrees, 65 degrees and 30 dB, 8 dBi: 3GPP TR 38.901, table 7.3-1 */
#pragma once

#include <complex.h>

#include "scenario/antenna/antenna.h"

/* Words of a scenario, in the order of enum antenna_form; "" where the form is none that has a word. */
extern const char *const ANTENNA_FORMS[];

/* A closed form of that name, or FORM_CUTS. */
enum antenna_form antenna_form_named(const char *name);

/* Makes a pattern of a form: its parts that are 0 or NAN by what is usual, and its cuts. Nothing is left to free when
 * there is no memory. */
pw_status antenna_form_fill(struct antenna_pattern *pattern, pw_error *error);

/* Whether the phase of the field is known. */
bool antenna_has_phase(const struct antenna_pattern *pattern);

/* Which way a pattern looks, in x, y, z of the plan. */
struct antenna_frame {
    double axis[3][3]; /* ahead, left, up */
    double slant;      /* rad: of what has no phase; else it is in the axes */
};
struct antenna_frame antenna_frame_of(const struct antenna *antenna);

/* E towards `direction` (of unit length), in x, y, z of the plan. */
void antenna_field(const struct antenna_pattern *pattern, const struct antenna_frame *frame, const double direction[3],
                   double complex field[3]);

/* Power towards a direction of the antenna's own frame (ahead, left, up; unit length), 1 where it sends most. */
double antenna_own_power(const struct antenna_pattern *pattern, const double direction[3]);

/* Where E points straight ahead, of unit length: by a closed form or two cuts; of a field up, slanted. */
void antenna_main_direction(const struct antenna *antenna, double along[3]);
