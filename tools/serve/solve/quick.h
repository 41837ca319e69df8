/* Set-ups that are quick to solve: a session's scenario on larger cells and for fewer frequencies. */
#ifndef LIVE_QUICK_H
#define LIVE_QUICK_H

#include "discretize/setup.h"

/* What the last full set-up chose and forecast, which quick ones start from. */
struct solve_choices {
    bool known;
    struct energy_transport *transport; /* owned by the session; NULL: not known */
    uint32_t plan_revision;             /* of the plan that the forecast is of */
    enum scheme scheme;
    enum averaging averaging;
    double cells; /* to the slowest wavelength at the upper edge of the band */
};

/* The plan that quick set-ups hand from one to the next. */
struct quick_plan {
    uint32_t revision;
    struct setup_common common;
};
void quick_plan_free(struct quick_plan *plan);

/* What is made quick. */
struct quick_task {
    const char *name, *text;     /* of the scenario */
    uint32_t plan_revision;      /* the same as long as the plan is */
    double width, height;        /* m, of the plan */
    double largest_permittivity; /* relative, of the plan */
    struct solve_choices *choices;
    struct quick_plan *plan;
};

/* Notes what a full set-up chose and forecast. */
void quick_note_choices(const struct quick_task *task, const struct setup *setup);

/* A scenario and its set-up, made coarse, with one transmitter. */
struct quick {
    struct quick_plan *plan;
    pw_scenario *scenario;
    int transmitter_count, receiver_count, lattice_receiver_count; /* that it owns */
    int alone;                                                     /* the transmitter that stands first */
    pw_setup *setup;
};

/* Of the transmitter `only` alone, for a film of its wave (to the end of what it rings) or for a map. */
enum quick_purpose { QUICK_FILM, QUICK_MAP };
pw_status quick_create(const struct quick_task *task, int only, enum quick_purpose purpose, struct quick *quick,
                       pw_error *error);
void quick_free(struct quick *quick);

/* The same in parts, for one transmitter after the other: reads the scenario and makes it coarse; leaves `only` alone,
 * whichever was alone before; sets that up, and drops its set-up again. */
pw_status quick_read(const struct quick_task *task, enum quick_purpose purpose, struct quick *quick, pw_error *error);
void quick_leave(struct quick *quick, const struct quick_task *task, int only, enum quick_purpose purpose);
pw_status quick_set_up(struct quick *quick, const struct quick_task *task, enum quick_purpose purpose, pw_error *error);
void quick_drop_setup(struct quick *quick);

/* dB: root mean square error of local means of a quick map, with what the law of errors leaves out. */
double quick_error(const struct quick *quick);

#endif
