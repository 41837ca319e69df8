/* Both spectra of a link by azimuth, for its files and for callers. */
#pragma once

#include "channel/angles/angles.h"
#include "channel/link.h"

struct link_angles {
    struct angle_spectrum arrival, departure;
};

/* Computes them, unless the link has them already. *made, which the caller frees, is what was computed, else NULL;
 * *angles is that or what the link has. */
pw_status link_angles_take(const struct channel_link *link, struct link_angles **made,
                           const struct link_angles **angles, pw_error *error);

/* Computes them once for all files of a link, which owns them. */
pw_status link_angles_keep(struct channel_link *link, pw_error *error);

/* Degrees, 0 to 360: counterclockwise from x, and as a bearing, clockwise from y. */
double angle_degrees(double azimuth);
double angle_bearing(double azimuth);
