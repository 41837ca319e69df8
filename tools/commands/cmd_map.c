/* planwave map: one quantity over the whole floor, as a picture and as numbers. */
#include "program/map_options.h"

#include <math.h>
#include <string.h>
#include <strings.h>

enum { PATH_SIZE = 4096, NAME_SIZE = 128 };

struct map_request {
    char derived[PATH_SIZE]; /* what `output` is called when the user does not say */
    const char *output;
    const char *coverage; /* text of the coverage threshold; its unit is known when all options are */
    bool force;
    pw_sheet_choice sheet;
    pw_map_options options;
};

static const char HELP[] =
    "usage: planwave map RESULT.h5 [OPTIONS]...\n"
    "\n"
    "Draws a map of the whole floor with its walls. Writes the same numbers as .csv and .npy beside it.\n"
    "\n"
    "      --quantity WHAT     path-gain (default), path-loss, received-power, snr, sinr, best-server;\n"
    "                          rms-delay-spread, mean-delay, maximum-delay, k-factor, coherence-50,\n"
    "                          coherence-90\n"
    "      --tx NAME           transmitter; default: the strongest one at each point (best). In sinr the\n"
    "                          other transmitters on overlapping channels interfere\n"
    "  -o, --output FILE       .png, .svg or .pdf; default: the name of the result and the quantity\n"
    "  -f, --force             replace existing files\n" MEAN_HELP
    "      --coverage LEVEL    print the share of the floor above LEVEL, e.g. -67dBm, and draw its border\n"
    "+                         For path-loss: the share below LEVEL\n"
    "      --height H          three dimensions: the stored plane nearest to this height [m]\n"
    "      --range MIN,MAX     range of the colours\n"
    "+     --colours NAME      viridis (default) or turbo\n"
    "+     --size PIXELS       length of the longer side of the map; default 1040\n"
    "+     --cut N             three dimensions: vertical cut number N, as planwave info lists them\n"
    "+     --component E       three dimensions: ez, ex, ey, or total (sum of the powers of all stored\n"
    "+                         components); default: ez if it was stored\n" RECEIVER_HELP FLOOR_HELP CHANNEL_HELP
    "  -q, --quiet             print no summary\n"
    "  -h, --help              print this text\n"
    "\n"
    "examples:\n"
    "  planwave map flat.h5 --quantity received-power --local-mean --coverage -67dBm -o coverage.png\n"
    "  planwave map flat.h5 --quantity rms-delay-spread -o spread.pdf\n"
    "+ planwave map flat3d.h5 --height 1.5 --component total -o chest.png\n"
    "+ planwave map flat3d.h5 --cut 1 -o section.png\n";

static pw_status draw(const pw_result *result, void *user, FILE *report, pw_error *error)
{
    struct map_request *request = user;
    request->options.note = warn_user;
    PW_TRY(pw_map_write(result, &request->options, request->output, report, error));
    if (report != NULL) {
        fprintf(report, "wrote %s, and the numbers as .csv and .npy beside it\n", request->output);
    }
    return PW_OK;
}

static pw_status take_range(const struct option_line *line, const struct option_entry *entry, char *text)
{
    pw_map_options *options = entry->value;
    double range[2] = {0.0, 0.0};
    struct option_entry pair = {.name = entry->name, .value = range};
    pw_status status = option_take_pair(line, &pair, text);
    if (status == PW_OK && range[0] >= range[1]) {
        return complain_usage(line->command, "--range '%s': the first must be less than the second", text);
    }
    options->minimum = range[0];
    options->maximum = range[1];
    return status;
}

/* In dBm a threshold can only be one of coverage, else it is the channel's. */
static pw_status take_threshold(const struct option_line *line, const struct option_entry *entry, char *text)
{
    struct map_request *request = entry->value;
    size_t length = strlen(text);
    if (length > 3 && strcasecmp(text + length - 3, "dBm") == 0) {
        request->coverage = text;
        return PW_OK;
    }
    const struct option_entry own[] = {CHANNEL_THRESHOLD(&request->options.channel)};
    return option_argument(line, own, text);
}

/* "-path-gain.png", "-path-gain-1.5m-ex.png": maps of several heights do not overwrite each other. */
static void name_suffix(const struct map_request *request, char suffix[NAME_SIZE])
{
    const pw_sheet_choice *sheet = &request->sheet;
    int used = snprintf(suffix, NAME_SIZE, "-%s", QUANTITY_NAMES[request->options.quantity]);
    if (!isnan(sheet->height)) {
        used += snprintf(suffix + used, (size_t)(NAME_SIZE - used), "-%gm", sheet->height);
    }
    if (sheet->cut > 0) {
        used += snprintf(suffix + used, (size_t)(NAME_SIZE - used), "-cut%d", sheet->cut);
    }
    if (sheet->component != PW_COMPONENT_OWN) {
        used += snprintf(suffix + used, (size_t)(NAME_SIZE - used), "-%s", COMPONENT_WORDS[sheet->component]);
    }
    snprintf(suffix + used, (size_t)(NAME_SIZE - used), ".png");
}

static pw_status map_main(int argc, char **argv)
{
    static const char *const COLOURS[] = {"viridis", "turbo", NULL};
    struct map_request request = {.sheet = pw_sheet_choice_default(), .options = pw_map_options_default()};
    pw_map_options *options = &request.options;
    int colours = 0;
    const struct option_entry entries[] = {
        OUTPUT_OPTIONS(&request.output, &request.force),
        {.name = "quantity", .kind = OPTION_WORD, .value = &options->quantity, .words = QUANTITY_NAMES},
        {.name = "tx", .kind = OPTION_TEXT, .value = &options->transmitter, .once = true},
        {.name = "coverage", .kind = OPTION_TEXT, .value = &request.coverage},
        {.name = "range", .kind = OPTION_TAKEN, .value = options, .take = take_range},
        {.name = "colours", .kind = OPTION_WORD, .value = &colours, .words = COLOURS},
        {.name = "size", .kind = OPTION_INTEGER, .value = &options->size, .least = 100, .most = 12000},
        {.name = "threshold", .kind = OPTION_TAKEN, .value = &request, .take = take_threshold},
        SHEET_OPTIONS(&request.sheet),
        FLOOR_OPTION(options),
        MEAN_OPTIONS(options),
        RECEIVER_OPTIONS(options),
        CHANNEL_OPTIONS(&options->channel)};
    struct option_line line = OPTION_LINE(&map_command, entries, 1, 1, "RESULT.h5");
    pw_status status = option_read(&line);
    if (status == PW_OK && request.coverage != NULL) {
        status =
            read_level(&line, "coverage", request.coverage, pw_quantity_unit(options->quantity), &options->threshold);
    }
    if (status != PW_OK || line.help) {
        return status;
    }
    options->turbo = colours == 1;
    options->local_mean = options->local_mean || options->mean_width > 0.0;
    char suffix[NAME_SIZE];
    name_suffix(&request, suffix);
    options->channel.component = request.sheet.component == PW_COMPONENT_TOTAL ? PW_COMPONENT_TOTAL : PW_COMPONENT_OWN;
    request.output = output_name(request.output, line.operands[0], suffix, request.derived, sizeof request.derived);
    return result_work(&(struct result_task){.result = line.operands[0],
                                             .output = request.output,
                                             .force = request.force,
                                             .kind = OUTPUT_MAP,
                                             .sheet = &request.sheet,
                                             .verbosity = line.verbosity,
                                             .work = draw,
                                             .request = &request});
}

const struct command map_command = {
    .name = "map", .summary = "draw a quantity over the whole floor", .help = HELP, .run = map_main};
