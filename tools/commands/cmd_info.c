/* planwave info: what is in a result, what this build and machine can do, what a material is worth at a frequency. */
#include "program/tool.h"

static const char HELP[] =
    "usage: planwave info RESULT.h5 [--json]\n"
    "       planwave info --backends\n"
    "       planwave info --materials [--frequency F] [--fit --width W]\n"
    "\n"
    "Prints what a result holds, what this machine can run on, or the properties of building materials.\n"
    "\n"
    "      --backends          list the backends that work on this machine, and why the others do not\n"
    "      --materials         list the materials of ITU-R P.2040-4 with permittivity and conductivity\n"
    "      --frequency F       the frequency for --materials, with its unit; default 2.4 GHz\n"
    "      --fit               with --materials: fit poles over a band, as `materials: fitted` does\n"
    "      --width W           width of that band around F; default: a fifth of F\n"
    "      --json              print the contents of RESULT.h5 as JSON, for scripts\n"
    "  -h, --help              print this text\n"
    "\n"
    "examples:\n"
    "  planwave info flat.h5\n"
    "  planwave info --materials --frequency 5.8GHz\n";

static pw_status print_backends(void)
{
    for (size_t b = 0; b < pw_backend_count(); b++) {
        pw_backend_info info = pw_backend_describe(b);
        printf("%-10s %s\n%-10s %s%s\n", info.name, info.description, "",
               info.available ? "" : "not available: ", info.device);
    }
    return PW_OK;
}

static pw_status print_materials(double frequency, bool fit, double width)
{
    pw_error error = {{0}};
    pw_status status = fit ? pw_materials_fit_print(frequency - 0.5 * width, frequency + 0.5 * width, stdout, &error)
                           : pw_materials_print(frequency, stdout, &error);
    return status == PW_OK ? status : complain_error(status, &error);
}

static pw_status print_result(const char *path, bool json)
{
    pw_error error = {{0}};
    PW_OWNED_AS(pw_result) *result = NULL;
    pw_status status = pw_result_open(path, &result, &error);
    PW_THEN(status, pw_result_print(result, json, stdout, &error));
    return status == PW_OK ? status : complain_error(status, &error);
}

static pw_status info_main(int argc, char **argv)
{
    bool backends = false, materials = false, json = false, fit = false;
    double frequency = 2.4e9, width = 0; /* Hz */
    const struct option_entry entries[] = {{.name = "backends", .kind = OPTION_FLAG, .value = &backends},
                                           {.name = "materials", .kind = OPTION_FLAG, .value = &materials},
                                           {.name = "frequency", .kind = OPTION_FREQUENCY, .value = &frequency},
                                           {.name = "fit", .kind = OPTION_FLAG, .value = &fit},
                                           {.name = "width", .kind = OPTION_FREQUENCY, .value = &width},
                                           {.name = "json", .kind = OPTION_FLAG, .value = &json}};
    struct option_line line = OPTION_LINE(&info_command, entries, 0, 1, "RESULT.h5");
    pw_status status = option_read(&line);
    if (status != PW_OK || line.help) {
        return status;
    }
    const char *result = line.operands[0]; /* NULL when there is none: argv ends so */
    if (result == NULL && !backends && !materials) {
        return complain_usage(&info_command, "RESULT.h5, --backends or --materials missing");
    }
    if ((result != NULL) + backends + materials > 1) {
        return complain_usage(&info_command, "give one of RESULT.h5, --backends and --materials");
    }
    if ((fit || width > 0) && !materials) {
        return complain_usage(&info_command, "--fit and --width go with --materials");
    }
    return backends    ? print_backends()
           : materials ? print_materials(frequency, fit, width > 0 ? width : 0.2 * frequency)
                       : print_result(result, json);
}

const struct command info_command = {.name = "info",
                                     .summary = "what is in a result, what this machine can do, materials",
                                     .help = HELP,
                                     .run = info_main};
