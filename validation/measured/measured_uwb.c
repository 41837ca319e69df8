/* Impulse responses of ultra-wideband links in a furnished flat (README.md): levels and RMS delay spreads of the links
 * by each way from two dimensions to three, with the threshold, noise floor and bandwidth of the measurement. Other
 * links, of the same columns, may be scored: program BACKEND FOLDER other.csv. */
#include "validation/support/measured/survey.h"

#include <math.h>
#include <stdlib.h>

enum { LINKS = 200, PLANS = 2, WAYS = 5, DRAWS = 8 };

static const double BANDWIDTH = 499.2e6, THRESHOLD = 20; /* Hz; dB under the peak */
static const char *const PLAN[PLANS] = {"walls", "furnished"};
static const pw_spreading WAY[WAYS] = {PW_SPREADING_NONE, PW_SPREADING_DISTANCE, PW_SPREADING_DELAY,
                                       PW_SPREADING_STOREY, PW_SPREADING_DIFFUSE};
static const char *const WORD[WAYS] = {"none", "distance", "delay", "storey", "diffuse"};

struct link {
    char from[16], to[16];
    int tag;
    double level, noise, spread, distance; /* dBm; dB under the peak; s; m */
};

/* What the chip tells above -88 dBm is compressed; at a pulse repetition of 64 MHz the usual correction (data's page).
 */
static double corrected(double level)
{
    return level > -88 ? level + 1.1667 * (level + 88) : level;
}

static int links_read(const char *path, struct link *links)
{
    char line[1024], *fields[FLOOR_FIELDS];
    int count = 0;
    FILE *in = fopen(path, "r");
    case_require(in != NULL ? PW_OK : PW_BAD_INPUT, path);
    while (fgets(line, sizeof line, in) != NULL && count < LINKS) {
        int cut = floor_cut(line, fields);
        if (fields[0][0] == 'f') {
            continue;
        }
        case_require(cut == 17 ? PW_OK : PW_BAD_INPUT, "a line of links does not have 17 fields");
        struct link *link = &links[count++];
        snprintf(link->from, sizeof link->from, "a%s", fields[1]);
        snprintf(link->to, sizeof link->to, "t%s", fields[2]);
        link->tag = atoi(fields[2]);
        link->level = corrected(atof(fields[9]));
        link->distance = atof(fields[13]);
        link->noise = atof(fields[14]);
        link->spread = 1e-9 * atof(fields[16]);
    }
    fclose(in);
    return count;
}

/* What is solved: the scenario as it is, or with changes, for these transmitters alone. */
struct solving {
    const char *plan;
    const char *const *overrides;
    size_t count;
    const int *kept;
    int kept_count; /* 0: all */
};

static pw_result *plan_solve(const struct validation *validation, const struct solving *what)
{
    char from[4200], to[4200];
    pw_error error = {{0}};
    pw_scenario *scenario = NULL;
    pw_setup *setup = NULL;
    pw_result *result = NULL;
    const pw_run_options options = {.compute.backend = validation->backend, .force = true};
    snprintf(from, sizeof from, "validation/measured/uwb_flat/%s.yaml", what->plan);
    snprintf(to, sizeof to, "%s/%s-%s.h5", validation->folder, validation->name, what->plan);
    case_require(pw_scenario_load(from, what->overrides, what->count, &scenario, &error), error.message);
    if (what->kept_count > 0) {
        case_require(pw_scenario_keep_transmitters(scenario, what->kept, what->kept_count, &error), error.message);
    }
    case_require(pw_setup_create(scenario, PW_SINGLE, false, &setup, &error), error.message);
    case_require(pw_run(setup, &options, to, &error), error.message);
    case_require(pw_result_open(to, &result, &error), error.message);
    pw_setup_free(setup);
    pw_scenario_free(scenario);
    return result;
}

static pw_result *plan_as_it_is(const struct validation *validation, const char *plan)
{
    static const char *const coarse[] = {"grid.cell=1.5 cm", "spectra.spacing=6", "stop.after=60 ns"};
    return plan_solve(validation, &(struct solving){plan, coarse, validation->quick ? 3 : 0, NULL, 0});
}

/* Seed 0: an empty flat, on the same grid. The anchors of links alone. */
static pw_result *plan_with_clutter(const struct validation *validation, const char *plan, int seed,
                                    const struct link *links, int count)
{
    char clutter[64];
    const char *const overrides[] = {clutter, "grid.cell=1 cm", "stop={after: 60 ns, decay: -40 dB}"};
    int kept[8], kept_count = 0;
    for (int anchor = 0; anchor < 8; anchor++) {
        bool used = false;
        for (int n = 0; n < count; n++) {
            used = used || atoi(links[n].from + 1) == anchor + 1;
        }
        kept[kept_count] = anchor;
        kept_count += used;
    }
    if (seed == 0) {
        snprintf(clutter, sizeof clutter, "plan.clutter=empty");
    } else {
        snprintf(clutter, sizeof clutter, "plan.clutter={preset: home, seed: %d}", seed);
    }
    return plan_solve(validation, &(struct solving){plan, overrides, 3, kept, kept_count});
}

