/* Metrics and power-delay profile of every cell (api/survey.h), by the functions of channel.h and map.h that `planwave
 * channel` and `planwave map` use. Rows of the file's tiles are read one after another; the threads share their
 * cells. */
#include "api/survey.h"

#include "channel/delay_guard.h"
#include "channel/link.h"
#include "channel/place/grid_phase.h"
#include "channel/slant/heights.h"

#include "map/map.h"
#include "map/map_doubt.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { TILE_ROWS = 8, BAND_ELEMENTS = 8 << 20 };
static const double MEAN_PART = 0.3; /* of the work: the map of the local mean */

enum fixed_plane {
    PLANE_PATH_GAIN,
    PLANE_LOCAL_MEAN,
    PLANE_RMS_SPREAD,
    PLANE_MEAN_EXCESS,
    PLANE_MAXIMUM_EXCESS,
    PLANE_RICIAN_K,
    PLANE_COHERENCE_50,
    PLANE_COHERENCE_90,
    PLANE_PEAK,
    PLANE_NOISE_FLOOR,
    PLANE_THRESHOLD,
    PLANE_FIRST_ARRIVAL,
};

/* `like` decides how the colour range is rounded. */
static const struct {
    const char *key, *name, *unit;
    pw_quantity like;
} fixed_planes[PW_SURVEY_FIXED_PLANES] = {
    [PLANE_PATH_GAIN] = {"path_gain", "Path gain", "dB", PW_PATH_GAIN},
    [PLANE_LOCAL_MEAN] = {"local_mean", "Path gain, local mean", "dB", PW_PATH_GAIN},
    [PLANE_RMS_SPREAD] = {"rms_delay_spread", "RMS delay spread", "ns", PW_RMS_DELAY_SPREAD},
    [PLANE_MEAN_EXCESS] = {"mean_excess_delay", "Mean excess delay", "ns", PW_MEAN_DELAY},
    [PLANE_MAXIMUM_EXCESS] = {"maximum_excess_delay", "Maximum excess delay", "ns", PW_MAXIMUM_DELAY},
    [PLANE_RICIAN_K] = {"rician_k", "Rician K", "dB", PW_K_FACTOR},
    [PLANE_COHERENCE_50] = {"coherence_50", "Coherence bandwidth at 0.5", "MHz", PW_COHERENCE_50},
    [PLANE_COHERENCE_90] = {"coherence_90", "Coherence bandwidth at 0.9", "MHz", PW_COHERENCE_90},
    [PLANE_PEAK] = {"peak", "Peak of the profile", "dB", PW_PATH_GAIN},
    [PLANE_NOISE_FLOOR] = {"noise_floor", "Noise floor of the profile", "dB", PW_PATH_GAIN},
    [PLANE_THRESHOLD] = {"threshold", "Threshold of the profile", "dB", PW_PATH_GAIN},
    [PLANE_FIRST_ARRIVAL] = {"first_arrival", "First arrival", "ns", PW_MEAN_DELAY},
};

/* A survey with the text that it points to. */
struct surveyed {
    pw_survey survey;
    char doubt_text[DOUBT_TEXT];
};

/* What the threads share. */
struct survey {
    const struct result *result;
    pw_survey *site;
    int transmitter, cell_step, tap_step;
    struct map mean; /* local mean of the path gain at every cell inside the plan */
    int frequency_index[PW_SURVEY_FREQUENCIES];
    struct channel_band band;
    struct grid_phase phase;
    struct channel *channels; /* (threads), owned */
    int threads;
};

static void survey_free(struct survey *survey)
{
    for (int t = 0; survey->channels != NULL && t < survey->threads; t++) {
        channel_free(&survey->channels[t]);
    }
    free(survey->channels);
    channel_band_free(&survey->band);
    map_free(&survey->mean);
}

