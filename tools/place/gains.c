/* The levels of a siting (siting.h): runs of the scenario, some transmitters each, and what maps of their results say
 * at the points. Levels are thus those of maps to the last digit: local means, spread to three dimensions, with
 * heights. */
#include "place/siting.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Transmitters of a result: at most, since it holds their spectra; and where the device waits for the host. */
enum { TOGETHER = 8, ON_DEVICE = 4 };

/* The runs, while they are made. */
struct gains {
    struct pw_siting *siting;
    int chunk;     /* transmitters of a run */
    double left;   /* energy at the end of a run, against its peak: the most of all runs */
    double folded; /* the same when the profiles of its spectra repeat */
};

/* More than that is worth a word, as it may be decibels where the direct path is weak. */
static const double NOTABLE = 0.01;

pw_map_options siting_map(const struct pw_siting *siting, double height)
{
    pw_map_options map = pw_map_options_default();
    map.quantity = PW_RECEIVED_POWER;
    map.channel.spreading = siting->options.spreading;
    map.channel.receiver_height = siting->asked.dimensions == 2 ? height : (double)NAN;

    map.local_mean = siting->options.mean_width >= 0.0;
    map.mean_width = fmax(0.0, siting->options.mean_width);
    map.receiver_gain = siting->options.receiver_gain;
    return map;
}

static pw_status chunk_keep(pw_scenario *scenario, int index, void *user, pw_error *error)
{
    const struct gains *gains = user;
    int first = index * gains->chunk, left = pw_scenario_describe(scenario).transmitter_count - first;
    int kept[TOGETHER], count = left < gains->chunk ? left : gains->chunk;
    for (int n = 0; n < count; n++) {
        kept[n] = first + n;
    }
    return pw_scenario_keep_transmitters(scenario, kept, count, error);
}

/* The level of sender s at taker t. */
static double *level_of(const struct pw_siting *siting, int sender, int taker)
{
    size_t places = (size_t)siting->places.count;
    return siting->level +
           (siting->places_send ? (size_t)taker * places + (size_t)sender : (size_t)sender * places + (size_t)taker);
}

/* Reads the map of one transmitter at all points of one height. */
static pw_status map_read(const pw_result *result, int transmitter, int sender, double height,
                          const struct pw_siting *siting, pw_error *error)
{
    const struct site_list *takers = siting_takers(siting);
    pw_transmitter facts;
    pw_map_shape shape;
    TRY(pw_result_transmitter(result, transmitter, &facts, error));
    pw_map_options map = siting_map(siting, height);
    map.transmitter = facts.name;
    TRY(pw_map_describe(result, &map, &shape, error));
    PW_OWNED double *value = allocate((size_t)shape.rows * (size_t)shape.columns, sizeof *value, "a map", error);
    PW_TRY_MADE(value);
    PW_TRY(pw_map_compute(result, &map, value, NULL, error));
    for (int t = 0; t < takers->count; t++) {
        const pw_site *taker = &takers->site[t];
        if (taker->height == height || (isnan(taker->height) && isnan(height))) {
            *level_of(siting, sender, t) = pw_map_value_at(&shape, value, taker->x, taker->y);
        }
    }
    return PW_OK;
}

/* In three dimensions the sheet that is nearest to a height; sheets are chosen in a result of one's own. */
static pw_status sheet_choose(pw_result *result, double height, pw_error *error)
{
    pw_sheet_choice choice = pw_sheet_choice_default();
    int sheet;
    choice.height = height;
    TRY(pw_result_sheet_find(result, &choice, &sheet, error));
    return pw_result_sheet_choose(result, sheet, error);
}

static pw_status sender_take(const pw_result *result, int transmitter, int sender, const struct pw_siting *siting,
                             pw_error *error)
{
    const struct site_list *takers = siting_takers(siting);
    for (int t = 0; t < takers->count; t++) {
        double height = takers->site[t].height;
        bool seen = false;
        for (int before = 0; before < t && !seen; before++) {
            double other = takers->site[before].height;
            seen = other == height || (isnan(other) && isnan(height));
        }
        if (seen) {
            continue;
        }
        if (siting->asked.dimensions == 3) {
            TRY(sheet_choose((pw_result *)result, height, error)); /* the study closes it next, and reads nothing */
        }
        TRY(map_read(result, transmitter, sender, height, siting, error));
    }
    return PW_OK;
}

