/* Hard plans, with nothing set but plan, band and transmitter: is the forecast of the error right? Says what it found
 * plan by plan, then the verdict: 0 when no plan failed, 95 in 100 forecasts are within a factor of two, and none is
 * silently worse than three. hard_plans [--first N] [--plans N] [--every N] [--work NODES] [--backend B] [--show 1]
 * --every: takes every N-th plan. --show: writes the scenarios instead. */
#include "tests/hard_plans/hard_trial.h"

#include <getopt.h>
#include <stdlib.h>

struct request {
    int first, plans, every, show;
    double work;
    const char *backend;
};

static void read_options(int argc, char **argv, struct request *request)
{
    static const struct option OPTIONS[] = {{"first", 1, NULL, 'f'},
                                            {"plans", 1, NULL, 'p'},
                                            {"every", 1, NULL, 'e'},
                                            {"work", 1, NULL, 'w'},
                                            {"backend", 1, NULL, 'b'},
                                            {"show", 1, NULL, 's'},
                                            {0}};
    int option;
    while ((option = getopt_long(argc, argv, "", OPTIONS, NULL)) != -1) {
        int *number = option == 'f'   ? &request->first
                      : option == 'p' ? &request->plans
                      : option == 'e' ? &request->every
                      : option == 's' ? &request->show
                                      : NULL;
        if (number != NULL) {
            *number = atoi(optarg);
        } else if (option == 'w') {
            request->work = atof(optarg);
        } else if (option == 'b') {
            request->backend = optarg;
        } else {
            exit(2);
        }
    }
}

static void try_plan(const struct request *request, unsigned seed, struct hard_tally *tally)
{
    struct hard_trial trial;
    pw_error error = {{0}};
    if (hard_trial_run(seed, request->backend, request->work, &trial, &error) == PW_OK) {
        hard_tally_add(tally, seed, &trial);
    } else {
        printf("%3u %-12s FAILED: %s\n", seed, hard_kind_name(trial.plan.kind), error.message);
        tally->failed++;
    }
}

int main(int argc, char **argv)
{
    struct request request = {.plans = 8, .every = 1, .work = 3e9, .backend = "auto"};
    struct hard_tally tally = {0};
    read_options(argc, argv, &request);
    for (int p = 0; p < request.plans; p++) {
        const unsigned seed = (unsigned)(request.first + p * request.every);
        if (request.show) {
            hard_plan_write(seed, stdout);
        } else {
            try_plan(&request, seed, &tally);
        }
    }
    for (int q = 0; q < HARD_QUANTITIES && tally.tried > 0; q++) {
        printf("%-10s %5.1f %% of the forecasts within a factor of two, %d more than three times too good, %d of them "
               "silently\n",
               hard_quantity_name(q), 100.0 * tally.within_two[q] / tally.tried, tally.too_good[q], tally.silent[q]);
    }
    for (int d = 0; d < PLAN_DEPTHS && !request.show; d++) {
        const struct depth_tally *depth = &tally.depth[d];
        printf("%2d dB below: of %d local means %d within a factor of two, %d more than three times too good\n", 20 * d,
               depth->tried, depth->within_two, depth->too_good);
    }
    return request.show || hard_tally_holds(&tally) ? 0 : 1;
}
