/* Words, numbers and names for people: complaints, suggestions, units. */
#include "tool.h"

#include <dirent.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

void complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("planwave: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

pw_status complain_error(pw_status status, const pw_error *error)
{
    complain("%s", error->message);
    return status;
}

pw_status complain_usage(const struct command *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "planwave %s: ", command->name);
    vfprintf(stderr, format, arguments);
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

pw_status check_free(const char *path, bool force)
{
    struct stat found;
    if (force || stat(path, &found) != 0) {
        return PW_OK;
    }
    if (S_ISDIR(found.st_mode) && folder_is_empty(path)) {
        return PW_OK;
    }
    complain("%s exists; give --force to replace it, or another name with -o", path);
    return PW_BAD_INPUT;
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
    snprintf(text, size, "%.4g %s%s", value / pow(1000.0, power), PREFIXES[power + 5], unit);
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