static void energy_look(struct gains *gains, const pw_result *result, int transmitter)
{
    const int count = pw_result_describe(result).frequency_count;
    double width = gains->siting->asked.band_width;
    gains->left = fmax(gains->left, pw_result_energy_after(result, transmitter, INFINITY));
    if (count > 1 && width > 0.0) {
        gains->folded = fmax(gains->folded, pw_result_energy_after(result, transmitter, (count - 1) / width));
    }
}

/* What a user should know of the levels. */
static void energy_tell(const struct gains *gains)
{
    if (gains->left > NOTABLE) {
        pw_note(
            &gains->siting->notes,
            "the runs ended with the energy at %.0f dB of its peak, so later echoes are missing from the levels. Use "
            "--accurate, or set stop.after",
            10.0 * log10(gains->left));
    }
    if (gains->folded > NOTABLE) {
        pw_note(
            &gains->siting->notes,
            "delay profiles repeat when the energy is at %.0f dB of its peak, so late echoes count as early ones and "
            "the levels are too high. Use --accurate, or set spectra.count",
            10.0 * log10(gains->folded));
    }
}

static pw_status chunk_take(const pw_result *result, int index, void *user, pw_error *error)
{
    struct gains *gains = user;
    int count = pw_result_describe(result).transmitter_count;
    for (int t = 0; t < count; t++) {
        energy_look(gains, result, t);
        TRY(sender_take(result, t, index * gains->chunk + t, gains->siting, error));
    }
    return PW_OK;
}

/* Places that nobody reaches, such as those in a box of metal, count as demand. */
static void unreached_tell(struct pw_siting *siting)
{
    int unreached = 0;
    for (int p = 0; p < siting->places.count; p++) {
        bool reached = false;
        for (int c = 0; c < siting->candidates.count && !reached; c++) {
            reached = siting->level[(size_t)c * (size_t)siting->places.count + (size_t)p] > -INFINITY;
        }
        unreached += !reached;
    }
    if (unreached > 0) {
        pw_note(&siting->notes, "no candidate reaches %d of %d demand points: they are in metal or enclosed by it",
                unreached, siting->places.count);
    }
}

/* Whether runs are made on a device, where one after the other has it whole. */
static bool on_device(const char *backend)
{
    bool device = false;
    for (size_t n = 0; n < pw_backend_count(); n++) {
        pw_backend_info info = pw_backend_describe(n);
        bool meant = backend == NULL || strcmp(backend, "auto") == 0 ? info.available : strcmp(backend, info.name) == 0;
        device = device || (meant && strcmp(info.name, "cuda") == 0);
    }
    return device;
}

/* Several transmitters in a run save their set-ups, but on the host there should be some runs for every thread. */
static int chunk_of(const struct pw_siting *siting)
{
    int threads = siting->options.compute.threads > 0 ? siting->options.compute.threads : omp_get_max_threads();
    int chunk = on_device(siting->options.compute.backend) ? ON_DEVICE : siting_senders(siting)->count / (4 * threads);
    return chunk < 1 ? 1 : chunk > TOGETHER ? TOGETHER : chunk;
}

pw_status pw_siting_solve(pw_siting *siting, pw_error *error)
{
    size_t count = (size_t)siting->candidates.count * (size_t)siting->places.count;
    struct gains gains = {.siting = siting, .chunk = chunk_of(siting)};
    TRY(pw_memory_check(sizeof(double) * (double)count, "the levels of all candidates at all places",
                        "make one of the grids wider", error));
    double *level = allocate(count, sizeof *level, "the levels of all candidates at all places", error);
    TRY_MADE(level);
    for (size_t n = 0; n < count; n++) {
        level[n] = NAN;
    }
    free(siting->level);
    siting->level = level;
    const pw_variants variants = {.name = siting->asked.file,
                                  .text = siting->text,
                                  .noun = "run",
                                  .count = (siting_senders(siting)->count + gains.chunk - 1) / gains.chunk,
                                  .change = chunk_keep,
                                  .take = chunk_take,
                                  .user = &gains};
    const pw_variants_options options = {.compute = siting->options.compute, .monitor = siting->options.monitor};
    pw_status status = pw_variants_solve(&variants, &options, error);
    if (status != PW_OK) {
        free(siting->level);
        siting->level = NULL;
    } else {
        energy_tell(&gains);
        unreached_tell(siting);
    }
    return status;
}
