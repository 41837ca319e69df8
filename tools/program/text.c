/* Words, numbers and names for people: complaints, suggestions, units. */
#include "program/tool.h"

#include <dirent.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static void say(const char *format, va_list arguments)
{
    char text[8192];
    vsnprintf(text, sizeof text, format, arguments);
    escaped_print(text, strlen(text), stderr);
}

void complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("planwave: ", stderr);
    say(format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

pw_status complain_error(pw_status status, const pw_error *error)
{
    complain("%s", error->message);
    return status;
}

void tell_written(FILE *report, const char *path)
{
    if (report != NULL && path != NULL) {
        fprintf(report, "wrote %s\n", path);
    }
}

pw_status complain_usage(const struct command *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "planwave %s: ", command->name);
    say(format, arguments);
    fprintf(stderr, "\nplanwave: try 'planwave %s --help'\n", command->name);
    va_end(arguments);
    return PW_USAGE;
}

/* Edit distance (insertions, deletions, replacements), for words of up to 31 letters. */
static size_t edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 31 };
    size_t row[LONGEST + 1], length = strlen(b);
    if (strlen(a) > LONGEST || length > LONGEST) {
        return LONGEST;
    }
    for (size_t j = 0; j <= length; j++) {
        row[j] = j;
    }
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length; j++) {
            size_t replace = diagonal + (a[i - 1] != b[j - 1]);
            size_t change = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = replace < change ? replace : change;
        }
    }
    return row[length];
}

const char *nearest_word(const char *word, const char *const *words, size_t count)
{
    const char *best = NULL;
    size_t least = strlen(word) / 3 + 2; /* further away it is another word */
    for (size_t w = 0; w < count; w++) {
        size_t distance = edit_distance(word, words[w]);
        if (distance < least) {
            least = distance;
            best = words[w];
        }
    }
    return best;
}

void derive_name(const char *path, const char *suffix, char *name, size_t size)
{
    const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path, *dot = strrchr(base, '.');
    size_t length = dot != NULL && dot != base ? (size_t)(dot - base) : strlen(base);
    snprintf(name, size, "%.*s%s", (int)length, base, suffix);
}

const char *output_name(const char *given, const char *path, const char *suffix, char *name, size_t size)
{
    if (given != NULL) {
        return given;
    }
    derive_name(path, suffix, name, size);
    return name;
}

static bool folder_is_empty(const char *path)
{
    DIR *folder = opendir(path);
    if (folder == NULL) {
        return false;
    }
    bool empty = true;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        empty = empty && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
    }
    closedir(folder);
    return empty;
}

pw_status check_output(const char *output, bool force)
{
    struct stat found;
    if (output[0] == '\0') {
        complain("the name of the output is empty");
        return PW_USAGE;
    }
    pw_status status = file_will_be_written(output);
    if (status != PW_OK || stat(output, &found) != 0) {
        return status;
    }
    if (!S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode)) {
        complain("%s is neither a file nor a folder; nothing is written in its place", output);
        return PW_BAD_INPUT;
    }
    if (force || (S_ISDIR(found.st_mode) && folder_is_empty(output))) {
        return PW_OK;
    }
    complain("%s exists; give --force to replace it, or another name with -o", output);
    return PW_BAD_INPUT;
}

/* Letters before the ending .png, .svg or .pdf; 0 without one. */
static size_t picture_stem(const char *path)
{
    static const char *const ENDINGS[] = {".png", ".svg", ".pdf"};
    size_t length = strlen(path);
    for (size_t e = 0; e < 3 && length > 4; e++) {
        if (strcasecmp(path + length - 4, ENDINGS[e]) == 0) {
            return length - 4;
        }
    }
    return 0;
}

pw_status check_picture(const char *output, bool force, bool with_numbers)
{
    static const char *const COMPANIONS[] = {".csv", ".npy"};
    char companion[4096];
    size_t stem = picture_stem(output);
    if (output[0] != '\0' && (stem == 0 || stem + 5 > sizeof companion)) {
        complain("%s: the name of a picture ends in .png, .svg or .pdf and has at most %zu letters", output,
                 sizeof companion - 1);
        return PW_USAGE;
    }
    PW_TRY(check_output(output, force));
    for (size_t e = 0; with_numbers && e < 2; e++) {
        snprintf(companion, sizeof companion, "%.*s%s", (int)stem, output, COMPANIONS[e]);
        PW_TRY(check_output(companion, force));
    }
    return PW_OK;
}

const char *format_seconds(double seconds, char *text, size_t size)
{
    if (!isfinite(seconds)) {
        snprintf(text, size, "?");
    } else if (seconds < 10.0) {
        snprintf(text, size, "%.1f s", seconds);
    } else if (seconds < 99.5) {
        snprintf(text, size, "%.0f s", seconds);
    } else if (seconds < 5999.5) {
        long whole = lround(seconds);
        snprintf(text, size, "%ld min %ld s", whole / 60, whole % 60);
    } else {
        double minutes = floor(seconds / 60.0 + 0.5);
        snprintf(text, size, "%.0f h %.0f min", floor(minutes / 60.0), fmod(minutes, 60.0));
    }
    return text;
}

static const char *format_prefixed(double value, const char *unit, int smallest, char *text, size_t size)
{
    static const char *const PREFIXES[] = {"f", "p", "n", "u", "m", "", "k", "M", "G", "T", "P"};
    int power = value > 0.0 && isfinite(value) ? (int)floor(log10(value * (1.0 + 1e-9)) / 3.0) : 0;
    power = power < smallest ? smallest : power > 5 ? 5 : power;
    char number[PW_NUMBER_SIZE];
    snprintf(text, size, "%s %s%s", pw_number_text(value / pow(1000.0, power), 3, number), PREFIXES[power + 5], unit);
    return text;
}

const char *format_bytes(double bytes, char *text, size_t size)
{
    return format_prefixed(bytes, "B", 0, text, size);
}

const char *format_si(double value, const char *unit, char *text, size_t size)
{
    return format_prefixed(value, unit, -5, text, size);
}
