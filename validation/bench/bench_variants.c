/* Variants of a scenario one after another on all threads, and several at a time (src/api/study/variants.h): seconds of
 * both, in turn, and the ratio of the best.
 *   bench_variants BACKEND THREADS COUNT SCENARIO.yaml [KEY=VALUE]...
 * Each variant has the same scenario, which is as much work as with other materials. */
#include "api/study/variants.h"
#include "base/clock.h"
#include "scenario/scenario.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 3 };
static const int TOGETHER[] = {1, 2, 4, 8, 16};
enum { WAYS = sizeof TOGETHER / sizeof *TOGETHER };

/* Both ways must read the same numbers: the last value of each spectrum is added up. */
static pw_status take(const pw_result *result, int index, void *user, pw_error *error)
{
    (void)index;
    double value[2], *sum = user;
    pw_transmitter facts;
    int frequencies = pw_result_describe(result).frequency_count;
    if (pw_result_transmitter(result, 0, &facts, error) != PW_OK || frequencies == 0) {
        return PW_BAD_INPUT;
    }
    double *all = malloc(sizeof value * (size_t)frequencies);
    pw_block last = {facts.spectra_rows - 1, 1, facts.spectra_columns / 2, 1};
    pw_status status = all != NULL ? pw_result_spectra(result, 0, &last, all, error) : PW_NO_RESOURCE;
    if (status == PW_OK) {
        *sum += all[0];
    }
    free(all);
    return status;
}

static int complain(const pw_error *error)
{
    fprintf(stderr, "bench_variants: %s\n", error->message);
    return 1;
}

int main(int argc, char **argv)
{
    pw_error error = {""};
    pw_scenario *scenario = NULL;
    double best[WAYS], sums[WAYS];
    if (argc < 5) {
        fprintf(stderr, "usage: bench_variants BACKEND THREADS COUNT SCENARIO.yaml [KEY=VALUE]...\n");
        return 2;
    }
    if (pw_scenario_load(argv[4], (const char *const *)argv + 5, (size_t)(argc - 5), &scenario, &error) != PW_OK) {
        return complain(&error);
    }
    pw_variants variants = {
        .name = argv[4], .text = pw_scenario_text(scenario), .noun = "variant", .count = atoi(argv[3]), .take = take};
    for (int round = 0; round < ROUNDS; round++) {
        for (int way = 0; way < WAYS; way++) {
            pw_variants_options options = {
                .compute.backend = argv[1], .compute.threads = atoi(argv[2]), .together = TOGETHER[way]};
            double start = clock_seconds(), sum = 0.0;
            variants.user = &sum;
            if (pw_variants_solve(&variants, &options, &error) != PW_OK) {
                return complain(&error);
            }
            double seconds = clock_seconds() - start;
            best[way] = round == 0 || seconds < best[way] ? seconds : best[way];
            sums[way] = sum;
        }
    }
    for (int way = 0; way < WAYS; way++) {
        printf("%d variants, %d at a time: %.3f s, %.2f x as fast%s\n", variants.count, TOGETHER[way], best[way],
               best[0] / best[way], sums[way] == sums[0] ? "" : ", OTHER NUMBERS");
    }
    pw_scenario_free(scenario);
    return 0;
}
