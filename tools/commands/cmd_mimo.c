/* planwave mimo: what channels between arrays carry: singular values, rank, capacity, gain of beams. */
#include "commands/channel_request.h"
#include "program/map_options.h"

struct mimo_request {
    const char *output;
    pw_mimo_files files;
    bool force;
    struct channel_request stations; /* its transmitters and receivers */
    pw_mimo_options options;
};

static const char HELP[] =
    "usage: planwave mimo RESULT.h5 [--tx NAME]... [--rx NAME]... [OPTIONS]...\n"
    "\n"
    "Prints what the channels between arrays carry: rank, capacity with the same power from every\n"
    "antenna and by water filling. An array is one transmitter or receiver of the scenario, with\n"
    "antenna: {array: ula, elements: 4} (planwave help scenario). Each antenna is solved, or recorded,\n"
    "at its own place.\n"
    "\n"
    "      --tx NAME           station, or all; may be repeated. Default: all\n"
    "      --rx NAME           station, or all; may be repeated. Default: all\n"
    "      --snr DB            scale every link to this SNR, the mean over antennas and frequencies;\n"
    "                          default: by the powers of the scenario, noise figure and bandwidth\n"
    "  -o, --output FILE.csv   write a line a link, with singular values, gain of beams, correlation and\n"
    "                          polarisation\n"
    "      --plot FILE         a picture (.png, .svg, .pdf): how capacity is distributed over the links;\n"
    "                          of one link its singular values over frequency\n"
    "      --map FILE          a picture of the plan: capacity at the places of the receivers\n"
    "  -f, --force             replace existing files\n"
    "      --depth DB          singular values within so much of the largest count for the rank;\n"
    "                          default 20 dB\n"
    "      --noise-figure DB   noise figure of the receiver; default 7 dB\n"
    "      --bandwidth HZ      noise bandwidth of the receiver; default 20 MHz\n" SPREADING_HELP HEIGHT_HELP
    "  -q, --quiet             print no table\n"
    "  -h, --help              print this text\n"
    "\n"
    "examples:\n"
    "  planwave mimo office.h5 --tx ap1 --snr 20dB\n"
    "  planwave mimo office.h5 -o mimo.csv --plot capacity.png\n"
    "+\n"
    "+Columns of the table: gain_dB is the mean |H|^2 between isotropic antennas. snr_dB is the SNR of\n"
    "+one antenna with the power of all. tx_beam_dB is the best beam of a DFT codebook, one for the\n"
    "+whole band, over the mean antenna, with all antennas of the receiver combined; rx_beam_dB the same\n"
    "+at the other end. tx_correlation is the mean magnitude over pairs of antennas of one polarisation.\n"
    "+cross_polar_dB needs two polarisations at both ends: the stronger pairing over the other.\n"
    "+singular_N_under_1_dB are means over the band.\n";

static pw_status mimo_do(const pw_result *result, void *user, FILE *report, pw_error *error)
{
    struct mimo_request *request = user;
    const struct channel_request *stations = &request->stations;
    request->options.pairs.transmitters = stations->transmitters;
    request->options.pairs.transmitter_count = stations->all_transmitters ? 0 : stations->transmitter_count;
    request->options.pairs.places = stations->places;
    request->options.pairs.place_count = stations->all_receivers ? 0 : stations->place_count;
    request->files.csv = request->output;
    PW_TRY(pw_mimo_write(result, &request->options, &request->files, report, error));
    tell_written(report, request->files.csv);
    tell_written(report, request->files.picture);
    tell_written(report, request->files.map);
    return PW_OK;
}

static pw_status mimo_main(int argc, char **argv)
{
    struct mimo_request request = {.options = pw_mimo_options_default()};
    pw_mimo_options *options = &request.options;
    const struct option_entry entries[] = {
        OUTPUT_OPTIONS(&request.output, &request.force),
        {.name = "plot", .kind = OPTION_OUTPUT, .value = &request.files.picture},
        {.name = "map", .kind = OPTION_OUTPUT, .value = &request.files.map},
        {.name = "tx", .kind = OPTION_TAKEN, .value = &request.stations, .take = channel_take_transmitter},
        {.name = "rx", .kind = OPTION_TAKEN, .value = &request.stations, .take = channel_take_receiver},
        {.name = "snr", .kind = OPTION_TAKEN, .value = &options->snr, .take = take_decibels},
        {.name = "depth", .kind = OPTION_TAKEN, .value = &options->depth, .take = take_decibels},
        {.name = "noise-figure", .kind = OPTION_TAKEN, .value = &options->noise_figure, .take = take_decibels},
        {.name = "bandwidth", .kind = OPTION_FREQUENCY, .value = &options->noise_bandwidth},
        SPREADING_OPTION(&options->pairs.channel),
        HEIGHT_OPTIONS(&options->pairs.channel)};
    struct option_line line = OPTION_LINE(&mimo_command, entries, 1, 1, "RESULT.h5");
    pw_status status = option_read(&line);
    const char *const pictures[] = {request.files.picture, request.files.map};
    for (int n = 0; n < 2 && status == PW_OK && !line.help; n++) {
        status = pictures[n] != NULL ? check_picture(pictures[n], request.force, false) : PW_OK;
    }
    if (status == PW_OK && !line.help) {
        status = result_work(&(struct result_task){.result = line.operands[0],
                                                   .output = request.output,
                                                   .force = request.force,
                                                   .verbosity = line.verbosity,
                                                   .work = mimo_do,
                                                   .request = &request});
    }
    channel_request_free(&request.stations);
    return status;
}

const struct command mimo_command = {.name = "mimo",
                                     .summary = "channels between arrays: rank, capacity, beams, correlation",
                                     .help = HELP,
                                     .run = mimo_main};
