/* planwave bench: how fast this machine is. */
#include "program/tool.h"

enum { SCHEME_LIMIT = 62 /* schemes beside "all" */ };

static const char HELP[] =
    "usage: planwave bench [OPTIONS]...\n"
    "\n"
    "Measures how fast this machine is. It steps a square of random fields with absorber, walls, a source\n"
    "and probes. It prints cell updates per second (median of timed batches after a warm-up), bytes per\n"
    "cell, and the memory bandwidth that this amounts to, compared with a plain copy.\n"
    "\n"
    "      --backend NAME      auto (default), cuda, cpu, reference\n"
    "      --scheme NAME       yee (default), another scheme of 'planwave help scenario', or all\n"
    "      --dimensions N      2 (default): a square; 3: a cube with slabs and spectra on one level\n"
    "      --size N            cells per side, with absorber; default 3072 on a CPU, 16384 on a GPU;\n"
    "                          for a cube 256 and 512, with --metal 4096 and 256\n"
    "      --dispersive N      percentage of nodes with a Debye pole, up to 50; default 0\n"
    "      --metal             an office with metal cupboards, one for each 10 m2, in place of the square\n"
    "      --frequencies N     running spectra at N frequencies in every cell; default 0\n"
    "      --precision WHAT    single (default) or double\n"
    "      --storage WHAT      full (default), or half: fields in 16 bits, with --dimensions 3\n"
    "      --threads N         CPU threads; default: all cores\n"
    "      --steps N           steps in a timed batch; default: enough for about half a second\n"
    "      --batches N         timed batches; default 5\n"
    "      --json              print JSON, for scripts\n"
    "  -h, --help              print this text\n"
    "\n"
    "examples:\n"
    "  planwave bench --scheme all\n"
    "  planwave bench --dimensions 3 --scheme fd4o\n"
    "  planwave bench --backend cpu --threads 1 --frequencies 16 --json\n";

static pw_status bench_main(int argc, char **argv)
{
    pw_bench_options options = {.backend = "auto"};
    const char *schemes[SCHEME_LIMIT + 2] = {NULL};
    static const char *const STORAGE_WORDS[] = {"full", "half", NULL};
    int scheme = 0, scheme_count = 0, storage = 0;
    while (scheme_count < SCHEME_LIMIT && pw_choice_describe(PW_SCHEMES, (size_t)scheme_count).name != NULL) {
        schemes[scheme_count] = pw_choice_describe(PW_SCHEMES, (size_t)scheme_count).name;
        scheme_count++;
    }
    schemes[scheme_count] = "all";
    const struct option_entry entries[] = {
        {.name = "backend", .kind = OPTION_BACKEND, .value = &options.backend},
        {.name = "scheme", .kind = OPTION_WORD, .value = &scheme, .words = schemes},
        {.name = "dimensions", .kind = OPTION_INTEGER, .value = &options.dimensions, .least = 2, .most = 3},
        {.name = "size", .kind = OPTION_INTEGER, .value = &options.size, .least = 1, .most = 131072},
        {.name = "steps", .kind = OPTION_COUNT, .value = &options.steps, .least = 1, .most = 500000},
        {.name = "batches", .kind = OPTION_INTEGER, .value = &options.batches, .least = 1, .most = 101},
        {.name = "threads", .kind = OPTION_INTEGER, .value = &options.threads, .least = 1, .most = THREADS_MOST},
        {.name = "precision", .kind = OPTION_WORD, .value = &options.precision, .words = PRECISION_WORDS},
        {.name = "storage", .kind = OPTION_WORD, .value = &storage, .words = STORAGE_WORDS},
        {.name = "frequencies", .kind = OPTION_INTEGER, .value = &options.frequencies, .most = 65536},
        {.name = "dispersive", .kind = OPTION_INTEGER, .value = &options.dispersive, .most = 50},
        {.name = "metal", .kind = OPTION_FLAG, .value = &options.metal},
        {.name = "json", .kind = OPTION_FLAG, .value = &options.json}};
    struct option_line line = OPTION_LINE(&bench_command, entries, 0, 0, "");
    pw_error error = {{0}};
    pw_status status = option_read(&line);
    if (status != PW_OK || line.help) {
        return status;
    }
    options.scheme = schemes[scheme];
    options.half = storage == 1;
    status = pw_bench(&options, stdout, &error);
    return status == PW_OK ? status : complain_error(status, &error);
}

const struct command bench_command = {
    .name = "bench", .summary = "measure how fast this machine is", .help = HELP, .run = bench_main};
