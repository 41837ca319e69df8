/* Reading command lines: a table of options for getopt_long, messages of our own, numbers with their range. */
#include "program/tool.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRY_LIMIT = 48, HELP_ALL_CODE = 255, ENTRY_CODE = 256 /* of entry 0 */ };

const char *const WINDOW_WORDS[] = {"hann", "rect", "kaiser", NULL};
const char *const SPREADING_WORDS[] = {"none", "distance", "delay", "storey", "diffuse", "auto", NULL};
const char *const PRECISION_WORDS[] = {"single", "double", NULL};

/* The table in getopt's notation. */
struct getopt_tables {
    struct option names[ENTRY_LIMIT + 5];
    char letters[2 * ENTRY_LIMIT + 8];
};

static void make_tables(const struct option_line *line, struct getopt_tables *tables)
{
    size_t count = line->count < ENTRY_LIMIT ? line->count : ENTRY_LIMIT;
    /* ':' first: a missing argument is told apart from an unknown option. */
    char *letter = stpcpy(tables->letters, ":hqv");
    for (size_t n = 0; n < count; n++) {
        const struct option_entry *entry = &line->entries[n];
        int argument = entry->kind == OPTION_FLAG ? no_argument : required_argument;
        tables->names[n] = (struct option){entry->name, argument, NULL, ENTRY_CODE + (int)n};
        if (entry->letter != 0) {
            *letter++ = entry->letter;
            *letter = ':';
            letter += argument == required_argument;
        }
    }
    *letter = '\0';
    tables->names[count] = (struct option){"help", no_argument, NULL, 'h'};
    tables->names[count + 1] = (struct option){"quiet", no_argument, NULL, 'q'};
    tables->names[count + 2] = (struct option){"verbose", no_argument, NULL, 'v'};
    tables->names[count + 3] = (struct option){"help-all", no_argument, NULL, HELP_ALL_CODE};
    tables->names[count + 4] = (struct option){NULL, 0, NULL, 0};
}

/* The key of a scenario that this would be as an option; NULL: none. */
static const char *meant_key(const char *name)
{
    static const char *const KEYS[] = {
        "accuracy",        "band.centre",    "band.width",      "dimensions", "grid.absorber.cells", "grid.averaging",
        "grid.cell",       "grid.courant",   "grid.scheme",     "materials",  "polarisation",        "spectra.count",
        "spectra.heights", "spectra.region", "spectra.spacing", "stop.after", "stop.decay",          "title"};
    for (size_t n = 0; n < sizeof KEYS / sizeof KEYS[0]; n++) {
        const char *dot = strrchr(KEYS[n], '.');
        if (strcmp(name, dot != NULL ? dot + 1 : KEYS[n]) == 0 || strcmp(name, KEYS[n]) == 0) {
            return KEYS[n];
        }
    }
    return NULL;
}

/* Keys of the scenario are set by --set, where the command has it: says how, with the value that was given. */
static bool complain_key(const struct option_line *line, const char *stem, const char *word)
{
    const char *key = meant_key(stem), *equals = strchr(word, '=');
    const char *next = optind < line->argc && line->argv[optind][0] != '-' ? line->argv[optind] : "VALUE";
    for (size_t n = 0; key != NULL && n < line->count; n++) {
        if (strcmp(line->entries[n].name, "set") == 0) {
            (void)complain_usage(line->command, "unknown option '--%s'; it is a key of the scenario: --set '%s=%s'",
                                 stem, key, equals != NULL ? equals + 1 : next);
            return true;
        }
    }
    return false;
}

