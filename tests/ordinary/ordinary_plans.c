/* Ordinary plans, with nothing set but plan, transmitter and frequency: are they all taken, and is the forecast of the
 * error right? Sets up many of them, solves a sample, solves the sample again at half the cell, and compares. Says what
 * it found plan by plan, then the verdict: 0 when no plan was refused, nine in ten forecasts are within a factor of
 * two, and none is more than three times too good. ordinary_plans [--first N] [--plans N] [--solve N] [--backend B]
 * [--work NODES] [--folder DIR]
 * --work: node updates that a solution at half the cell may take, plans above it are only set up. */
#include "planwave.h"
#include "tests/ordinary/ordinary_plan.h"
#include "tests/ordinary/result_error.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 1 << 16, PATH_SIZE = 4096, QUANTITIES = 3 };
static const char *const QUANTITY[QUANTITIES] = {"field", "local mean", "point"};

struct request {
    int first, plans, solve;
    double work;
    const char *backend, *folder;
};

/* Forecast over found, for each quantity. */
struct tally {
    int set_up, refused, solved, failed;
    int within_two[QUANTITIES], too_good[QUANTITIES]; /* too good: by more than three */
};

static char *plan_text(unsigned seed)
{
    char *text = calloc(1, TEXT_SIZE);
    FILE *stream = fmemopen(text, TEXT_SIZE - 1, "w");
    ordinary_plan_write(seed, stream);
    fclose(stream);
    return text;
}

/* What has to be freed. */
struct solution {
    pw_scenario *scenario;
    pw_setup *setup;
};

static void solution_end(struct solution *solution)
{
    pw_setup_free(solution->setup);
    pw_scenario_free(solution->scenario);
    *solution = (struct solution){0};
}

static pw_status set_up(const char *text, const char *const *overrides, size_t count, struct solution *solution,
                        pw_error *error)
{
    *solution = (struct solution){0};
    pw_status status = pw_scenario_parse("ordinary", text, overrides, count, &solution->scenario, error);
    return status == PW_OK ? pw_setup_create(solution->scenario, PW_SINGLE, false, &solution->setup, error) : status;
}

/* The value of a key in the text of a scenario that is set up, as in "    spacing: 4 cells". */
static double scenario_number(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at != NULL ? atof(at + strlen(key)) : NAN;
}

/* The same at half the cell: same points, same frequencies, same end. */
static pw_status set_up_finer(const char *text, const struct solution *coarse, struct solution *fine, pw_error *error)
{
    pw_facts facts = pw_setup_facts(coarse->setup);
    int spacing = (int)scenario_number(pw_setup_scenario_text(coarse->setup), "  spacing: ");
    char cell[64], scheme[64], averaging[64], count[64], points[64], after[64];
    snprintf(cell, sizeof cell, "grid.cell=%.17g", 0.5 * facts.cell);
    snprintf(scheme, sizeof scheme, "grid.scheme=%s", facts.scheme);
    snprintf(averaging, sizeof averaging, "grid.averaging=%s", facts.averaging);
    snprintf(count, sizeof count, "spectra.count=%d", facts.frequency_count);
    snprintf(points, sizeof points, "spectra.spacing=%d", 2 * spacing);
    snprintf(after, sizeof after, "stop.after=%.17g", facts.time_step * (double)facts.steps);
    const char *overrides[] = {cell, scheme, averaging, count, points, after};
    return set_up(text, overrides, sizeof overrides / sizeof *overrides, fine, error);
}

static pw_status solve(const struct request *request, const struct solution *solution, const char *path,
                       pw_error *error)
{
    pw_run_options options = {.compute.backend = request->backend, .force = true};
    return pw_run(solution->setup, &options, path, error);
}

static double node_updates(const pw_facts *facts)
{
    return (double)facts->nx * (double)facts->ny * (double)facts->steps;
}

static void count_ratio(struct tally *tally, int quantity, double ratio)
{
    tally->within_two[quantity] += ratio >= 0.5 && ratio <= 2;
    tally->too_good[quantity] += !(ratio >= 1.0 / 3);
}

