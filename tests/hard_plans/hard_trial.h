/* A hard plan solved as a user would, and on cells a third or a fifth as large: what was forecast, and what is found.
 */
#ifndef HARD_TRIAL_H
#define HARD_TRIAL_H

#include "planwave.h"
#include "tests/hard_plans/hard_plan.h"
#include "tests/hard_plans/plan_error.h"

struct hard_trial {
    struct hard_facts plan;
    struct pw_facts facts; /* of the set-up; its texts are gone */
    char scheme[16];
    int finer; /* how many cells of the finer solution stand for one */
    double seconds;
    bool warned; /* the set-up had something to say about how right it will be */
    struct plan_error found;
};

/* `work`: node updates that the finer solution may take; 27 times the coarse one's are taken at least. */
pw_status hard_trial_run(unsigned seed, const char *backend, double work, struct hard_trial *trial, pw_error *error);

/* Forecast over found of many trials. */
enum { HARD_QUANTITIES = 3 }; /* field, local mean, point */
struct hard_tally {
    int tried, failed, within_two[HARD_QUANTITIES], too_good[HARD_QUANTITIES], silent[HARD_QUANTITIES];
    struct depth_tally {
        int tried, within_two, too_good;
    } depth[PLAN_DEPTHS]; /* of local means */
};
/* Prints the trial in one line. */
void hard_tally_add(struct hard_tally *tally, unsigned seed, const struct hard_trial *trial);
const char *hard_quantity_name(int quantity);
/* 95 % within a factor of two, and none silently worse than three. */
bool hard_tally_holds(const struct hard_tally *tally);

#endif
