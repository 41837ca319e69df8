/* What the commands share: what a command is, how its options are read, how errors are told. Each command is one file
 * in tools/commands or a folder of it, listed in tools/program/table.h, and knows the library through planwave.h
 * alone. */
#pragma once

#include "planwave.h"

#include <getopt.h>
#include <stdio.h>

struct command {
    const char *name;
    const char *summary; /* one line in the list of commands */
    const char *help;    /* usage, options, examples; lines that begin with '+' are printed by --help-all alone */
    pw_status (*run)(int argc, char **argv); /* argv[0] is the name of the command */
    void (*list)(FILE *out); /* prints what follows the help, from a table of the library; may be NULL */
};

#define COMMAND(name) extern const struct command name##_command;
#include "program/table.h"
#undef COMMAND

/* Prints the text of `planwave help scenario`. */
void help_scenario(FILE *out);

/* The most threads that may be asked for. */
enum { THREADS_MOST = 4096 };

/* Sets what must be right before threads begin, and starts the program anew when that was not so; after a complaint
 * PW_USAGE or PW_NO_RESOURCE. */
pw_status start_well(char **argv);

/* ---- telling ------------------------------------------------------------------------------------------------ */

/* Prints the text without control characters, which a terminal would obey; from escape_stdout on, all that is printed
 * on stdout goes that way. */
void escaped_print(const char *text, size_t length, FILE *out);
void escape_stdout(void);

/* One line on stderr, after "planwave: ". */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);

/* Complains of a library error and hands its status back. */
pw_status complain_error(pw_status status, const pw_error *error);

/* "wrote FILE" to `report`; nothing where either is NULL. */
void tell_written(FILE *report, const char *path);

/* Complains, points at --help and returns PW_USAGE. */
__attribute__((format(printf, 2, 3))) pw_status complain_usage(const struct command *command, const char *format, ...);

/* The help of a command: one screen, or with `all` every option and what the command lists from its tables. */
void print_command_help(const struct command *command, bool all, FILE *out);

/* ---- options ------------------------------------------------------------------------------------------------ */

/* How the argument of an option is read, and what `value` points to. */
enum option_kind {
    OPTION_FLAG,      /* bool, set to true; no argument */
    OPTION_TEXT,      /* const char *, argv's */
    OPTION_OUTPUT,    /* the same, a file that will be written */
    OPTION_INTEGER,   /* int in [least, most] */
    OPTION_COUNT,     /* int64_t in [least, most] */
    OPTION_REAL,      /* double in [least, most] */
    OPTION_WORD,      /* int or an enum: index into `words`, which NULL ends */
    OPTION_BACKEND,   /* const char *: "auto" or the name of a backend */
    OPTION_TIME,      /* double [s] over zero, with or without a unit */
    OPTION_LENGTH,    /* double [m] over zero */
    OPTION_FREQUENCY, /* double [Hz] over zero */
    OPTION_TAKEN      /* whatever `take` makes of it */
};

struct option_line;

/* One option of a command. */
struct option_entry {
    const char *name;
    enum option_kind kind;
    void *value;
    char letter;              /* 0: none */
    bool once;                /* of a text: given twice it is an error, since one of the two would be forgotten */
    double least, most;       /* of numbers */
    const char *const *words; /* the argument must be one of them; with `take`: words that it may be */
    /* Reads the argument `text`, which is argv's, into `value`; PW_USAGE after a complaint. */
    pw_status (*take)(const struct option_line *line, const struct option_entry *entry, char *text);
};

/* A command line, and what is understood in it; --help, --help-all, --quiet and --verbose always are. */
struct option_line {
    const struct command *command;
    int argc;
    char **argv;
    const struct option_entry *entries; /* (count) */
    size_t count;
    int least, most;           /* operands */
    const char *operand_names; /* what the usage calls them */
    bool falls_back_later;     /* the command itself calls tell_fallback(), once it has looked for a GPU */
    int verbosity;             /* out: -1 quiet, 0, 1 verbose */
    bool help;                 /* out: help or a list was printed, and nothing else is to be done */
    char **operands;           /* out */
};

#define OPTION_LINE(of, entry_table, operand_least, operand_most, names)                                               \
    {                                                                                                                  \
        .command = (of), .argc = argc, .argv = argv, .entries = (entry_table),                                         \
        .count = sizeof(entry_table) / sizeof((entry_table)[0]), .least = (operand_least), .most = (operand_most),     \
        .operand_names = (names)                                                                                       \
    }