static pw_status survey_create(struct survey *survey, const pw_channel_options *options, const pw_monitor *monitor,
                               pw_error *error)
{
    const struct result *result = survey->result;
    const struct result_transmitter *from = &result->transmitters[survey->transmitter];
    pw_map_options map = pw_map_options_default();
    map.transmitter = from->name;
    map.channel = *options;
    map.local_mean = true;
    map.monitor = *monitor;
    TRY(map_compute(result, &map, &survey->mean, error));
    TRY(link_band_create(result, survey->transmitter, options, &survey->band, error));
    survey->threads = omp_get_max_threads();
    survey->phase = grid_phase_find(survey->result);
    TRY_MADE(survey->channels = allocate((size_t)survey->threads, sizeof *survey->channels, "channels", error));
    for (int t = 0; t < survey->threads; t++) {
        TRY(channel_create(&survey->band, &survey->channels[t], error));
    }
    return PW_OK;
}

static pw_status planes_create(struct survey *survey, pw_error *error)
{
    pw_survey *site = survey->site;
    int count = survey->band.frequency_count;
    int shown = count < PW_SURVEY_FREQUENCIES ? count : PW_SURVEY_FREQUENCIES;
    site->plane_count = PW_SURVEY_FIXED_PLANES + shown;
    for (int p = 0; p < PW_SURVEY_FIXED_PLANES; p++) {
        site->planes[p] =
            (pw_survey_plane){.key = fixed_planes[p].key, .name = fixed_planes[p].name, .unit = fixed_planes[p].unit};
    }
    for (int n = 0; n < shown; n++) {
        int index = shown > 1 ? (int)lround(n * (count - 1.0) / (shown - 1)) : 0;
        survey->frequency_index[n] = index;
        site->planes[PW_SURVEY_FIXED_PLANES + n] = (pw_survey_plane){
            .key = "gain", .name = "Gain at one frequency", .unit = "dB", .frequency = survey->band.frequency[index]};
    }
    for (int p = 0; p < site->plane_count; p++) {
        site->planes[p].value =
            allocate((size_t)site->rows * (size_t)site->columns, sizeof(float), "a map of a survey", error);
        TRY_MADE(site->planes[p].value);
    }
    return PW_OK;
}

/* Which of a survey's cells count as floor. */
static pw_status floor_count(struct survey *survey, pw_error *error)
{
    pw_survey *site = survey->site;
    const struct map *mean = &survey->mean;
    const pw_map_options options = pw_map_options_default();
    pw_floor floor;
    OWNED uint8_t *all = allocate((size_t)mean->rows * (size_t)mean->columns, 1, "the floor of a survey", error);
    site->counted = allocate((size_t)site->rows * (size_t)site->columns, 1, "the floor of a survey", error);
    TRY_MADE(all != NULL && site->counted != NULL);
    TRY(map_count_floor(survey->result, &options, mean, all, &floor, error));
    for (int n = 0; n < site->rows * site->columns; n++) {
        int row = n / site->columns * survey->cell_step, column = n % site->columns * survey->cell_step;
        site->counted[n] = all[(size_t)row * (size_t)mean->columns + (size_t)column];
        site->floor_text = floor.text;
    }
    return PW_OK;
}

static pw_status site_prepare(struct survey *survey, pw_error *error)
{
    pw_survey *site = survey->site;
    const struct map *mean = &survey->mean;
    const struct channel_band *band = &survey->band;
    int step = survey->cell_step, taps = survey->tap_step;
    site->rows = (mean->rows + step - 1) / step;
    site->columns = (mean->columns + step - 1) / step;
    site->x0 = mean->x0;
    site->y0 = mean->y0;
    site->pitch_x = mean->pitch_x * step;
    site->pitch_y = mean->pitch_y * step;
    site->centre = band->centre;
    site->budget = channel_link_budget(band, survey->result->transmitters[survey->transmitter].power, 0.0);
    TRY_MADE(site->doubt = allocate((size_t)site->rows * (size_t)site->columns, 1, "a map of a survey", error));
    TRY(planes_create(survey, error));
    TRY(floor_count(survey, error));
    if (band->tap_count > 0) {
        int skipped = band->guard % taps; /* so that delay zero is one of the taps kept */
        site->bin_count = (band->tap_count - skipped + taps - 1) / taps;
        const struct result_transmitter *from = &survey->result->transmitters[survey->transmitter];
        const struct slant_end to = {.x = site->x0, .y = site->y0, .height = band->options.receiver_height};
        const struct slant slant = slant_between(survey->result, from, &to, &band->options);
        site->resolution = channel_resolution(band);
        site->rise = band->options.spreading == PW_SPREADING_NONE || band->storey != NULL ? 0.0 : slant.rise;
        site->bin = band->bin * taps;
        site->first_delay = channel_delay(band, skipped);
        site->profiles = allocate((size_t)site->rows * (size_t)site->columns, (size_t)site->bin_count,
                                  "the delay profiles of a survey", error);
        return site->profiles == NULL ? PW_NO_RESOURCE : PW_OK;
    }
    return PW_OK;
}

