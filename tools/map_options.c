/* The options that commands about the whole floor share (map_options.h). */
#include "map_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const QUANTITY_NAMES[] = {
    "path-gain", "received-power", "rms-delay-spread", "mean-delay",   "k-factor",     "best-server",
    "snr",       "sinr",           "maximum-delay",    "coherence-50", "coherence-90", NULL};

pw_status read_level(const struct option_reader *reader, const char *name, const char *text, const char *unit,
                     double *value)
{
    char *end = NULL;
    *value = strtod(text, &end);
    if (end == text || !isfinite(*value)) {
        return complain_usage(reader->command, "--%s '%s': give a number, such as %s%s", name, text,
                              strcmp(unit, "dBm") == 0 ? "-67" : "10", unit);
    }
    end += strspn(end, " ");
    if (*end != '\0' && strcasecmp(end, unit) != 0) {
        return complain_usage(reader->command, "--%s '%s': the unit here is %s, not '%s'", name, text, unit, end);
    }
    return PW_OK;
}

static pw_status read_library(const struct option_reader *reader, const char *name, double *value,
                              pw_status (*parse)(const char *, double *, pw_error *))
{
    pw_error error = {{0}};
    if (parse(optarg, value, &error) != PW_OK) {
        return complain_usage(reader->command, "--%s %s", name, error.message);
    }
    if (!(*value > 0.0)) {
        return complain_usage(reader->command, "--%s '%s': it must be over zero", name, optarg);
    }
    return PW_OK;
}

pw_status option_map(const struct option_reader *reader, int code, pw_map_options *options)
{
    switch (code) {
    case OPTION_LOCAL_MEAN:
        options->local_mean = true;
        return PW_OK;
    case OPTION_MEAN:
        options->local_mean = true;
        return read_library(reader, "mean", &options->mean_width, pw_parse_length);
    case OPTION_GAIN:
        return read_level(reader, "gain", optarg, "dBi", &options->receiver_gain);
    case OPTION_NOISE_FIGURE:
        return read_level(reader, "noise-figure", optarg, "dB", &options->noise_figure);
    case OPTION_BANDWIDTH:
        return read_library(reader, "bandwidth", &options->noise_bandwidth, pw_parse_frequency);
    default:
        return option_channel(reader, code, &options->channel);
    }
}
