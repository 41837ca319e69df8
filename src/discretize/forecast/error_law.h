/* How far a solver's answer will be off on a plan, before it is solved. The paths that energy takes through the plan
 * are known (energy_transport.h); on a grid each medium they pass, each face, each reflection by metal changes
 * amplitude and phase. What media and faces change follows from the scheme's group velocity there; what the places of
 * faces and of metal between the nodes add, and how much of it all powers see, was fitted to solved plans
 * (validation/forecast.md). A forecast, no bound: nine in ten were within a factor of two. */
#pragma once

#include "base/people.h"
#include "discretize/forecast/energy_transport.h"
#include "problem/stencil.h"

/* One way to solve. */
struct error_question {
    enum scheme scheme;
    enum averaging averaging;
    int dimensions;                 /* 2 or 3: the directions that a tuned scheme is fitted to */
    double cell;                    /* m */
    double band_centre, band_width; /* Hz */
    double time_step;               /* s; 0: its error is compensated by warping */
    double lowest;                  /* m: height of a plane of nodes, in three dimensions */
    enum transport_purpose purpose;
};

/* Root mean squares over the floor. */
struct error_forecast {
    double field;      /* of the complex field at a point, relative to its mean size around; at most sqrt(2) */
    double local_mean; /* dB, of the mean power over a wavelength */
    double point;      /* dB, of the power at a point */
    double delay;      /* s, of the RMS delay spread */
    /* The first two once more: in the strongest half of the floor, and about 20 and 40 dB under the median of that
     * half. Told for every depth, also where the plan may have no such place. */
    double field_by_depth[FORECAST_DEPTHS], local_mean_by_depth[FORECAST_DEPTHS];
};

struct error_forecast error_law(const struct energy_transport *transport, const struct error_question *question);
/* The error of the field alone, or that of local means: for the purpose asked about or for the choice, whichever is
 * more. A fraction of the time of error_law(), for who tries many cells. */
double error_law_largest(const struct energy_transport *transport, const struct error_question *question,
                         bool of_field);
