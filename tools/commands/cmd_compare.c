/* planwave compare: are two results the same? The exit status is the verdict. */
#include "program/tool.h"

static const char HELP[] =
    "usage: planwave compare A.h5 B.h5 [OPTIONS]...\n"
    "\n"
    "Compares every dataset that both files have. Prints the normalised Euclidean error |A-B|/|B|, the\n"
    "largest difference and where it is, the correlation, and whether all bits are the same. The exit\n"
    "status is 0 if no error is larger than allowed, else 1.\n"
    "\n"
    "      --max-error E       the largest error allowed in any dataset; default 0: all bits the same\n"
    "      --json              print JSON, for scripts\n"
    "  -q, --quiet             print nothing; the exit status tells\n"
    "  -h, --help              print this text\n"
    "\n"
    "example:\n"
    "  planwave run floorplans/empty_room.yaml --backend cpu -o cpu.h5\n"
    "  planwave run floorplans/empty_room.yaml --backend reference -o reference.h5\n"
    "  planwave compare cpu.h5 reference.h5\n";

static pw_status execute(const char *a, const char *b, double max_error, bool json, bool quiet, FILE *stream)
{
    pw_error error = {{0}};
    pw_status status = pw_compare(a, b, max_error, json, stream, &error);
    if (status != PW_OK && error.message[0] != '\0' && !(quiet && status == PW_DIFFERENT)) {
        complain_error(status, &error);
    }
    return status;
}

static pw_status compare_main(int argc, char **argv)
{
    double max_error = 0.0;
    bool json = false;
    const struct option_entry entries[] = {
        {.name = "max-error", .kind = OPTION_REAL, .value = &max_error, .most = 1e300},
        {.name = "json", .kind = OPTION_FLAG, .value = &json}};
    struct option_line line = OPTION_LINE(&compare_command, entries, 2, 2, "two result files: A.h5 B.h5");
    pw_status status = option_read(&line);
    if (status != PW_OK || line.help) {
        return status;
    }
    FILE *sink = line.verbosity < 0 ? fopen("/dev/null", "w") : stdout;
    if (sink == NULL) {
        complain("cannot open /dev/null");
        return PW_NO_RESOURCE;
    }
    status = execute(line.operands[0], line.operands[1], max_error, json, line.verbosity < 0, sink);
    if (sink != stdout && fclose(sink) != 0 && status == PW_OK) {
        status = PW_NO_RESOURCE;
    }
    return status;
}

const struct command compare_command = {.name = "compare",
                                        .summary = "compare two results; the exit status is the verdict",
                                        .help = HELP,
                                        .run = compare_main};
