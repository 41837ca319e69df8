/* planwave bench: how fast this machine is. */
#include "tool.h"

enum {
    OPTION_BACKEND = 256,
    OPTION_SCHEME,
    OPTION_SIZE,
    OPTION_STEPS,
    OPTION_BATCHES,
    OPTION_THREADS,
    OPTION_PRECISION,
    OPTION_FREQUENCIES,
    OPTION_JSON
};

static const char *const SCHEMES[] = {"yee", "dd2", "dd3", "dd4", "fd4", "fd6", "fd8", "all", NULL};

static const char HELP[] =
    "usage: planwave bench [OPTIONS]...\n\n"
    "Times a square of random fields with absorber, walls, a source and probes: cell updates per second (median of "
    "timed\n"
    "batches after a warm-up), bytes held per cell, and the effective bandwidth against a copy measured now.\n\n"
    "      --backend NAME     auto (default), cuda, cpu, reference\n"
    "      --scheme NAME      yee (default), dd2, dd3, dd4, fd4, fd6, fd8, all\n"
    "      --size N           cells a side, absorber included; default 3072, on a GPU 16384\n"
    "      --frequencies N    running spectra at every cell; default 0: none\n"
    "      --precision WHAT   single (default) or double\n"
    "      --threads N        on the CPU; default: all\n"
    "      --steps N          per timed batch; default: as many as take about half a second\n"
    "      --batches N        default 5\n"
    "      --json             for scripts\n"
    "  -h, --help\n\n"
    "examples:\n"
    "  planwave bench --scheme all\n"
    "  planwave bench --backend cpu --threads 1 --frequencies 16 --json\n";

static const struct option OPTIONS[] = {{"backend", required_argument, NULL, OPTION_BACKEND},
                                        {"scheme", required_argument, NULL, OPTION_SCHEME},
                                        {"size", required_argument, NULL, OPTION_SIZE},
                                        {"steps", required_argument, NULL, OPTION_STEPS},
                                        {"batches", required_argument, NULL, OPTION_BATCHES},
                                        {"threads", required_argument, NULL, OPTION_THREADS},
                                        {"precision", required_argument, NULL, OPTION_PRECISION},
                                        {"frequencies", required_argument, NULL, OPTION_FREQUENCIES},
                                        {"json", no_argument, NULL, OPTION_JSON},
                                        COMMON_OPTIONS};

static pw_status read_number(const struct option_reader *reader, int code, pw_bench_options *options)
{
    static const struct {
        int code;
        const char *name;
        long long least, most;
    } NUMBERS[] = {{OPTION_SIZE, "size", 1, 131072},
                   {OPTION_STEPS, "steps", 1, 500000},
                   {OPTION_BATCHES, "batches", 1, 101},
                   {OPTION_THREADS, "threads", 1, 4096},
                   {OPTION_FREQUENCIES, "frequencies", 0, 65536}};
    long long value = 0;
    for (size_t n = 0; n < sizeof NUMBERS / sizeof NUMBERS[0]; n++) {
        if (NUMBERS[n].code == code) {
            pw_status status = option_integer(reader, NUMBERS[n].name, NUMBERS[n].least, NUMBERS[n].most, &value);
            if (status != PW_OK) {
                return status;
            }
        }
    }
    switch (code) {
    case OPTION_SIZE:
        options->size = (int)value;
        break;
    case OPTION_STEPS:
        options->steps = value;
        break;
    case OPTION_BATCHES:
        options->batches = (int)value;
        break;
    case OPTION_THREADS:
        options->threads = (int)value;
        break;
    default:
        options->frequencies = (int)value;
        break;
    }
    return PW_OK;
}

static pw_status read_option(const struct option_reader *reader, int code, pw_bench_options *options)
{
    static const char *const PRECISIONS[] = {"single", "double", NULL};
    int index = 0;
    pw_status status = PW_OK;
    switch (code) {
    case OPTION_BACKEND:
        return option_backend(reader, &options->backend);
    case OPTION_SCHEME:
        status = option_word(reader, "scheme", SCHEMES, &index);
        options->scheme = SCHEMES[index];
        return status;
    case OPTION_PRECISION:
        status = option_word(reader, "precision", PRECISIONS, &index);
        options->precision = index == 1 ? PW_DOUBLE : PW_SINGLE;
        return status;
    case OPTION_JSON:
        options->json = true;
        return PW_OK;
    default:
        return read_number(reader, code, options);
    }
}

static pw_status bench_main(int argc, char **argv)
{
    struct option_reader reader = {
        .command = &bench_command, .argc = argc, .argv = argv, .short_options = "", .long_options = OPTIONS};
    pw_bench_options options = {.backend = "auto", .scheme = "yee"};
    pw_error error = {{0}};
    for (int code = option_next(&reader); code != OPTION_END; code = option_next(&reader)) {
        pw_status status = code == OPTION_STOP ? reader.status : read_option(&reader, code, &options);
        if (code == OPTION_STOP || status != PW_OK) {
            return status;
        }
    }
    pw_status status = option_operands(&reader, 0, 0, "");
    if (status == PW_OK) {
        status = pw_bench(&options, stdout, &error);
        if (status != PW_OK) {
            complain_error(status, &error);
        }
    }
    return status;
}

const struct command bench_command = {"bench", "how fast this machine is", HELP, bench_main};