static double decibels(double power)
{
    return power > 0.0 && isfinite(power) ? 10.0 * log10(power) : NAN;
}

static void profile_store(const struct survey *survey, const struct channel *channel, double peak, uint8_t *out)
{
    int taps = survey->tap_step, skipped = survey->band.guard % taps;
    for (int n = 0; n < survey->site->bin_count; n++) {
        double power = channel->power[skipped + n * taps];
        double steps =
            power > 0.0 && peak > 0.0 ? round(10.0 * log10(peak / power) / PW_SURVEY_PROFILE_STEP) : INFINITY;
        out[n] = steps < PW_SURVEY_DEPTH ? (uint8_t)steps : PW_SURVEY_DEPTH;
    }
}

/* A delay [s] in ns; NAN where the guard finds that it may be over 10 % wrong. */
static double trusted(double delay, double error)
{
    return error > DELAY_ERROR_LIMIT ? NAN : 1e9 * delay;
}

/* The place of a cell at (u, v) of the chosen sheet. */
static struct place cell_place(const struct result *result, const struct result_transmitter *from, double u, double v)
{
    if (result->dimensions == 2) {
        return (struct place){.x = u, .y = v, .height = NAN};
    }
    const struct result_sheet *sheet = &from->sheets[result->sheet];
    return sheet->normal == 2   ? (struct place){.x = u, .y = v, .height = sheet->position}
           : sheet->normal == 1 ? (struct place){.x = u, .y = sheet->position, .height = v}
                                : (struct place){.x = sheet->position, .y = u, .height = v};
}

/* Cell `at` of a survey from the field (frequency_count, 2), `stride` complex numbers between frequencies. */
static void cell_compute(const struct survey *survey, const double *field, size_t stride, const double where[2],
                         const struct slant *slant, size_t at)
{
    const struct result_transmitter *from = &survey->result->transmitters[survey->transmitter];
    const double distance = result_distance(survey->result, from, where[0], where[1]);
    struct channel *channel = &survey->channels[omp_get_thread_num()];
    const struct channel_band *band = &survey->band;
    const pw_survey *site = survey->site;
    channel_set_field(band, field, stride, channel);
    channel_transform(band, distance, slant, channel);
    pw_metrics metrics = channel_metrics(band, channel, 0.0, 0.0);
    struct channel_delays delays = {.peak = NAN, .noise_floor = NAN, .threshold = NAN, .first_arrival = NAN};
    if (band->tap_count > 0) { /* as a link has it: the metrics as solved, the profile without the grid's phase */
        const struct place place = cell_place(survey->result, from, where[0], where[1]);
        channel_set_field(band, field, stride, channel);
        grid_phase_remove(&survey->phase, survey->result, from, &place, 1, channel->transfer);
        struct slant exact = *slant;
        exact.exact = true;
        channel_transform(band, distance, &exact, channel);
        delays = channel_delays(band, channel);
        profile_store(survey, channel, delays.peak, site->profiles + at * (size_t)site->bin_count);
    }
    double value[PW_SURVEY_FIXED_PLANES] = {
        [PLANE_PATH_GAIN] = metrics.path_gain_db,
        [PLANE_RMS_SPREAD] = trusted(metrics.rms_delay_spread, metrics.rms_error),
        [PLANE_MEAN_EXCESS] = trusted(metrics.mean_excess_delay, metrics.mean_error),
        [PLANE_MAXIMUM_EXCESS] = trusted(metrics.maximum_excess_delay, metrics.rms_error),
        [PLANE_RICIAN_K] = metrics.rician_k_db,
        [PLANE_COHERENCE_50] = 1e-6 * metrics.coherence_bandwidth_50,
        [PLANE_COHERENCE_90] = 1e-6 * metrics.coherence_bandwidth_90,
        [PLANE_PEAK] = decibels(delays.peak),
        [PLANE_NOISE_FLOOR] = decibels(delays.noise_floor),
        [PLANE_THRESHOLD] = decibels(delays.threshold),
        [PLANE_FIRST_ARRIVAL] = 1e9 * delays.first_arrival,
    };
    site->doubt[at] = (uint8_t)(metrics.rms_error > DELAY_ERROR_LIMIT ? metrics.delay_cause : PW_DELAY_SOUND);
    for (int p = 0; p < PW_SURVEY_FIXED_PLANES; p++) {
        if (p != PLANE_LOCAL_MEAN) {
            site->planes[p].value[at] = (float)value[p];
        }
    }
    for (int p = PW_SURVEY_FIXED_PLANES; p < site->plane_count; p++) {
        int f = survey->frequency_index[p - PW_SURVEY_FIXED_PLANES];
        double re = channel->transfer[2 * f], im = channel->transfer[2 * f + 1];
        site->planes[p].value[at] = (float)decibels(re * re + im * im); /* zero, so undefined, where masked */
    }
}

