/* Where access points go, on the flat and in the office: levels from either end of a link, what shorter runs change of
 * them, and the choice against all subsets. */
#include "validation/support/case.h"

#include "place/planwave_place.h"

enum { CHOSEN_MOST = 3 };

static pw_siting *siting_open(const pw_scenario *scenario, const pw_siting_options *options)
{
    pw_siting *siting = NULL;
    pw_error error = {""};
    SOLVE_CHECK(pw_siting_create(scenario, options, &siting, &error), &error);
    SOLVE_CHECK(pw_siting_solve(siting, &error), &error);
    return siting;
}

/* Puts sites on nodes of the running spectra's lattice, every cell having one, so that no field is taken beside them.
 */
static pw_site *sites_on_nodes(const pw_facts *facts, const pw_site *from, int count)
{
    pw_site *sites = calloc((size_t)count, sizeof *sites);
    for (int n = 0; n < count; n++) {
        sites[n] = from[n];
        sites[n].x = facts->origin_x + facts->cell * round((from[n].x - facts->origin_x) / facts->cell);
        sites[n].y = facts->origin_y + facts->cell * round((from[n].y - facts->origin_y) / facts->cell);
    }
    return sites;
}

/* The largest difference of powers, relative, between runs from the candidates and from the places. All runs are as
 * long: with a stop by decay those from one end may end a little sooner than those from the other. */
static double reciprocity_error(const struct validation *validation, const char *path, double spacing)
{
    static const char *const lattice[] = {"spectra.spacing=1 cell", "spectra.count=16",
                                          "stop={after: 250 ns, decay: off}"};
    pw_scenario *scenario = NULL;
    pw_error error = {""};
    pw_siting_options options = pw_siting_options_default();
    pw_siting *points = NULL;
    SOLVE_CHECK(pw_scenario_load(path, lattice, 3, &scenario, &error), &error);
    options.compute.backend = validation->backend;
    options.candidate_spacing = spacing;
    options.place_spacing = 0.9 * spacing;
    SOLVE_CHECK(pw_siting_create(scenario, &options, &points, &error), &error);
    pw_siting_facts facts = pw_siting_describe(points);
    pw_site *candidates = sites_on_nodes(&facts.setup, pw_siting_candidates(points), facts.candidate_count);
    pw_site *places = sites_on_nodes(&facts.setup, pw_siting_places(points), facts.place_count);
    options.candidates = candidates;
    options.candidate_count = facts.candidate_count;
    options.places = places;
    options.place_count = facts.place_count;
    options.mean_width = -1.0;
    options.runs = PW_SITING_CANDIDATES_SEND;
    pw_siting *forward = siting_open(scenario, &options);
    options.runs = PW_SITING_PLACES_SEND;
    pw_siting *reverse = siting_open(scenario, &options);
    double worst = 0.0;
    for (int n = 0; n < facts.candidate_count * facts.place_count; n++) {
        double ratio = pow(10.0, 0.1 * (pw_siting_levels(forward)[n] - pw_siting_levels(reverse)[n]));
        bool neither = isnan(pw_siting_levels(forward)[n]) && isnan(pw_siting_levels(reverse)[n]);
        worst = neither ? worst : !(fabs(ratio - 1.0) < INFINITY) ? INFINITY : fmax(worst, fabs(ratio - 1.0));
    }
    free(candidates);
    free(places);
    pw_siting_free(points);
    pw_siting_free(forward);
    pw_siting_free(reverse);
    pw_scenario_free(scenario);
    return worst;
}

/* Root mean square [dB] of what the shorter run with fewer frequencies changes. */
static double short_run_error(const struct validation *validation, const pw_scenario *scenario, double spacing,
                              pw_siting **levels)
{
    pw_siting_options options = pw_siting_options_default();
    options.compute.backend = validation->backend;
    options.candidate_spacing = spacing;
    options.place_spacing = 0.5;
    *levels = siting_open(scenario, &options);
    options.keep_accuracy = true;
    pw_siting *whole = siting_open(scenario, &options);
    pw_siting_facts facts = pw_siting_describe(whole);
    int count = facts.candidate_count * facts.place_count;
    double sum = 0.0;
    int known = 0, apart = 0;
    for (int n = 0; n < count; n++) {
        double difference = pw_siting_levels(*levels)[n] - pw_siting_levels(whole)[n];
        apart += isnan(pw_siting_levels(*levels)[n]) != isnan(pw_siting_levels(whole)[n]);
        sum += isnan(difference) ? 0.0 : difference * difference; /* places in a box of metal have no level */
        known += !isnan(difference);
    }
    pw_siting_free(whole);
    return apart == 0 && known > 0 ? sqrt(sum / known) : (double)NAN;
}