static pw_status unknown_option(const struct option_line *line, const struct getopt_tables *tables)
{
    const char *word = line->argv[optind - 1], *names[ENTRY_LIMIT + 4];
    size_t count = 0;
    for (; tables->names[count].name != NULL; count++) {
        names[count] = tables->names[count].name;
        if (optopt != 0 && tables->names[count].val == optopt && strncmp(word, "--", 2) == 0) {
            return complain_usage(line->command, "option '--%s' takes no argument", names[count]);
        }
    }
    if (optopt != 0) {
        return complain_usage(line->command, "unknown option '-%c'", optopt);
    }
    char stem[64];
    snprintf(stem, sizeof stem, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    if (complain_key(line, stem, word)) {
        return PW_USAGE;
    }
    const char *near = nearest_word(stem, names, count);
    if (near != NULL) {
        return complain_usage(line->command, "unknown option '--%s'; did you mean '--%s'?", stem, near);
    }
    return complain_usage(line->command, "unknown option '--%s'", stem);
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static pw_status read_integer(const struct option_line *line, const struct option_entry *entry, const char *text,
                              long long *value)
{
    char *end = NULL;
    errno = 0;
    *value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || (double)*value < entry->least || (double)*value > entry->most) {
        return complain_usage(line->command, "--%s '%s': allowed are whole numbers from %.0f to %.0f", entry->name,
                              text, entry->least, entry->most);
    }
    return PW_OK;
}

static pw_status read_real(const struct option_line *line, const struct option_entry *entry, const char *text)
{
    char *end = NULL;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value) || value < entry->least || value > entry->most) {
        return complain_usage(line->command, "--%s '%s': allowed are numbers from %g to %g", entry->name, text,
                              entry->least, entry->most);
    }
    *(double *)entry->value = value;
    return PW_OK;
}