/* Root mean square of made - measured less its mean over the links of other tags; all of them: less the mean. */
static double left_out(const struct link *links, int count, const double *error, bool by_tag)
{
    double squares = 0;
    for (int n = 0; n < count; n++) {
        double sum = 0, others = 0;
        for (int m = 0; m < count; m++) {
            bool counts = !by_tag || links[m].tag != links[n].tag;
            sum += counts ? error[m] : 0;
            others += counts;
        }
        squares += pow(error[n] - sum / others, 2) / count;
    }
    return sqrt(squares);
}

/* Log-distance, exponent and offset, of links of other tags. */
static double rule_left_out(const struct link *links, int count)
{
    double squares = 0;
    for (int n = 0; n < count; n++) {
        double w = 0, x = 0, y = 0, xx = 0, xy = 0;
        for (int m = 0; m < count; m++) {
            if (links[m].tag != links[n].tag) {
                double at = log10(links[m].distance);
                w += 1, x += at, y += links[m].level, xx += at * at, xy += at * links[m].level;
            }
        }
        double slope = (w * xy - x * y) / (w * xx - x * x), offset = (y - slope * x) / w;
        squares += pow(offset + slope * log10(links[n].distance) - links[n].level, 2) / count;
    }
    return sqrt(squares);
}

struct score {
    double level, held, mean, spread; /* dB; dB without the tag; made over measured; s */
    double correlation;               /* of spreads, made and measured */
};

static void links_make(const pw_result *result, pw_spreading way, const struct link *links, int count,
                       pw_metrics *metrics)
{
    for (int n = 0; n < count; n++) {
        pw_channel_options options = pw_channel_options_default();
        options.spreading = way;
        options.threshold_db = THRESHOLD;
        options.noise_floor_db = links[n].noise;
        options.width = BANDWIDTH;
        pw_channel *channel = NULL;
        pw_error failure = {{0}};
        case_require(pw_channel_create(result, links[n].from, links[n].to, NULL, &options, &channel, &failure),
                     failure.message);
        metrics[n] = pw_channel_metrics(channel);
        pw_channel_free(channel);
    }
}

static struct score links_score(const pw_metrics *metrics, const struct link *links, int count)
{
    struct score score = {0};
    double error[LINKS], made = 0, measured = 0, squares = 0, both = 0, made_squares = 0, measured_squares = 0;
    for (int n = 0; n < count; n++) {
        error[n] = metrics[n].received_power_dbm - links[n].level;
        made += metrics[n].rms_delay_spread / count;
        measured += links[n].spread / count;
        squares += pow(metrics[n].rms_delay_spread - links[n].spread, 2) / count;
    }
    for (int n = 0; n < count; n++) {
        const double a = metrics[n].rms_delay_spread - made, b = links[n].spread - measured;
        both += a * b;
        made_squares += a * a;
        measured_squares += b * b;
    }
    score.correlation = both / sqrt(made_squares * measured_squares);
    score.level = left_out(links, count, error, false);
    score.held = left_out(links, count, error, true);
    score.mean = made / measured;
    score.spread = sqrt(squares);
    return score;
}

static struct score way_score(const pw_result *result, pw_spreading way, const struct link *links, int count)
{
    pw_metrics metrics[LINKS];
    links_make(result, way, links, count, metrics);
    return links_score(metrics, links, count);
}