/* The largest covered weight of all subsets of `count`, found one by one: `chosen` are the first `depth`. */
static double best_subset(const pw_siting *siting, double level, int count, int depth, int *chosen)
{
    pw_siting_facts facts = pw_siting_describe(siting);
    double best = 0.0;
    if (depth == count) {
        for (int p = 0; p < facts.place_count; p++) {
            bool covered = false;
            for (int n = 0; n < count; n++) {
                covered = covered || pw_siting_levels(siting)[chosen[n] * facts.place_count + p] >= level;
            }
            best += covered ? pw_siting_places(siting)[p].weight : 0.0;
        }
        return best / facts.total_weight;
    }
    for (int c = depth > 0 ? chosen[depth - 1] + 1 : 0; c < facts.candidate_count; c++) {
        chosen[depth] = c;
        best = fmax(best, best_subset(siting, level, count, depth + 1, chosen));
    }
    return best;
}

/* A level that one candidate has at about half of all places, so that the choice is not trivial. */
static double middle_level(const pw_siting *siting)
{
    pw_siting_facts facts = pw_siting_describe(siting);
    double sum = 0.0;
    int known = 0;
    for (int n = 0; n < facts.candidate_count * facts.place_count; n++) {
        double level = pw_siting_levels(siting)[n];
        sum += isnan(level) ? 0.0 : level;
        known += !isnan(level);
    }
    return sum / known;
}

static double choice_error(const pw_siting *siting, int count)
{
    pw_siting_need need = pw_siting_need_default();
    pw_siting_answer answer;
    pw_error error = {""};
    int chosen[CHOSEN_MOST];
    need.level = middle_level(siting) + 3.0 * count;
    need.best = count;
    SOLVE_CHECK(pw_siting_choose(siting, &need, &answer, &error), &error);
    return fabs(answer.share - best_subset(siting, need.level, count, 0, chosen));
}

int main(int argc, char **argv)
{
    static const char *const plans[] = {"floorplans/flat.yaml", "floorplans/office.yaml"};
    static const char *const low[] = {"band={centre: 1.2 GHz, width: 300 MHz}"};
    static const double spacing[] = {3.3, 6.0}, coarse[] = {4.4, 9.0};
    struct validation validation = case_begin(
        argc, argv, "place", "Where access points go",
        "Levels by runs from the candidates against runs from the places (reciprocity, at points); levels of the runs "
        "that `place` makes against runs as long, and with as many frequencies, as `run` chooses; and the answer "
        "against all subsets.");
    int count = validation.quick ? 1 : 2;
    for (int n = 0; n < count; n++) {
        pw_scenario *scenario = NULL;
        pw_siting *siting = NULL;
        pw_error error = {""};
        /* The quick subset takes the flat at half the frequency, which is an eighth of the work. */
        SOLVE_CHECK(pw_scenario_load(plans[n], low, validation.quick ? 1 : 0, &scenario, &error), &error);
        case_gate(&validation, short_run_error(&validation, scenario, validation.quick ? 6.0 : spacing[n], &siting),
                  0.1, "%s: levels of short runs against whole ones, root mean square [dB]", plans[n]);
        for (int chosen = 1; chosen <= CHOSEN_MOST; chosen++) {
            case_gate(&validation, choice_error(siting, chosen), 1e-9,
                      "%s: share covered by the answer of %d against all subsets", plans[n], chosen);
        }
        if (!validation.quick) {
            case_gate(&validation, reciprocity_error(&validation, plans[n], coarse[n]), 1e-5,
                      "%s: powers from candidates against powers from places, largest", plans[n]);
        }
        pw_siting_free(siting);
        pw_scenario_free(scenario);
    }
    return case_end(&validation);
}
