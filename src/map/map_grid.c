/* Quantities, options and cells of maps (map_grid.h). Leaves the numbers to map_plane.c and map_servers.c. */
#include "map/map_grid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double boltzmann = 1.380649e-23; /* J/K */
static const char best[] = "best";            /* what the strongest transmitter at each cell is called */
static const double room_temperature = 290.0; /* K: T0 of the noise figure, ITU-R P.372 */

static const char over_free_space[] = "relative to free space at 1 m";

static const struct quantity_kind kinds[] = {
    [PW_PATH_GAIN] = {"path gain", "dB", "path_gain_dB", .power = true, .reference = over_free_space},
    [PW_PATH_LOSS] = {"path loss", "dB", "path_loss_dB", .power = true, .falls = true,
                      .reference = "between isotropic antennas"},
    [PW_RECEIVED_POWER] = {"received power", "dBm", "received_power_dBm", .power = true},
    [PW_RMS_DELAY_SPREAD] = {"RMS delay spread", "ns", "rms_delay_spread_ns", .delay = true, .excess = true},
    [PW_MEAN_DELAY] = {"mean excess delay", "ns", "mean_excess_delay_ns", .delay = true, .excess = true,
                       .reference = "after the first arrival"},
    [PW_K_FACTOR] = {"Rician K", "dB", "rician_k_dB", .reference = "steady over scattered power"},
    [PW_BEST_SERVER] = {"best server", "", "best_server,received_power_dBm", .power = true, .servers = true},
    [PW_SNR] = {"SNR", "dB", "snr_dB", .power = true, .servers = true, .reference = "over the receiver's noise"},
    [PW_SINR] = {"SINR", "dB", "sinr_dB", .power = true, .servers = true, .reference = "over noise and interference"},
    [PW_MAXIMUM_DELAY] = {"maximum excess delay", "ns", "maximum_excess_delay_ns", .delay = true, .excess = true,
                          .reference = "after the first arrival"},
    [PW_COHERENCE_50] = {"coherence bandwidth at 0.5", "MHz", "coherence_bandwidth_50_MHz", .excess = true},
    [PW_COHERENCE_90] = {"coherence bandwidth at 0.9", "MHz", "coherence_bandwidth_90_MHz", .excess = true},
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

const struct quantity_kind *quantity_kind(pw_quantity quantity)
{
    return &kinds[quantity];
}

const char *pw_quantity_name(pw_quantity quantity)
{
    return (unsigned)quantity < KIND_COUNT ? kinds[quantity].name : "";
}

const char *pw_quantity_unit(pw_quantity quantity)
{
    return quantity == PW_BEST_SERVER ? "dBm" : (unsigned)quantity < KIND_COUNT ? kinds[quantity].unit : "";
}

const char *pw_quantity_reference(pw_quantity quantity)
{
    const char *reference = (unsigned)quantity < KIND_COUNT ? kinds[quantity].reference : NULL;
    return reference != NULL ? reference : "";
}

bool pw_quantity_is_power(pw_quantity quantity)
{
    return (unsigned)quantity < KIND_COUNT && kinds[quantity].power;
}

bool pw_quantity_falls(pw_quantity quantity)
{
    return (unsigned)quantity < KIND_COUNT && kinds[quantity].falls;
}

pw_map_options pw_map_options_default(void)
{
    return (pw_map_options){
        .quantity = PW_PATH_GAIN,
        .channel = pw_channel_options_default(),
        .noise_figure = 7.0,
        .noise_bandwidth = 20e6,
        .minimum = NAN,
        .maximum = NAN,
        .threshold = NAN,
    };
}

double pw_noise_power(double bandwidth, double noise_figure)
{
    return 10.0 * log10(boltzmann * room_temperature * bandwidth / 1e-3) + noise_figure;
}

struct plan_floor map_floor(const struct result *result)
{
    double edges[4];
    pw_result_edges(result, edges);
    return (struct plan_floor){.left = edges[0], .right = edges[1], .bottom = edges[2], .top = edges[3]};
}

/* ---- sheets ---- */

/* The chosen sheet, or of its plane that of the component which is asked for; of the total those of all that were kept.
 */
static pw_status sheets_find(const struct result *result, pw_component asked, struct map *map, pw_error *error)
{
    static const char *const names[] = {"the field", "ex", "ey", "ez", "the field", "hz"};
    const pw_component component = result_component(result, asked);
    bool total = component == PW_COMPONENT_TOTAL;
    for (int c = 0; c < 3; c++) {
        int sheet = result_is_vector(result) ? result_sheet_partner(result, result->sheet, c) : c == 2 ? 0 : -1;
        if (total && result->horizontal && c == 2) {
            continue; /* the total is of E */
        }
        bool own = component == PW_COMPONENT_OWN && sheet == result->sheet;
        if (sheet >= 0 && (total || own || (int)component - PW_COMPONENT_EX == c)) {
            map->sheets[map->sheet_count++] = (struct map_sheet){.sheet = sheet};
        }
    }
    for (int n = 1; n < map->sheet_count; n++) { /* the map's cells are those of the chosen sheet */
        if (map->sheets[n].sheet == result->sheet) {
            map->sheets[n].sheet = map->sheets[0].sheet;
            map->sheets[0].sheet = result->sheet;
        }
    }
    return map->sheet_count > 0
               ? PW_OK
               : fail(error, PW_BAD_INPUT, "%s: %s was not kept in this plane%s", result->path, names[asked],
                      result_is_vector(result) ? "; spectra.components keeps it" : ": it was solved in two dimensions");
}

bool map_is_cut(const struct result *result)
{
    const struct result_transmitter *first = &result->transmitters[0];
    return result->sheet < first->sheet_count && first->sheets[result->sheet].normal < 2;
}

void map_axis_names(const struct result *result, const char *names[2])
{
    bool cut = map_is_cut(result);
    names[0] = cut && result->transmitters[0].sheets[result->sheet].normal == 0 ? "y" : "x";
    names[1] = cut ? "z" : "y";
}

const char *map_sheet_text(const struct result *result, const struct map *map, char text[MAP_SHEET_TEXT])
{
    char one[SHEET_TEXT];
    result_sheet_text(result, map->sheets[0].sheet, one);
    snprintf(text, MAP_SHEET_TEXT, "%s", one);
    if (map->sheet_count > 1) {
        size_t used = (size_t)snprintf(text, MAP_SHEET_TEXT, "total of ");
        const char *comma = "";
        for (int c = 0; c < 3; c++) {
            if (result_sheet_partner(result, result->sheet, c) >= 0 && !(result->horizontal && c == 2)) {
                used += (size_t)snprintf(text + used, MAP_SHEET_TEXT - used, "%sE%c", comma, "xyz"[c]);
                comma = ", ";
            }
        }
        snprintf(text + used, MAP_SHEET_TEXT - used, "%s", one + 2); /* behind the name of the component */
    }
    return text;
}

/* ---- options and grid ---- */

static pw_status receiver_check(const pw_map_options *options, pw_error *error)
{
    FAIL_IF(!(options->noise_bandwidth > 0.0 && options->noise_bandwidth <= 1e12), error, PW_USAGE,
            "the receiver's bandwidth is %g Hz; allowed: over 0, at most 1 THz", options->noise_bandwidth);
    FAIL_IF(!(options->noise_figure >= 0.0 && options->noise_figure <= 100.0), error, PW_USAGE,
            "the receiver's noise figure is %g dB; allowed: 0 to 100", options->noise_figure);
    FAIL_IF(!(fabs(options->receiver_gain) <= 100.0), error, PW_USAGE,
            "the receiver's gain is %g dBi; allowed: -100 to 100", options->receiver_gain);
    return PW_OK;
}

static pw_status options_check(const pw_map_options *options, pw_error *error)
{
    TRY(pw_channel_options_check(&options->channel, error));
    TRY(receiver_check(options, error));
    FAIL_IF((unsigned)options->quantity >= KIND_COUNT, error, PW_USAGE, "unknown quantity %d", (int)options->quantity);
    FAIL_IF(options->channel.component == PW_COMPONENT_TOTAL && !kinds[options->quantity].power, error, PW_USAGE,
            "the total is one of powers: it goes with path-gain, path-loss, received-power, snr, sinr and "
            "best-server; %s is that of one component",
            kinds[options->quantity].name);
    FAIL_IF(options->local_mean && !kinds[options->quantity].power, error, PW_USAGE,
            "the local mean averages power: it goes with path-gain, path-loss, received-power, snr, sinr and "
            "best-server");
    FAIL_IF(!(options->mean_width >= 0.0 && isfinite(options->mean_width)), error, PW_USAGE,
            "the local mean over %g m: allowed is what is over 0", options->mean_width);
    FAIL_IF(options->quantity == PW_BEST_SERVER && options->transmitter != NULL &&
                strcmp(options->transmitter, best) != 0,
            error, PW_USAGE, "best-server compares all transmitters: leave out '%s'", options->transmitter);
    FAIL_IF(options->size != 0 && (options->size < 100 || options->size > 12000), error, PW_USAGE,
            "a map of %d pixels: allowed are 100 to 12000", options->size);
    FAIL_IF(options->minimum >= options->maximum, error, PW_USAGE, "colour range from %g to %g: the first must be less",
            options->minimum, options->maximum);
    return PW_OK;
}

/* First and count of the values of an ascending axis that lie in [low, high], with a tolerance for rounding. */
static void axis_crop(const double *axis, int count, double low, double high, double tolerance, int *first, int *inside)
{
    *first = 0;
    while (*first < count && axis[*first] < low - tolerance) {
        (*first)++;
    }
    *inside = 0;
    while (*first + *inside < count && axis[*first + *inside] <= high + tolerance) {
        (*inside)++;
    }
}

/* Other components stand half a cell further, and may have a cell less: the map has those that all sheets have. */
static void sheets_align(const struct result_transmitter *from, struct map *map)
{
    const struct result_sheet *sheet = &from->sheets[map->sheets[0].sheet];
    for (int n = 0; n < map->sheet_count && map->rows > 0 && map->columns > 0; n++) {
        struct map_sheet *part = &map->sheets[n];
        const struct result_sheet *own = &from->sheets[part->sheet];
        int column = result_axis_nearest(own->column_axis, own->columns, sheet->column_axis[map->column_first]);
        int row = result_axis_nearest(own->row_axis, own->rows, sheet->row_axis[map->row_first]);
        part->column_first = column > 0 ? column : 0;
        part->row_first = row > 0 ? row : 0;
        int columns = own->columns - part->column_first, rows = own->rows - part->row_first;
        map->columns = columns < map->columns ? columns : map->columns;
        map->rows = rows < map->rows ? rows : map->rows;
    }
}

static pw_status grid_fill(const struct result *result, pw_component component, struct map *map, int transmitter,
                           pw_error *error)
{
    const struct result_transmitter *from = &result->transmitters[transmitter];
    FAIL_IF(from->rows == 0 || from->columns == 0 || result->frequency_count == 0, error, PW_BAD_INPUT,
            "%s: no running spectra for transmitter '%s'; run with `spectra:` in the scenario", result->path,
            from->name);
    TRY(sheets_find(result, component, map, error));
    const struct result_sheet *sheet = &from->sheets[map->sheets[0].sheet];
    struct plan_floor floor = map_floor(result);
    double tolerance = 1e-6 * result->cell;
    axis_crop(sheet->column_axis, sheet->columns, floor.left, floor.right, tolerance, &map->column_first,
              &map->columns);
    axis_crop(sheet->row_axis, sheet->rows, floor.bottom, floor.top, tolerance, &map->row_first, &map->rows);
    sheets_align(from, map);
    FAIL_IF(map->rows <= 0 || map->columns <= 0, error, PW_BAD_INPUT,
            "%s: none of the cells with spectra lies inside the plan", result->path);
    map->x0 = sheet->column_axis[map->column_first];
    map->y0 = sheet->row_axis[map->row_first];
    /* A single row or column: as wide as the other axis has it, or a cell of the grid. */
    map->pitch_x = sheet->columns > 1 ? sheet->column_axis[1] - sheet->column_axis[0] : 0.0;
    map->pitch_y = sheet->rows > 1 ? sheet->row_axis[1] - sheet->row_axis[0] : 0.0;
    double other = fmax(map->pitch_x, map->pitch_y);
    other = other > 0.0 ? other : result->cell;
    map->pitch_x = map->pitch_x > 0.0 ? map->pitch_x : other;
    map->pitch_y = map->pitch_y > 0.0 ? map->pitch_y : other;
    return PW_OK;
}

/* No name, or "best" where no transmitter is called so. */
static bool best_asked(const struct result *result, const char *name)
{
    return name == NULL || (strcmp(name, best) == 0 && result_find_transmitter(result, name, NULL) < 0);
}

bool map_takes_best(const struct result *result, const pw_map_options *options)
{
    return best_asked(result, options->transmitter) &&
           (result->transmitter_count > 1 || options->quantity == PW_BEST_SERVER);
}

pw_status map_begin(const struct result *result, const pw_map_options *options, struct map *map, pw_error *error)
{
    memset(map, 0, sizeof *map);
    TRY(options_check(options, error));
    /* Of one transmitter the best is that one, the first. */
    const char *name = best_asked(result, options->transmitter) ? NULL : options->transmitter;
    int transmitter = result_find_transmitter(result, name, error);
    if (transmitter < 0) {
        return PW_BAD_INPUT;
    }
    const struct quantity_kind *kind = &kinds[options->quantity];
    map->quantity = options->quantity;
    map->name = kind->name;
    map->unit = kind->unit;
    map->transmitter = map_takes_best(result, options) ? -1 : transmitter;
    map->noise = pw_noise_power(options->noise_bandwidth, options->noise_figure);
    return PW_OK;
}

pw_status map_prepare(const struct result *result, const pw_map_options *options, struct map *map, pw_error *error)
{
    TRY(map_begin(result, options, map, error));
    int transmitter = map->transmitter >= 0 ? map->transmitter : 0;
    return grid_fill(result, options->channel.component, map, transmitter, error);
}
