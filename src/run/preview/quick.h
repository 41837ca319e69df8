/* Set-ups that are quick to solve: a scenario on larger cells and for fewer frequencies, one transmitter at a time. */
#pragma once

#include "api/study/previews.h"
#include "discretize/setup.h"

/* What the last full set-up chose and forecast, which quick ones start from. */
struct solve_choices {
    bool known;
    struct energy_transport *transport; /* owned; NULL: not known */
    uint32_t plan;                      /* number of the plan that the forecast is of */
    enum scheme scheme;
    enum averaging averaging;
    double cells; /* to the slowest wavelength at the upper edge of the band */
};

/* What quick set-ups of one plan have in common. */
struct quick_plan {
    uint32_t number;             /* 0: none yet */
    struct setup_common common;  /* which they hand from one to the next */
    double width, height;        /* m */
    double largest_permittivity; /* relative, conductors left out */
    struct solve_choices choices;
};
void quick_plan_free(struct quick_plan *plan);

/* Notes what a full set-up chose and forecast. */
void quick_learn(struct quick_plan *plan, const struct setup *setup, uint32_t number);

/* A scenario made coarse, and its set-up with one transmitter. */
struct quick {
    struct quick_plan *plan;
    pw_scenario *scenario;
    int transmitter_count, receiver_count, lattice_receiver_count; /* that it owns */
    int alone;                                                     /* the transmitter that stands first */
    pw_setup *setup;
};

/* For a film of its wave (to the end of what it rings) or for a map. */
enum quick_purpose { QUICK_FILM, QUICK_MAP };

/* Reads the scenario and makes it coarse; `go_on` is asked by set-ups (pw_scenario_watch). */
pw_status quick_read(struct quick_plan *plan, const pw_preview_task *task, enum quick_purpose purpose,
                     bool (*go_on)(void *user), void *user, struct quick *quick, pw_error *error);
/* Leaves transmitter `only` alone, whichever was alone before. */
void quick_leave(struct quick *quick, int only, enum quick_purpose purpose);
/* Sets that up; and drops the set-up again. */
pw_status quick_set_up(struct quick *quick, enum quick_purpose purpose, pw_error *error);
void quick_drop_setup(struct quick *quick);
void quick_free(struct quick *quick);

/* dB: root mean square error of local means of a quick map, with what the law of errors leaves out. */
double quick_error(const struct quick *quick);