static pw_status compare(const struct request *request, const char *text, const struct solution *coarse,
                         struct tally *tally, pw_error *error)
{
    struct solution fine = {0};
    struct result_error found;
    char path[2][PATH_SIZE];
    snprintf(path[0], PATH_SIZE, "%s/coarse.h5", request->folder);
    snprintf(path[1], PATH_SIZE, "%s/fine.h5", request->folder);
    pw_status status = set_up_finer(text, coarse, &fine, error);
    status = status == PW_OK ? solve(request, coarse, path[0], error) : status;
    status = status == PW_OK ? solve(request, &fine, path[1], error) : status;
    status = status == PW_OK ? result_error(path[0], path[1], &found, error) : status;
    if (status == PW_OK) {
        pw_facts facts = pw_setup_facts(coarse->setup);
        const double forecast[QUANTITIES] = {facts.field_error, facts.local_mean_error, facts.point_error};
        const double error_of[QUANTITIES] = {found.field, found.local_mean, found.point};
        for (int q = 0; q < QUANTITIES; q++) {
            printf("  %s %.3g of %.3g (%.2f)", QUANTITY[q], forecast[q], error_of[q], forecast[q] / error_of[q]);
            count_ratio(tally, q, forecast[q] / error_of[q]);
        }
        tally->solved++;
    }
    remove(path[0]);
    remove(path[1]);
    solution_end(&fine);
    return status;
}

/* One plan: set up, and solved when it is the turn of one and it is not too large. */
static void try_plan(const struct request *request, unsigned seed, struct tally *tally)
{
    struct ordinary_facts plan = ordinary_plan_facts(seed);
    struct solution coarse = {0};
    pw_error error = {{0}};
    char *text = plan_text(seed);
    printf("%3u %-8s %4.1f x %4.1f m, %.3f GHz", seed, ordinary_kind_name(plan.kind), plan.width, plan.height,
           1e-9 * plan.frequency);
    if (set_up(text, NULL, 0, &coarse, &error) != PW_OK) {
        printf("  REFUSED: %s\n", error.message);
        tally->refused++;
    } else {
        pw_facts facts = pw_setup_facts(coarse.setup);
        printf("  %.3g cm %s, forecast %.2g dB, %.2g ns", 100 * facts.cell, facts.scheme, facts.local_mean_error,
               1e9 * facts.delay_error);
        tally->set_up++;
        /* Half the cell: four times the nodes, twice the steps. */
        if (tally->solved + tally->failed < request->solve && 8 * node_updates(&facts) < request->work &&
            compare(request, text, &coarse, tally, &error) != PW_OK) {
            printf("  FAILED: %s", error.message);
            tally->failed++;
        }
        printf("\n");
    }
    fflush(stdout);
    solution_end(&coarse);
    free(text);
}

static bool verdict(const struct tally *tally)
{
    bool good = tally->refused == 0 && tally->failed == 0;
    printf("%d plans set up, %d refused, %d solved twice\n", tally->set_up, tally->refused, tally->solved);
    for (int q = 0; q < QUANTITIES && tally->solved > 0; q++) {
        printf("%-10s %5.1f %% of the forecasts within a factor of two, %d more than three times too good\n",
               QUANTITY[q], 100.0 * tally->within_two[q] / tally->solved, tally->too_good[q]);
        good = good && 10 * tally->within_two[q] >= 9 * tally->solved && tally->too_good[q] == 0;
    }
    return good;
}

int main(int argc, char **argv)
{
    static const struct option OPTIONS[] = {{"first", 1, NULL, 'f'},
                                            {"plans", 1, NULL, 'p'},
                                            {"solve", 1, NULL, 's'},
                                            {"backend", 1, NULL, 'b'},
                                            {"work", 1, NULL, 'w'},
                                            {"folder", 1, NULL, 'd'},
                                            {0}};
    struct request request = {.plans = 36, .solve = 6, .work = 1e10, .backend = "auto", .folder = "."};
    int option;
    while ((option = getopt_long(argc, argv, "", OPTIONS, NULL)) != -1) {
        switch (option) {
        case 'f':
            request.first = atoi(optarg);
            break;
        case 'p':
            request.plans = atoi(optarg);
            break;
        case 's':
            request.solve = atoi(optarg);
            break;
        case 'b':
            request.backend = optarg;
            break;
        case 'w':
            request.work = atof(optarg);
            break;
        case 'd':
            request.folder = optarg;
            break;
        default:
            return 2;
        }
    }
    struct tally tally = {0};
    for (int p = 0; p < request.plans; p++) {
        try_plan(&request, (unsigned)(request.first + p), &tally);
    }
    return verdict(&tally) ? 0 : 1;
}