static pw_status read_word(const struct option_line *line, const struct option_entry *entry, const char *text,
                           const char *const *words, int *index)
{
    char list[256] = "";
    int w;
    for (w = 0; words[w] != NULL; w++) {
        if (strcmp(text, words[w]) == 0) {
            *index = w;
            return PW_OK;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", w > 0 ? ", " : "", words[w]);
    }
    const char *near = strlen(text) > 3 ? nearest_word(text, words, (size_t)w) : NULL; /* 'gpu' is not meant as 'cpu' */
    return complain_usage(line->command, "--%s '%s': %s%s%sallowed are %s", entry->name, text,
                          near != NULL ? "did you mean '" : "", near != NULL ? near : "", near != NULL ? "'? " : "",
                          list);
}

static pw_status read_backend(const struct option_line *line, const struct option_entry *entry, const char *text)
{
    const char *names[16] = {"auto"};
    int index = 0;
    for (size_t b = 0; b < pw_backend_count() && b < 14; b++) {
        names[b + 1] = pw_backend_describe(b).name;
    }
    pw_status status = read_word(line, entry, text, names, &index);
    *(const char **)entry->value = names[index];
    return status;
}

/* A quantity over zero, by a function of the library. */
static pw_status read_quantity(const struct option_line *line, const struct option_entry *entry, const char *text,
                               pw_status (*parse)(const char *, double *, pw_error *))
{
    pw_error error = {{0}};
    double value = 0.0;
    if (parse(text, &value, &error) != PW_OK) {
        return complain_usage(line->command, "--%s: %s", entry->name, error.message);
    }
    if (!(value > 0.0)) {
        return complain_usage(line->command, "--%s '%s': allowed are values above zero", entry->name, text);
    }
    *(double *)entry->value = value;
    return PW_OK;
}

/* A bare number is in hertz, but "20" is hardly meant as 20 Hz: the limit is that of frequencies in a scenario. */
static pw_status read_frequency(const struct option_line *line, const struct option_entry *entry, const char *text)
{
    const double bare_least = 1e5; /* Hz */
    char *end;
    double bare = strtod(text, &end);
    end += strspn(end, " ");
    if (end != text && *end == '\0' && bare > 0.0 && bare < bare_least) {
        return complain_usage(line->command,
                              "--%s '%s': the unit is missing: without one this is %g Hz; write %gGHz or %gMHz (or Hz, "
                              "if it is)",
                              entry->name, text, bare, bare, bare);
    }
    return read_quantity(line, entry, text, pw_parse_frequency);
}

static pw_status read_text(const struct option_line *line, const struct option_entry *entry, const char *text)
{
    const char **value = entry->value;
    if (entry->once && *value != NULL && strcmp(*value, text) != 0) {
        return complain_usage(line->command, "--%s is given twice, '%s' and '%s': planwave %s takes one", entry->name,
                              *value, text, line->command->name);
    }
    *value = text;
    return PW_OK;
}

pw_status option_argument(const struct option_line *line, const struct option_entry *entry, char *text)
{
    long long whole = 0;
    pw_status status = PW_OK;
    switch (entry->kind) {
    case OPTION_FLAG:
        *(bool *)entry->value = true;
        return PW_OK;
    case OPTION_TEXT:
        return read_text(line, entry, text);
    case OPTION_OUTPUT:
        *(const char **)entry->value = text;
        return text[0] != '\0' ? file_will_be_written(text) : PW_OK;
    case OPTION_INTEGER:
        status = read_integer(line, entry, text, &whole);
        *(int *)entry->value = (int)whole;
        return status;
    case OPTION_COUNT:
        status = read_integer(line, entry, text, &whole);
        *(int64_t *)entry->value = whole;
        return status;
    case OPTION_REAL:
        return read_real(line, entry, text);
    case OPTION_WORD:
        return read_word(line, entry, text, entry->words, entry->value);
    case OPTION_BACKEND:
        return read_backend(line, entry, text);
    case OPTION_TIME:
        return read_quantity(line, entry, text, pw_parse_time);
    case OPTION_LENGTH:
        return read_quantity(line, entry, text, pw_parse_length);
    case OPTION_FREQUENCY:
        return read_frequency(line, entry, text);
    case OPTION_TAKEN:
        return entry->take(line, entry, text);
    }
    return PW_USAGE;
}

/* A number, and blanks around it. */
static const char *read_number(const char *text, double *value)
{
    char *end = NULL;
    *value = strtod(text, &end);
    if (end == text || !isfinite(*value)) {
        return NULL;
    }
    return end + strspn(end, " ");
}

pw_status option_take_pair(const struct option_line *line, const struct option_entry *entry, char *text)
{
    double *pair = entry->value;
    const char *rest = read_number(text, &pair[0]);
    if (rest != NULL && *rest == ',') {
        rest = read_number(rest + 1, &pair[1]);
        if (rest != NULL && *rest == '\0') {
            return PW_OK;
        }
    }
    return complain_usage(line->command, "--%s '%s': give two numbers, such as 7.68,10.24", entry->name, text);
}

pw_status option_take_override(const struct option_line *line, const struct option_entry *entry,
                               char *text) /* NOLINT(readability-non-const-parameter): the type of option_entry.take */
{
    struct override_list *list = entry->value;
    if (list->texts == NULL) {
        list->texts = calloc((size_t)line->argc, sizeof *list->texts); /* there are no more than arguments */
        if (list->texts == NULL) {
            complain("not enough memory for %d arguments", line->argc);
            return PW_NO_RESOURCE;
        }
    }
    list->texts[list->count++] = text;
    return PW_OK;
}

/* ---- the line ---------------------------------------------------------------------------------------------------- */

static pw_status check_operands(struct option_line *line)
{
    int given = line->argc - optind;
    line->operands = line->argv + optind;
    if (given < line->least) {
        return complain_usage(line->command, "%s missing", line->operand_names);
    }
    if (given > line->most) {
        return complain_usage(line->command, "one argument too many: '%s'", line->operands[line->most]);
    }
    return PW_OK;
}

/* The entry that getopt_long's code stands for; NULL when it stands for none of the command's own. */
static const struct option_entry *entry_of(const struct option_line *line, int code)
{
    if (code >= ENTRY_CODE) {
        return &line->entries[code - ENTRY_CODE];
    }
    for (size_t n = 0; n < line->count; n++) {
        if (code > 0 && line->entries[n].letter == code) {
            return &line->entries[n];
        }
    }
    return NULL;
}

/* One line of a help text without its mark: "+ -v" becomes "  -v", "+words" becomes "words". */
static void print_help_line(const char *line, int length, FILE *out)
{
    bool indented = length > 1 && line[1] == ' ';
    fprintf(out, "%s%.*s\n", indented ? " " : "", length - 1, line + 1);
}

void print_command_help(const struct command *command, bool all, FILE *out)
{
    bool more = command->list != NULL;
    for (const char *line = command->help; *line != '\0';) {
        int length = (int)strcspn(line, "\n");
        if (*line != '+') {
            fprintf(out, "%.*s\n", length, line);
        } else if (all) {
            print_help_line(line, length, out);
        } else {
            more = true;
        }
        line += length + (line[length] == '\n');
    }
    if (all && command->list != NULL) {
        command->list(out);
    }
    if (!all && more) {
        fprintf(out, "\nMore options and details: planwave %s --help-all\n", command->name);
    }
}

/* ---- lists for programs ------------------------------------------------------------------------------------------ */

/* The values that an override of this key may have, as "grid.scheme=yee grid.scheme=dd2 ". */
static void list_choices(const char *key, pw_choice_kind kind)
{
    for (size_t n = 0; pw_choice_describe(kind, n).name != NULL; n++) {
        printf("%s=%s ", key, pw_choice_describe(kind, n).name);
    }
}

static void list_values(const struct option_entry *entry)
{
    for (size_t w = 0; entry->words != NULL && entry->words[w] != NULL; w++) {
        printf("%s ", entry->words[w]);
    }
    if (entry->kind == OPTION_BACKEND) {
        printf("auto ");
        for (size_t b = 0; b < pw_backend_count(); b++) {
            printf("%s ", pw_backend_describe(b).name);
        }
    }
    if (entry->take == option_take_override) {
        list_choices("grid.scheme", PW_SCHEMES);
        list_choices("grid.averaging", PW_AVERAGINGS);
        list_choices("grid.absorber.kind", PW_ABSORBERS);
    }
}

/* What a completion needs to know of the command: a line for each option with its letter, whether it takes an argument,
 * and the words which that may be, separated by tabs; then the operands. */
static void list_options(const struct option_line *line)
{
    for (size_t n = 0; n < line->count; n++) {
        const struct option_entry *entry = &line->entries[n];
        printf("--%s\t%s%.1s\t%s\t", entry->name, entry->letter != 0 ? "-" : "",
               entry->letter != 0 ? &entry->letter : "", entry->kind == OPTION_FLAG ? "flag" : "argument");
        list_values(entry);
        putchar('\n');
    }
    printf("--quiet\t-q\tflag\t\n--verbose\t-v\tflag\t\n--help\t-h\tflag\t\n--help-all\t\tflag\t\n");
    printf("operands\t\t%s\t\n", line->most > 0 ? line->operand_names : "none");
}

static void tell_fallbacks(const struct option_line *line)
{
    for (size_t n = 0; n < line->count && !line->falls_back_later; n++) {
        if (line->entries[n].kind == OPTION_BACKEND) {
            tell_fallback(*(const char **)line->entries[n].value);
        }
    }
}

pw_status option_read(struct option_line *line)
{
    struct getopt_tables tables;
    if (line->argc == 2 && strcmp(line->argv[1], "--list-options") == 0) {
        list_options(line);
        line->help = true;
        return PW_OK;
    }
    make_tables(line, &tables);
    opterr = 0;
    for (;;) {
        int code = getopt_long(line->argc, line->argv, tables.letters, tables.names, NULL);
        const struct option_entry *entry = entry_of(line, code);
        if (entry != NULL) {
            pw_status status = option_argument(line, entry, optarg);
            PW_TRY(status);
            continue;
        }
        switch (code) {
        case -1:
            PW_TRY(check_operands(line));
            tell_fallbacks(line);
            return PW_OK;
        case 'h':
        case HELP_ALL_CODE:
            print_command_help(line->command, code == HELP_ALL_CODE, stdout);
            line->help = true;
            return PW_OK;
        case 'q':
            line->verbosity = -1;
            break;
        case 'v':
            line->verbosity = 1;
            break;
        case ':':
            return complain_usage(line->command, "option '%s' needs an argument", line->argv[optind - 1]);
        default:
            return unknown_option(line, &tables);
        }
    }
}