/* Rows first..first+count-1 of the plan's part of the file, of which those that are kept are computed. */
static pw_status band_compute(const struct survey *survey, int first, int count, double *spectra, pw_error *error)
{
    const struct map *mean = &survey->mean;
    const pw_survey *site = survey->site;
    const struct result_transmitter *from = &survey->result->transmitters[survey->transmitter];
    int step = survey->cell_step, row_first = (first + step - 1) / step, row_end = (first + count + step - 1) / step;
    if (row_first == row_end) {
        return PW_OK;
    }
    TRY(result_read_spectra(survey->result, survey->transmitter, survey->mean.row_first + first, count,
                            survey->mean.column_first, mean->columns, spectra, error));
    size_t stride = (size_t)count * (size_t)mean->columns;
    int columns = site->columns;
#pragma omp parallel for schedule(dynamic, 16) num_threads(survey->threads)
    for (int task = 0; task < (row_end - row_first) * columns; task++) {
        int row = row_first + task / columns, column = task % columns;
        size_t at = (size_t)row * (size_t)columns + (size_t)column;
        size_t there = (size_t)(row * step - first) * (size_t)mean->columns + (size_t)(column * step);
        const double where[2] = {from->x_axis[survey->mean.column_first + column * step],
                                 from->y_axis[survey->mean.row_first + row * step]};
        const pw_channel_options *options = &survey->band.options;
        const struct slant_end to = {.x = where[0], .y = where[1], .height = options->receiver_height};
        const struct slant slant = slant_between(survey->result, from, &to, options);
        cell_compute(survey, spectra + 2 * there, stride, where, &slant, at);
        site->planes[PLANE_LOCAL_MEAN].value[at] =
            (float)mean->value[(size_t)(row * step) * (size_t)mean->columns + (size_t)(column * step)];
    }
    return PW_OK;
}

static pw_status cells_compute(const struct survey *survey, const pw_monitor *monitor, pw_error *error)
{
    const struct map *mean = &survey->mean;
    size_t row = (size_t)mean->columns * (size_t)survey->band.frequency_count;
    int height = 2 * row * TILE_ROWS <= BAND_ELEMENTS ? TILE_ROWS : 1;
    height = height < mean->rows ? height : mean->rows;
    OWNED double *spectra = allocate((size_t)height * row, 2 * sizeof *spectra, "a band of spectra", error);
    TRY_MADE(spectra);
    int count;
    for (int first = 0; first < mean->rows; first += count) {
        count = height - (survey->mean.row_first + first) % height; /* up to the next edge of a tile */
        count = mean->rows - first < count ? mean->rows - first : count;
        TRY(band_compute(survey, first, count, spectra, error));
        TRY(monitor_tell(monitor, (double)(first + count) / mean->rows, error));
    }
    return PW_OK;
}

