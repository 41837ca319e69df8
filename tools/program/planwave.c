/* The program: finds the command that is asked for, or prints help. Everything that computes is in the library;
 * everything that reads options is in tools/commands, one file per command. */
#include "program/tool.h"

#include "drawing/planwave_drawings.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

static const struct command *const COMMANDS[] = {
#define COMMAND(name) &name##_command,
#include "program/table.h"
#undef COMMAND
};
enum { COMMAND_COUNT = sizeof COMMANDS / sizeof COMMANDS[0] };

static void help_metrics(FILE *out)
{
    fputs(pw_channel_help(), out);
}

/* What `planwave help` explains beside the commands. */
static const struct topic {
    const char *name, *summary;
    void (*print)(FILE *out);
} TOPICS[] = {{"scenario", "every key of a scenario", help_scenario},
              {"metrics", "how everything that a channel reports is defined", help_metrics}};
enum { TOPIC_COUNT = sizeof TOPICS / sizeof TOPICS[0] };

static const struct command *find_command(const char *name)
{
    for (size_t c = 0; c < COMMAND_COUNT; c++) {
        if (strcmp(name, COMMANDS[c]->name) == 0) {
            return COMMANDS[c];
        }
    }
    return NULL;
}

static const struct topic *find_topic(const char *name)
{
    for (size_t t = 0; t < TOPIC_COUNT; t++) {
        if (strcmp(name, TOPICS[t].name) == 0) {
            return &TOPICS[t];
        }
    }
    return NULL;
}

static void print_help(FILE *stream)
{
    fprintf(stream, "planwave: full-wave radio channels from a floor plan\n\n"
                    "usage: planwave COMMAND [OPTIONS]...\n\n");
    for (size_t c = 0; c < COMMAND_COUNT; c++) {
        fprintf(stream, "  %-14s %s\n", COMMANDS[c]->name, COMMANDS[c]->summary);
    }
    fprintf(stream, "  %-14s print this list; help COMMAND: its options and examples\n", "help");
    for (size_t t = 0; t < TOPIC_COUNT; t++) {
        fprintf(stream, "  help %-9s %s\n", TOPICS[t].name, TOPICS[t].summary);
    }
    fprintf(stream,
            "\n"
            "COMMAND --help prints the common options, COMMAND --help-all every option. planwave --version\n"
            "prints the version and how it was built. Exit status: 0 done, 1 files differ or a need is not met,\n"
            "2 wrong usage, 3 bad input, 4 not enough memory or disk, or no such device, 5 numerical failure,\n"
            "6 interrupted, 7 some cases of a sweep failed.\n\n"
            "examples:\n"
            "  planwave rasterize floorplans/flat.yaml -o plan.png     what the solver will see\n"
            "  planwave run floorplans/flat.yaml -o flat.h5            solve\n"
            "  planwave map flat.h5 -o coverage.png                    look\n"
            "  planwave report flat.h5 -o flat.html                    explore in a browser\n");
}

/* What other programs call it. */
static const char *meant_command(const char *name)
{
    static const char *const OTHERS[][2] = {
        {"heatmap", "map"},     {"heat-map", "map"},         {"plot", "map"},       {"simulate", "run"},
        {"solve", "run"},       {"draw", "rasterize"},       {"plan", "rasterize"}, {"convert", "import"},
        {"optimize", "place"},  {"optimise", "place"},       {"diff", "compare"},   {"show", "info"},
        {"benchmark", "bench"}, {"calibration", "calibrate"}};
    for (size_t n = 0; n < sizeof OTHERS / sizeof OTHERS[0]; n++) {
        if (strcmp(name, OTHERS[n][0]) == 0) {
            return OTHERS[n][1];
        }
    }
    return NULL;
}

/* Complains that neither a command nor, with `topics`, a topic of the help has this name. */
static pw_status complain_unknown(const char *name, bool topics)
{
    const char *names[COMMAND_COUNT + TOPIC_COUNT + 1] = {"help"};
    size_t count = 1;
    for (size_t c = 0; c < COMMAND_COUNT; c++) {
        names[count++] = COMMANDS[c]->name;
    }
    for (size_t t = 0; topics && t < TOPIC_COUNT; t++) {
        names[count++] = TOPICS[t].name;
    }
    const char *meant = meant_command(name), *near = meant != NULL ? meant : nearest_word(name, names, count);
    if (near != NULL) {
        complain("there is no command '%s'; did you mean '%s'?", name, near);
    } else {
        complain("there is no command '%s'", name);
    }
    complain("'planwave help' lists the commands");
    return PW_USAGE;
}

/* `planwave help [--all] [COMMAND or topic]` */
static pw_status help_on(int argc, char **argv)
{
    bool all = argc > 1 && strcmp(argv[1], "--all") == 0;
    argc -= all;
    argv += all;
    if (argc < 2 || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return PW_OK;
    }
    const struct command *command = find_command(argv[1]);
    const struct topic *topic = find_topic(argv[1]);
    if (command == NULL && topic == NULL) {
        return complain_unknown(argv[1], true);
    }
    if (command != NULL) {
        print_command_help(command, all, stdout);
    } else {
        topic->print(stdout);
    }
    return PW_OK;
}

/* What completions and manual pages are made from: a line for each command, and for each topic of the help. */
static void list_commands(void)
{
    for (size_t c = 0; c < COMMAND_COUNT; c++) {
        printf("command\t%s\t%s\n", COMMANDS[c]->name, COMMANDS[c]->summary);
    }
    for (size_t t = 0; t < TOPIC_COUNT; t++) {
        printf("topic\t%s\t%s\n", TOPICS[t].name, TOPICS[t].summary);
    }
}

static pw_status dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return PW_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("planwave %s (%s)\n%s  MPI       %s\n", PW_VERSION, pw_commit(), pw_build_facts(), pw_ranks_library());
        return PW_OK;
    }
    if (strcmp(name, "--list-commands") == 0) {
        list_commands();
        return PW_OK;
    }
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        return help_on(argc - 1, argv + 1);
    }
    const struct command *command = find_command(name);
    if (command == NULL) {
        return complain_unknown(name, false);
    }
    int rank;
    if (command != &run_command && pw_ranks_launched(&rank) > 1) {
        if (rank == 0) {
            complain("'%s' works in one process: start it without mpirun; 'planwave run' alone takes several ranks",
                     command->name);
        }
        return PW_USAGE;
    }
    pw_status status = start_well(argv);
    return status == PW_OK ? command->run(argc - 1, argv + 1) : status;
}

int main(int argc, char **argv)
{
    pw_drawings_use(pw_drawing_formats());
    pw_files_watch(file_will_be_read);
    escape_stdout();
    (void)signal(SIGXFSZ, SIG_IGN); /* a file over the limit is then a failed write, which is told as such */
    pw_status status = dispatch(argc, argv);
    status = files_clashed() ? PW_USAGE : status;
    /* A full disk behind a redirection must not end in success. */
    if ((fflush(stdout) != 0 || ferror(stdout) != 0) && status == PW_OK) {
        complain("cannot write to standard output: %s", strerror(errno));
        status = PW_NO_RESOURCE;
    }
    return (int)status;
}
