/* The program: finds the sub-command, or helps. Everything that computes is in the library; everything that reads
 * options is in cmd_*.c. */
#include "tools/tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct command *const COMMANDS[] = {
    &run_command,       &rasterize_command, &channel_command, &map_command,  &coverage_command,
    &calibrate_command, &report_command,    &compare_command, &info_command, &bench_command};
enum { COMMAND_COUNT = sizeof COMMANDS / sizeof COMMANDS[0] };

static const struct command *find_command(const char *name)
{
    for (size_t c = 0; c < COMMAND_COUNT; c++) {
        if (strcmp(name, COMMANDS[c]->name) == 0) {
            return COMMANDS[c];
        }
    }
    return NULL;
}

static void print_help(FILE *stream)
{
    fprintf(stream, "planwave: full-wave radio channels from a floor plan\n\n"
                    "usage: planwave COMMAND [OPTIONS]...\n\n");
    for (size_t c = 0; c < COMMAND_COUNT; c++) {
        fprintf(stream, "  %-10s %s\n", COMMANDS[c]->name, COMMANDS[c]->summary);
    }
    fprintf(stream,
            "  %-10s this list; help COMMAND: options and examples; help scenario: every key of a scenario;\n"
            "  %-10s help metrics: how everything that a channel reports is defined\n\n",
            "help", "");
    fprintf(stream, "Every command understands -h/--help, -q/--quiet and -v/--verbose. planwave --version says which.\n"
                    "Exit status: 0 done, 1 compared files differ, 2 usage, 3 bad input, 4 no resource, 5 numerical\n"
                    "failure, 6 interrupted.\n\n"
                    "Start with:\n"
                    "  planwave rasterize floorplans/flat.yaml -o plan.png     what the solver will see\n"
                    "  planwave run floorplans/flat.yaml -o flat.h5            solve\n"
                    "  planwave map flat.h5 -o coverage.png                    look\n"
                    "  planwave report flat.h5 -o flat.html                    explore in a browser\n");
}

static pw_status unknown_command(const char *name)
{
    const char *names[COMMAND_COUNT + 1] = {"help"};
    for (size_t c = 0; c < COMMAND_COUNT; c++) {
        names[c + 1] = COMMANDS[c]->name;
    }
    const char *near = nearest_word(name, names, COMMAND_COUNT + 1);
    if (near != NULL) {
        complain("there is no command '%s'; did you mean '%s'?", name, near);
    } else {
        complain("there is no command '%s'", name);
    }
    complain("try 'planwave help'");
    return PW_USAGE;
}

static pw_status help_on(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stdout);
        return PW_OK;
    }
    if (strcmp(argv[1], "scenario") == 0) {
        help_scenario(stdout);
        return PW_OK;
    }
    if (strcmp(argv[1], "metrics") == 0) {
        fputs(pw_channel_help(), stdout);
        return PW_OK;
    }
    const struct command *command = find_command(argv[1]);
    if (command == NULL) {
        return strcmp(argv[1], "help") == 0 ? help_on(1, argv) : unknown_command(argv[1]);
    }
    print_command_help(command, stdout);
    return PW_OK;
}

static pw_status dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return PW_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("planwave %s (%s)\n", PW_VERSION, pw_commit());
        return PW_OK;
    }
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        return help_on(argc - 1, argv + 1);
    }
    const struct command *command = find_command(name);
    if (command == NULL) {
        return unknown_command(name);
    }
    return command->main(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    pw_status status = dispatch(argc, argv);
    /* A full disk behind a redirection must not end in success. */
    if ((fflush(stdout) != 0 || ferror(stdout) != 0) && status == PW_OK) {
        complain("cannot write to standard output: %s", strerror(errno));
        status = PW_NO_RESOURCE;
    }
    return (int)status;
}