/* Reads all options and counts the operands; PW_USAGE after a complaint. The only argument --list-options prints what
 * shells and manual pages need to know of the options, from the table itself. */
pw_status option_read(struct option_line *line);

/* Reads one argument; for `take` functions that do more with it than a kind does. */
pw_status option_argument(const struct option_line *line, const struct option_entry *entry, char *text);

/* The values of --set, in a list that is to be freed; the texts are argv's. */
struct override_list {
    const char **texts; /* (count) */
    size_t count;
};
pw_status option_take_override(const struct option_line *line, const struct option_entry *entry, char *text);

/* Says in one line why the CPU computes, where a GPU was expected and none is usable. To look for one takes a tenth of
 * a second. */
void tell_fallback(const char *backend);

/* Two finite numbers "a,b" into double[2]. */
pw_status option_take_pair(const struct option_line *line, const struct option_entry *entry, char *text);

/* GPUs to solve on, into a pw_compute. */
pw_status option_take_devices(const struct option_line *line, const struct option_entry *entry, char *text);

/* How much memory of the GPU may be used; likewise. */
pw_status option_take_device_memory(const struct option_line *line, const struct option_entry *entry, char *text);

/* A height in metres, which may be zero or negative, with or without a unit, into a double. */
pw_status take_height(const struct option_line *line, const struct option_entry *entry, char *text);

/* Options that commands share, as entries. `o` points to pw_channel_options. */
extern const char *const WINDOW_WORDS[], *const SPREADING_WORDS[], *const PRECISION_WORDS[];
#define OUTPUT_OPTIONS(output, force)                                                                                  \
    {.name = "output", .kind = OPTION_OUTPUT, .value = (output), .letter = 'o'},                                       \
    {                                                                                                                  \
        .name = "force", .kind = OPTION_FLAG, .value = (force), .letter = 'f'                                          \
    }
/* `c` points to pw_compute. */
#define COMPUTE_OPTIONS(c)                                                                                             \
    {.name = "backend", .kind = OPTION_BACKEND, .value = &(c)->backend},                                               \
        {.name = "devices", .kind = OPTION_TAKEN, .value = (c), .take = option_take_devices},                          \
    {                                                                                                                  \
        .name = "threads", .kind = OPTION_INTEGER, .value = &(c)->threads, .least = 1, .most = THREADS_MOST            \
    }
#define DEVICE_MEMORY_OPTION(c)                                                                                        \
    {                                                                                                                  \
        .name = "device-memory", .kind = OPTION_TAKEN, .value = (c), .take = option_take_device_memory                 \
    }
#define SPREADING_OPTION(o)                                                                                            \
    {                                                                                                                  \
        .name = "spreading", .kind = OPTION_WORD, .value = &(o)->spreading, .words = SPREADING_WORDS                   \
    }
#define HEIGHT_OPTIONS(o)                                                                                              \
    {.name = "receiver-height", .kind = OPTION_TAKEN, .value = &(o)->receiver_height, .take = take_height},            \
    {                                                                                                                  \
        .name = "tx-height", .kind = OPTION_TAKEN, .value = &(o)->transmitter_height, .take = take_height              \
    }
#define CHANNEL_THRESHOLD(o)                                                                                           \
    {                                                                                                                  \
        .name = "threshold", .kind = OPTION_REAL, .value = &(o)->threshold_db, .most = 300                             \
    }
#define CHANNEL_OPTIONS(o)                                                                                             \
    {.name = "window", .kind = OPTION_WORD, .value = &(o)->window, .words = WINDOW_WORDS},                             \
        {.name = "beta", .kind = OPTION_REAL, .value = &(o)->kaiser_beta, .most = 100},                                \
        {.name = "padding", .kind = OPTION_INTEGER, .value = &(o)->padding, .least = 1, .most = 64},                   \
        CHANNEL_THRESHOLD(o),                                                                                          \
        {.name = "noise-margin", .kind = OPTION_REAL, .value = &(o)->noise_margin_db, .most = 300},                    \
        {.name = "noise-floor", .kind = OPTION_REAL, .value = &(o)->noise_floor_db, .most = 300},                      \
        {.name = "channel-width", .kind = OPTION_FREQUENCY, .value = &(o)->width}, SPREADING_OPTION(o),                \
        HEIGHT_OPTIONS(o)
