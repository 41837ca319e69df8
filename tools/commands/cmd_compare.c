/* planwave compare: are two results the same? The exit status is the verdict. */
#include "program/tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char HELP[] =
    "usage: planwave compare A.h5 B.h5 [OPTIONS]...\n"
    "\n"
    "Results of one grid: compares every dataset that both files have. Prints the normalised error\n"
    "|A-B|/|B|, the largest difference and where it is, the correlation, and whether all bits agree.\n"
    "\n"
    "Results of two grids (cells, schemes, time steps, 2D and 3D): compares what has an axis in Hz, s or\n"
    "m. Of receivers by name: transfer functions at the frequencies of both, delay profiles, path loss,\n"
    "delay spread. Of transmitters by name: maps of received power and delay spread, at the points of the\n"
    "coarser map. What could not be compared is listed with the reason.\n"
    "\n"
    "The exit status is 0 if no error is larger than allowed and neither file has anything alone, else 1.\n"
    "\n"
    "      --max-error E       the largest error allowed in any dataset or quantity; default 0. 1dB:\n"
    "                          the rms difference allowed in whatever is in dB; means --physical\n"
    "      --physical          compare by frequency, delay and place, also on one grid\n"
    "      --datasets          compare datasets, also of two grids\n"
    "  -o, --output FILE       draw map A, map B, their difference, and the link that agrees least\n"
    "                          (PNG, SVG, PDF); means --physical\n"
    "  -f, --force             replace an existing picture\n"
    "      --json              print JSON, for scripts\n"
    "  -q, --quiet             print nothing; the exit status tells\n"
    "  -h, --help              print this text\n"
    "\n"
    "example:\n"
    "  planwave run floorplans/empty_room.yaml --backend cpu -o cpu.h5\n"
    "  planwave run floorplans/empty_room.yaml --backend reference -o reference.h5\n"
    "  planwave compare cpu.h5 reference.h5\n"
    "  planwave run floorplans/empty_room.yaml --set grid.scheme=yee -o yee.h5\n"
    "  planwave compare yee.h5 cpu.h5 --max-error 1dB -o diff.png\n";

struct compare_request {
    const char *a, *b, *plot;
    double max_error, max_db; /* NAN: no limit */
    bool json, quiet, physical, datasets, force;
};

/* Whether the two were solved on two grids. Files that cannot be opened are left to the comparison to complain of. */
static bool grids_differ(const struct compare_request *request)
{
    char grids[PW_AGREEMENT_TEXT] = "";
    PW_OWNED_AS(pw_result) *a = NULL;
    PW_OWNED_AS(pw_result) *b = NULL;
    if (pw_result_open(request->a, &a, NULL) == PW_OK && pw_result_open(request->b, &b, NULL) == PW_OK) {
        pw_agreement_grids(a, b, grids);
    }
    return grids[0] != '\0';
}

static pw_status compare_physical(const struct compare_request *request, FILE *stream, pw_error *error)
{
    pw_agreement *agreement = NULL;
    PW_TRY(pw_agreement_create(request->a, request->b, NULL, request->max_error, request->max_db, NULL, &agreement,
                               error));
    pw_status status = pw_agreement_print(agreement, request->json, stream, error);
    if (status == PW_OK && request->plot != NULL) {
        status = pw_agreement_plot(agreement, request->plot, error);
    }
    bool different = pw_agreement_differs(agreement);
    pw_agreement_free(agreement);
    if (status == PW_OK && different) {
        snprintf(error->message, sizeof error->message, "'%.300s' and '%.300s' differ by more than allowed", request->a,
                 request->b);
        return PW_DIFFERENT;
    }
    return status;
}

static pw_status execute(const struct compare_request *request, FILE *stream)
{
    pw_error error = {{0}};
    bool physical = request->physical || request->plot != NULL || !isnan(request->max_db) ||
                    (!request->datasets && grids_differ(request));
    pw_status status = physical ? compare_physical(request, stream, &error)
                                : pw_compare(request->a, request->b, request->max_error, request->json, stream, &error);
    if (status != PW_OK && error.message[0] != '\0' && !(request->quiet && status == PW_DIFFERENT)) {
        complain_error(status, &error);
    }
    return status;
}

/* "0.2": relative; "1dB": of the rms difference. */
static pw_status take_max_error(const struct option_line *line, const struct option_entry *entry, char *text)
{
    struct compare_request *request = entry->value;
    char *end = NULL;
    double value = strtod(text, &end);
    size_t blanks = strspn(end, " ");
    bool levels = strcasecmp(end + blanks, "dB") == 0;
    if (end == text || !isfinite(value) || value < 0.0 || (!levels && *end != '\0')) {
        return complain_usage(line->command, "--%s '%s': allowed are numbers from 0 on, as 0.2 (relative) or 1dB",
                              entry->name, text);
    }
    request->max_error = levels ? NAN : value;
    request->max_db = levels ? value : NAN;
    return PW_OK;
}

static pw_status compare_main(int argc, char **argv)
{
    struct compare_request request = {.max_error = 0.0, .max_db = NAN};
    const struct option_entry entries[] = {
        {.name = "max-error", .kind = OPTION_TAKEN, .value = &request, .take = take_max_error},
        {.name = "physical", .kind = OPTION_FLAG, .value = &request.physical},
        {.name = "datasets", .kind = OPTION_FLAG, .value = &request.datasets},
        {.name = "output", .kind = OPTION_OUTPUT, .value = &request.plot, .letter = 'o'},
        {.name = "force", .kind = OPTION_FLAG, .value = &request.force, .letter = 'f'},
        {.name = "json", .kind = OPTION_FLAG, .value = &request.json}};
    struct option_line line = OPTION_LINE(&compare_command, entries, 2, 2, "two result files: A.h5 B.h5");
    pw_status status = option_read(&line);
    if (status != PW_OK || line.help) {
        return status;
    }
    if (request.datasets && (request.physical || request.plot != NULL || !isnan(request.max_db))) {
        return complain_usage(line.command, "--datasets does not go together with %s",
                              request.plot != NULL ? "--output"
                              : request.physical   ? "--physical"
                                                   : "--max-error in dB");
    }
    if (request.plot != NULL) {
        status = check_picture(request.plot, request.force, false);
        PW_TRY(status);
    }
    request.a = line.operands[0];
    request.b = line.operands[1];
    request.quiet = line.verbosity < 0;
    FILE *sink = request.quiet ? fopen("/dev/null", "w") : stdout;
    if (sink == NULL) {
        complain("cannot open /dev/null");
        return PW_NO_RESOURCE;
    }
    status = execute(&request, sink);
    if (sink != stdout && fclose(sink) != 0 && status == PW_OK) {
        status = PW_NO_RESOURCE;
    }
    return status;
}

const struct command compare_command = {.name = "compare",
                                        .summary = "compare two results; the exit status is the verdict",
                                        .help = HELP,
                                        .run = compare_main};