/* Of sorted values; the median of two has half of each. */
static double quantile_of(const double *sorted, int count, double p)
{
    const double place = fmin(fmax(p * count - 0.5, 0), count - 1);
    const int below = (int)place, above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

/* Draws of clutter: the mean over them, and how many measured values lie between P10 and P90 of a link; of levels after
 * the offset of the mean. */
static void clutter_score(struct validation *validation, const char *plan, const struct link *links, int count)
{
    const int draws = DRAWS;
    static pw_metrics metrics[DRAWS][LINKS], mean[LINKS];
    double inside[2] = {0, 0}, offset = 0;
    pw_result *empty = plan_with_clutter(validation, plan, 0, links, count);
    const struct score bare = way_score(empty, PW_SPREADING_STOREY, links, count);
    pw_result_close(empty);
    case_figure(validation, bare.level, "%s, storey, on the grid of the draws: level, dB, 1 number", plan);
    case_figure(validation, bare.mean, "%s, storey, on the grid of the draws: mean RMS delay spread over the measured",
                plan);
    case_figure(validation, 1e9 * bare.spread, "%s, storey, on the grid of the draws: RMS delay spread, ns", plan);
    for (int draw = 0; draw < draws; draw++) {
        pw_result *result = plan_with_clutter(validation, plan, draw + 1, links, count);
        links_make(result, PW_SPREADING_STOREY, links, count, metrics[draw]);
        pw_result_close(result);
    }
    for (int n = 0; n < count; n++) {
        mean[n] = (pw_metrics){0};
        for (int draw = 0; draw < draws; draw++) {
            mean[n].received_power_dbm += metrics[draw][n].received_power_dbm / draws;
            mean[n].rms_delay_spread += metrics[draw][n].rms_delay_spread / draws;
        }
        offset += (links[n].level - mean[n].received_power_dbm) / count;
    }
    for (int n = 0; n < count; n++) {
        double level[DRAWS], spread[DRAWS];
        for (int draw = 0; draw < draws; draw++) {
            level[draw] = metrics[draw][n].received_power_dbm + offset;
            spread[draw] = metrics[draw][n].rms_delay_spread;
        }
        qsort(level, (size_t)draws, sizeof *level, pw_number_order);
        qsort(spread, (size_t)draws, sizeof *spread, pw_number_order);
        inside[0] +=
            links[n].level >= quantile_of(level, draws, 0.1) && links[n].level <= quantile_of(level, draws, 0.9);
        inside[1] +=
            links[n].spread >= quantile_of(spread, draws, 0.1) && links[n].spread <= quantile_of(spread, draws, 0.9);
    }
    const struct score score = links_score(mean, links, count);
    case_figure(validation, score.level, "%s and clutter, mean of %d draws, storey: level, dB, 1 number", plan, draws);
    case_figure(validation, score.held, "%s and clutter: level, dB, tag left out", plan);
    case_figure(validation, score.mean, "%s and clutter: mean RMS delay spread over the measured", plan);
    case_figure(validation, 1e9 * score.spread, "%s and clutter: RMS delay spread, ns, no number", plan);
    case_figure(validation, inside[0] / count, "%s and clutter: levels between P10 and P90, of 1", plan);
    case_figure(validation, inside[1] / count, "%s and clutter: spreads between P10 and P90, of 1", plan);
}

int main(int argc, char **argv)
{
    const char *other = survey_other(argc, argv);
    struct validation validation = case_begin(
        argc, argv, "measured_uwb", "Measured impulse responses",
        "Ultra-wideband links in a furnished flat at 4 GHz (M. Kolakowski, CC BY 4.0): RMS delay spread over what is "
        "within 20 dB of the peak and over the link's own noise floor, in 499 MHz; one offset for all levels, of the "
        "links "
        "of other tags where a tag is left out. See [measured/README.md](measured/README.md).");
    struct link links[LINKS];
    double measured[LINKS] = {0}, levels[LINKS] = {0};
    int count = links_read(other != NULL ? other : "validation/measured/uwb_flat/links.csv", links);
    for (int n = 0; n < count; n++) {
        measured[n] = links[n].spread;
        levels[n] = links[n].level;
    }
    case_figure(&validation, left_out(links, count, levels, true), "%d links: a constant's level, dB, tag left out",
                count);
    case_figure(&validation, rule_left_out(links, count), "log-distance with 2 numbers, dB, tag left out");
    case_figure(&validation, 1e9 * left_out(links, count, measured, true),
                "a constant's RMS delay spread, ns, tag left out");
    for (int plan = 0; plan < (validation.quick ? 1 : PLANS); plan++) {
        pw_result *result = plan_as_it_is(&validation, PLAN[plan]);
        struct score score[WAYS];
        for (int way = 0; way < WAYS; way++) {
            score[way] = way_score(result, WAY[way], links, count);
            case_figure(&validation, score[way].level, "%s, %s: level, dB, 1 number", PLAN[plan], WORD[way]);
            case_figure(&validation, score[way].held, "%s, %s: level, dB, tag left out", PLAN[plan], WORD[way]);
            case_figure(&validation, score[way].mean, "%s, %s: mean RMS delay spread over the measured", PLAN[plan],
                        WORD[way]);
            case_figure(&validation, 1e9 * score[way].spread, "%s, %s: RMS delay spread, ns, no number", PLAN[plan],
                        WORD[way]);
            case_figure(&validation, score[way].correlation, "%s, %s: correlation of RMS delay spreads", PLAN[plan],
                        WORD[way]);
        }
        case_gate(&validation, score[3].spread / score[2].spread, 1, "%s: error of the spread, storey over delay",
                  PLAN[plan]);
        if (!validation.quick) { /* on coarse cells delays say nothing */
            case_gate(&validation, score[4].spread / score[1].spread, 1,
                      "%s: error of the spread, diffuse over distance", PLAN[plan]);
            case_gate(&validation, fabs(score[4].mean - 1) / fabs(score[1].mean - 1), 1,
                      "%s: error of the mean spread, diffuse over distance", PLAN[plan]);
        }
        pw_result_close(result);
    }
    if (!validation.quick) {
        clutter_score(&validation, PLAN[0], links, count);
    }
    return case_end(&validation);
}