#define SPREADING_HELP                                                                                                 \
    "+     --spreading MODE    how powers go from two dimensions to three: delay, distance, storey (floor\n"           \
    "+                         and ceiling by images), diffuse (distance, and what floor and ceiling\n"                \
    "+                         scatter), none, auto; default auto: delay in two dimensions, none in\n"                 \
    "+                         three\n"
#define HEIGHT_HELP                                                                                                    \
    "+     --receiver-height   H, two dimensions: height over the floor [m] of receivers without one. If\n"            \
    "+                         the transmitter has a height too, powers and delays are those of the\n"                 \
    "+                         slanted path\n"                                                                         \
    "+     --tx-height H       two dimensions: the same for transmitters\n"
#define CHANNEL_HELP                                                                                                   \
    SPREADING_HELP HEIGHT_HELP                                                                                         \
        "+     --window WINDOW     window over the band: hann (default), rect, kaiser\n"                               \
        "+     --beta B            parameter of the Kaiser window; default 6\n"                                        \
        "+     --padding N         factor of zero padding for the impulse response; default 4\n"                       \
        "+     --threshold DB      ignore echoes more than DB below the peak; default 30\n"                            \
        "+     --noise-margin DB   ignore echoes less than DB above the noise floor; default 6\n"                      \
        "+     --noise-floor DB    noise floor of an instrument, DB below the peak; default: that of the run\n"        \
        "+     --channel-width F   only the middle of the band, as an instrument so wide sees it, as in\n"             \
        "+                         500MHz; default: all of it\n"

/* ---- results --------------------------------------------------------------------------------------------------- */

enum output_kind { OUTPUT_PLAIN, OUTPUT_MAP /* a picture with its numbers beside it */ };

/* What the commands that make something of a result have in common. */
struct result_task {
    const char *result;
    const char *output; /* NULL: none is written */
    bool force;
    enum output_kind kind;
    int verbosity;
    const pw_sheet_choice *sheet; /* the sheet to choose before; NULL: the first */
    /* Does it; prints what it has to say to `report` (NULL when quiet). */
    pw_status (*work)(const pw_result *result, void *request, FILE *report, pw_error *error);
    void *request;
};

/* Complains of a warning of the library; a note function. */
void warn_user(const char *message, void *user);

/* Opens the result, looks whether the output may be written, does the work; complains of failures. */
pw_status result_work(const struct result_task *task);

/* ---- text and files ----------------------------------------------------------------------------------------- */

/* The word nearest to `word` in the list, or NULL when none is near. */
const char *nearest_word(const char *word, const char *const *words, size_t count);

/* "flat" from "floorplans/flat.yaml", then `suffix`, into `name`. */
void derive_name(const char *path, const char *suffix, char *name, size_t size);

/* `given`, else what derive_name makes in `name`. */
const char *output_name(const char *given, const char *path, const char *suffix, char *name, size_t size);

/* Declares that the command reads or will write this file: PW_USAGE when it would do both, or write it twice; the
 * second after a complaint. Outputs of the table of options, operands, what check_output is given and what the library
 * opens have been declared. */
pw_status file_will_be_read(const char *path, pw_error *error);
pw_status file_will_be_written(const char *path);
/* The command may look at this output before it writes it, as a run does that goes on. */
void file_is_continued(const char *path);
/* Whether one of the two has failed: that is a wrong usage, whatever became of the status on its way. */
bool files_clashed(void);

/* PW_OK when `output` may be written: PW_USAGE after a complaint when it has no name, or the command reads it or writes
 * it twice; PW_BAD_INPUT when it exists (unless `force`; an empty folder counts as absent) or is a device, pipe or
 * socket
 * (`force` or not). `output` must stay as it is while the command works. */
pw_status check_output(const char *output, bool force);

/* The same for a picture, which must end in .png, .svg or .pdf; `with_numbers` looks at its companions .csv and .npy
 * too. */
pw_status check_picture(const char *output, bool force, bool with_numbers);

/* "3 min 20 s", "1.24 GB", into `text`; returns `text`. */
const char *format_seconds(double seconds, char *text, size_t size);
const char *format_bytes(double bytes, char *text, size_t size);
/* With an SI prefix: "23.6 ps". */
const char *format_si(double value, const char *unit, char *text, size_t size);
