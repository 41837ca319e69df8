/* Reading options: getopt_long with messages of our own, numbers with their range, and the option sets that commands share. */
#include "tool.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_OPTION_LIMIT = 64 };

static int stop(struct option_reader *reader, pw_status status)
{
    reader->stopped = true;
    reader->status = status;
    return OPTION_STOP;
}

/* The name of the long option with this code, or NULL. */
static const char *long_name(const struct option_reader *reader, int code)
{
    for (const struct option *option = reader->long_options; option->name != NULL; option++) {
        if (option->val == code) {
            return option->name;
        }
    }
    return NULL;
}

static pw_status unknown_option(const struct option_reader *reader)
{
    const char *word = reader->argv[optind - 1], *names[LONG_OPTION_LIMIT];
    size_t count = 0;
    if (optopt != 0 && long_name(reader, optopt) != NULL && strncmp(word, "--", 2) == 0) {
        return complain_usage(reader->command, "option '--%s' takes no argument", long_name(reader, optopt));
    }
    if (optopt != 0) {
        return complain_usage(reader->command, "unknown option '-%c'", optopt);
    }
    for (const struct option *option = reader->long_options; option->name != NULL && count < LONG_OPTION_LIMIT;
         option++) {
        names[count++] = option->name;
    }
    char stem[64];
    snprintf(stem, sizeof stem, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    const char *near = nearest_word(stem, names, count);
    if (near != NULL) {
        return complain_usage(reader->command, "unknown option '--%s'; did you mean '--%s'?", stem, near);
    }
    return complain_usage(reader->command, "unknown option '--%s'", stem);
}

int option_next(struct option_reader *reader)
{
    char short_options[64];
    /* ':' first: a missing argument is told apart from an unknown option. */
    snprintf(short_options, sizeof short_options, ":hqv%s", reader->short_options);
    opterr = 0;
    for (;;) {
        int code = getopt_long(reader->argc, reader->argv, short_options, reader->long_options, NULL);
        switch (code) {
        case -1:
            return OPTION_END;
        case 'h':
            fputs(reader->command->help, stdout);
            return stop(reader, PW_OK);
        case 'q':
            reader->verbosity = -1;
            break;
        case 'v':
            reader->verbosity = 1;
            break;
        case ':':
            return stop(reader,
                        complain_usage(reader->command, "option '%s' needs an argument", reader->argv[optind - 1]));
        case '?':
            return stop(reader, unknown_option(reader));
        default:
            return code;
        }
    }
}

pw_status option_operands(const struct option_reader *reader, int least, int most, const char *names)
{
    int given = reader->argc - optind;
    if (given < least) {
        return complain_usage(reader->command, "%s missing", names);
    }
    if (given > most) {
        return complain_usage(reader->command, "one argument too many: '%s'", reader->argv[optind + most]);
    }
    return PW_OK;
}

pw_status option_integer(const struct option_reader *reader, const char *name, long long least, long long most,
                         long long *value)
{
    char *end = NULL;
    errno = 0;
    *value = strtoll(optarg, &end, 10);
    if (end == optarg || *end != '\0' || errno != 0 || *value < least || *value > most) {
        return complain_usage(reader->command, "--%s '%s': allowed are whole numbers from %lld to %lld", name, optarg,
                              least, most);
    }
    return PW_OK;
}

pw_status option_real(const struct option_reader *reader, const char *name, double least, double most, double *value)
{
    char *end = NULL;
    *value = strtod(optarg, &end);
    if (end == optarg || *end != '\0' || !isfinite(*value) || *value < least || *value > most) {
        return complain_usage(reader->command, "--%s '%s': allowed are numbers from %g to %g", name, optarg, least,
                              most);
    }
    return PW_OK;
}

/* A number, with or without the unit, and blanks around it. */
static const char *read_number(const char *text, double *value)
{
    char *end = NULL;
    *value = strtod(text, &end);
    if (end == text || !isfinite(*value)) {
        return NULL;
    }
    return end + strspn(end, " ");
}

pw_status option_pair(const struct option_reader *reader, const char *name, double pair[2])
{
    const char *rest = read_number(optarg, &pair[0]);
    if (rest != NULL && *rest == ',') {
        rest = read_number(rest + 1, &pair[1]);
        if (rest != NULL && *rest == '\0') {
            return PW_OK;
        }
    }
    return complain_usage(reader->command, "--%s '%s': give two numbers, such as 7.68,10.24", name, optarg);
}

pw_status option_word(const struct option_reader *reader, const char *name, const char *const *words, int *index)
{
    char list[256] = "";
    for (int w = 0; words[w] != NULL; w++) {
        if (strcmp(optarg, words[w]) == 0) {
            *index = w;
            return PW_OK;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", w > 0 ? ", " : "", words[w]);
    }
    return complain_usage(reader->command, "--%s '%s': allowed are %s", name, optarg, list);
}

pw_status option_backend(const struct option_reader *reader, const char **backend)
{
    const char *names[16] = {"auto"};
    int index = 0;
    for (size_t b = 0; b < pw_backend_count() && b < 14; b++) {
        names[b + 1] = pw_backend_describe(b).name;
    }
    pw_status status = option_word(reader, "backend", names, &index);
    *backend = names[index];
    return status;
}

pw_status option_channel(const struct option_reader *reader, int code, pw_channel_options *options)
{
    static const char *const WINDOWS[] = {"hann", "rect", "kaiser", NULL};
    static const char *const SPREADINGS[] = {"none", "distance", "delay", NULL};
    long long whole = 0;
    int index = 0;
    pw_status status = PW_USAGE;
    switch (code) {
    case OPTION_WINDOW:
        status = option_word(reader, "window", WINDOWS, &index);
        options->window = (pw_window)index;
        break;
    case OPTION_BETA:
        status = option_real(reader, "beta", 0.0, 100.0, &options->kaiser_beta);
        break;
    case OPTION_PADDING:
        status = option_integer(reader, "padding", 1, 64, &whole);
        options->padding = (int)whole;
        break;
    case OPTION_THRESHOLD:
        status = option_real(reader, "threshold", 0.0, 300.0, &options->threshold_db);
        break;
    case OPTION_NOISE_MARGIN:
        status = option_real(reader, "noise-margin", 0.0, 300.0, &options->noise_margin_db);
        break;
    case OPTION_SPREADING:
        status = option_word(reader, "spreading", SPREADINGS, &index);
        options->spreading = (pw_spreading)index;
        break;
    default:
        break;
    }
    return status;
}