/* Colour ranges as the maps have them; one for all single frequencies, so that they can be compared. */
static pw_status ranges_set(pw_survey *site, pw_error *error)
{
    size_t count = (size_t)site->rows * (size_t)site->columns;
    pw_map_options options = pw_map_options_default();
    struct map map = {.rows = site->rows, .columns = site->columns};
    TRY_MADE(map.value = allocate(count, sizeof *map.value, "a map of a survey", error));
    int middle = PW_SURVEY_FIXED_PLANES + (site->plane_count - PW_SURVEY_FIXED_PLANES) / 2;
    for (int p = 0; p < site->plane_count; p++) {
        const pw_survey_plane *from = &site->planes[p < PW_SURVEY_FIXED_PLANES ? p : middle];
        for (size_t n = 0; n < count; n++) {
            map.value[n] = from->value[n];
        }
        map.quantity = p < PW_SURVEY_FIXED_PLANES ? fixed_planes[p].like : PW_PATH_GAIN;
        map_range(&map, &options, &site->planes[p].low, &site->planes[p].high);
    }
    for (size_t n = 0; n < count; n++) {
        map.value[n] = site->budget + site->planes[PLANE_PATH_GAIN].value[n];
    }
    map.quantity = PW_RECEIVED_POWER;
    map_range(&map, &options, &site->power_low, &site->power_high);
    free(map.value);
    return PW_OK;
}

/* The sentence about masked delays. */
static void doubt_tell(struct surveyed *made)
{
    const pw_survey *site = &made->survey;
    const size_t count = (size_t)site->rows * (size_t)site->columns;
    struct map_doubt doubt = {.masked = 0.0};
    for (size_t n = 0; n < count; n++) {
        doubt.run_short += (site->doubt[n] == PW_DELAY_RUN_SHORT) / (double)count;
        doubt.spectra_few += (site->doubt[n] == PW_DELAY_SPECTRA_FEW) / (double)count;
    }
    doubt.masked = doubt.run_short + doubt.spectra_few;
    map_doubt_masked(&doubt, made->doubt_text);
    made->survey.doubt_text = made->doubt_text;
}

static pw_status view_survey(const struct result *view, const pw_survey_options *options, const pw_monitor *monitor,
                             struct surveyed *made, pw_error *error)
{
    pw_monitor_part parts[2] = {{monitor, 0.0, MEAN_PART}, {monitor, MEAN_PART, 1.0}};
    pw_monitor of_mean = monitor_of_part(&parts[0]), of_cells = monitor_of_part(&parts[1]);
    OWNED_BY(survey_free)
    struct survey survey = {.result = view,
                            .site = &made->survey,
                            .transmitter = options->transmitter,
                            .cell_step = options->cell_step,
                            .tap_step = options->tap_step};
    TRY(survey_create(&survey, &options->channel, &of_mean, error));
    TRY(site_prepare(&survey, error));
    TRY(cells_compute(&survey, &of_cells, error));
    return ranges_set(&made->survey, error);
}

pw_status pw_survey_create(const pw_result *result, const pw_survey_options *options, const pw_monitor *monitor,
                           pw_survey **survey, pw_error *error)
{
    FAIL_IF(result == NULL || options == NULL || survey == NULL || options->cell_step < 1 || options->tap_step < 1 ||
                options->transmitter < 0 || options->transmitter >= result->transmitter_count,
            error, PW_USAGE,
            "pw_survey_create: result, options and survey must not be NULL, and the options name "
            "a transmitter and steps of at least 1");
    *survey = NULL;
    TRY(pw_channel_options_check(&options->channel, error));
    struct surveyed *made = allocate(1, sizeof *made, "a survey", error);
    struct result view;
    pw_status status = made != NULL ? result_view_create(result, options->sheet, &view, error) : PW_NO_RESOURCE;
    if (status == PW_OK) {
        status = view_survey(&view, options, monitor, made, error);
        result_view_free(&view);
    }
    if (status != PW_OK) {
        pw_survey_free(made != NULL ? &made->survey : NULL);
        return status;
    }
    doubt_tell(made);
    *survey = &made->survey;
    return PW_OK;
}

void pw_survey_free(pw_survey *survey)
{
    if (survey == NULL) {
        return;
    }
    for (int p = 0; p < PW_SURVEY_PLANES; p++) {
        free(survey->planes[p].value);
    }
    FREE_ALL(survey->doubt, survey->profiles, survey->counted);
    free(survey); /* the first member of what was allocated */
}
