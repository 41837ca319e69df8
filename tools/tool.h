/* What the sub-commands share: how one looks, how options are read, how errors are told. Commands live in cmd_*.c, one file each, and
 * know the library through planwave.h alone. */
#ifndef TOOL_H
#define TOOL_H

#include "planwave.h"

#include <getopt.h>
#include <stdio.h>

struct command {
    const char *name, *summary;
    const char *help;                         /* usage, options, examples */
    pw_status (*main)(int argc, char **argv); /* argv[0] is the name of the command */
};

extern const struct command run_command, rasterize_command, channel_command, map_command, compare_command, info_command,
    bench_command, report_command, coverage_command, calibrate_command;

/* The text of `planwave help scenario`. */
const char *help_scenario(void);

/* ---- telling ------------------------------------------------------------------------------------------------ */

/* One line on stderr, after "planwave: ". */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);

/* Complains of a library error and hands its status back. */
pw_status complain_error(pw_status status, const pw_error *error);

/* Complains, points at --help and returns PW_USAGE. */
__attribute__((format(printf, 2, 3))) pw_status complain_usage(const struct command *command, const char *format, ...);

/* ---- options ------------------------------------------------------------------------------------------------ */

enum { OPTION_END = -1, OPTION_STOP = -2 };

/* What every command understands, to close its list of long options. */
#define COMMON_OPTIONS                                                                                                 \
    {"help", no_argument, NULL, 'h'}, {"quiet", no_argument, NULL, 'q'}, {"verbose", no_argument, NULL, 'v'},          \
    {                                                                                                                  \
        NULL, 0, NULL, 0                                                                                               \
    }

struct option_reader {
    const struct command *command;
    int argc;
    char **argv;
    const char *short_options; /* in getopt's notation, without h, q, v */
    const struct option *long_options;
    int verbosity;    /* -1 quiet, 0, 1 verbose */
    bool stopped;     /* OPTION_STOP was returned: help was printed or an error told */
    pw_status status; /* what to return then */
};

/* The code of the next option, its argument in optarg; OPTION_END after the last one; OPTION_STOP when help was printed or an
 * error told. */
int option_next(struct option_reader *reader);

/* Checks the number of operands after OPTION_END; `names` is what the usage calls them. */
pw_status option_operands(const struct option_reader *reader, int least, int most, const char *names);

/* A number in [least, most]; complains and returns PW_USAGE when it is none. */
pw_status option_integer(const struct option_reader *reader, const char *name, long long least, long long most,
                         long long *value);
pw_status option_real(const struct option_reader *reader, const char *name, double least, double most, double *value);
/* Two finite numbers "a,b". */
pw_status option_pair(const struct option_reader *reader, const char *name, double pair[2]);
/* The index of the word in the NULL-terminated list. */
pw_status option_word(const struct option_reader *reader, const char *name, const char *const *words, int *index);
/* A backend by name, "auto" included. */
pw_status option_backend(const struct option_reader *reader, const char **backend);

/* The options of channels, which `channel` and `map` share. */
enum { OPTION_WINDOW = 1000, OPTION_BETA, OPTION_PADDING, OPTION_THRESHOLD, OPTION_NOISE_MARGIN, OPTION_SPREADING };
#define CHANNEL_OPTIONS                                                                                                \
    {"window", required_argument, NULL, OPTION_WINDOW}, {"beta", required_argument, NULL, OPTION_BETA},                \
        {"padding", required_argument, NULL, OPTION_PADDING},                                                          \
        {"threshold", required_argument, NULL, OPTION_THRESHOLD},                                                      \
        {"noise-margin", required_argument, NULL, OPTION_NOISE_MARGIN},                                                \
    {                                                                                                                  \
        "spreading", required_argument, NULL, OPTION_SPREADING                                                         \
    }
#define CHANNEL_HELP                                                                                                   \
    "  --spreading MODE    from two dimensions to three: delay (default), distance, none\n"                            \
    "  --window WINDOW     over the band: hann (default), rect, kaiser\n"                                              \
    "  --beta B            of the Kaiser window, default 6\n"                                                          \
    "  --padding N         zero padding of the impulse response, default 4\n"                                          \
    "  --threshold DB      echoes count down to DB under the peak, default 30\n"                                       \
    "  --noise-margin DB   and no less than DB over the noise floor, default 6\n"

/* Takes one of them; PW_USAGE after a complaint. */
pw_status option_channel(const struct option_reader *reader, int code, pw_channel_options *options);

/* ---- text and files ----------------------------------------------------------------------------------------- */

/* The word nearest to `word` in the list, or NULL when none is near. */
const char *nearest_word(const char *word, const char *const *words, size_t count);

/* "flat" from "floorplans/flat.yaml", then `suffix`, into `name`. */
void derive_name(const char *path, const char *suffix, char *name, size_t size);

/* PW_OK when `output` may be written: PW_USAGE after a complaint when it has no name, PW_BAD_INPUT when it exists (unless `force`; an
 * empty folder counts as absent) or is the very file `input` that the command reads (`force` or not). */
pw_status check_output(const char *output, const char *input, bool force);

/* The same for a picture, which must end in .png, .svg or .pdf; `with_numbers` looks at its companions .csv and .npy too. */
pw_status check_picture(const char *output, const char *input, bool force, bool with_numbers);

/* "3 min 20 s", "1.24 GB", into `text`; returns `text`. */
const char *format_seconds(double seconds, char *text, size_t size);
const char *format_bytes(double bytes, char *text, size_t size);
/* With an SI prefix: "23.6 ps". */
const char *format_si(double value, const char *unit, char *text, size_t size);

#endif
