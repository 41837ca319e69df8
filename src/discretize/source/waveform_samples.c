/* Waveforms that the user gives as samples: a CSV of time [s], current [A], linear in between and zero outside. Leaves
 * out their spectrum, for which nothing is promised. */
#include "base/file/atomic_file.h"
#include "base/status.h"
#include "discretize/source/waveform.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const size_t SAMPLES_FILE_LIMIT = (size_t)64 << 20; /* bytes */

/* The whole file as text; *text is the caller's to free, after a failure too. */
static pw_status text_read(const char *path, char **text, pw_error *error)
{
    size_t length = 0;
    TRY(input_file_look(path, error));
    FILE *file = fopen(path, "rb"); /* a pipe will do */
    FAIL_IF(file == NULL, error, PW_BAD_INPUT, "cannot read the waveform samples '%s': %s", path, strerror(errno));
    TRY(input_file_load(file, path, SAMPLES_FILE_LIMIT, text, &length, error));
    FAIL_IF(strlen(*text) != length, error, PW_BAD_INPUT, "the waveform samples '%s' are not text: byte %zu is zero",
            path, strlen(*text));
    return PW_OK;
}

/* One line "time, value"; separators are commas, semicolons, blanks. */
static bool sample_parse(const char *line, double *time, double *value)
{
    char *end;
    *time = strtod(line, &end);
    if (end == line) {
        return false;
    }
    const char *second = end + strspn(end, " \t,;");
    *value = second != end ? strtod(second, &end) : NAN;
    return second != end && end[strspn(end, " \t\r")] == '\0' && isfinite(*time) && isfinite(*value);
}

static pw_status samples_parse(const char *path, char *text, struct waveform *waveform, pw_error *error)
{
    int64_t line_number = 0;
    bool header_allowed = true;
    for (char *line = text; line != NULL;) {
        char *next = strchr(line, '\n');
        if (next != NULL) {
            *next++ = '\0';
        }
        line_number++;
        double time, value;
        const char *first = pw_line_begin(line);
        if (*first == '\0' || *first == '#') {
        } else if (sample_parse(first, &time, &value)) {
            int64_t n = waveform->samples;
            FAIL_IF(n > 0 && !(time > waveform->time[n - 1]), error, PW_BAD_INPUT,
                    "%s:%lld: time %g s does not come after %g s; times must rise", path, (long long)line_number, time,
                    waveform->time[n - 1]);
            waveform->time[n] = time;
            waveform->value[n] = value;
            waveform->samples++;
            header_allowed = false;
        } else if (header_allowed) {
            header_allowed = false; /* column titles */
        } else {
            return fail(error, PW_BAD_INPUT,
                        "%s:%lld: '%.40s' is not a sample; write two finite numbers: time [s], current [A]", path,
                        (long long)line_number, first);
        }
        line = next;
    }
    FAIL_IF(waveform->samples < 2, error, PW_BAD_INPUT,
            "the waveform samples '%s' hold %lld samples; at least 2 are needed", path, (long long)waveform->samples);
    return PW_OK;
}

/* One entry per line is room enough. */
static pw_status samples_read(const char *path, char *text, struct waveform *waveform, pw_error *error)
{
    size_t lines = 1;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++) {
        lines++;
    }
    waveform->time = allocate(lines, sizeof *waveform->time, "waveform times", error);
    waveform->value = allocate(lines, sizeof *waveform->value, "waveform samples", error);
    return waveform->time == NULL || waveform->value == NULL ? PW_NO_RESOURCE
                                                             : samples_parse(path, text, waveform, error);
}

pw_status waveform_samples_read(const char *path, struct waveform *waveform, pw_error *error)
{
    OWNED char *text = NULL;
    TRY(text_read(path, &text, error));
    return samples_read(path, text, waveform, error);
}

double waveform_samples_at(const struct waveform *waveform, double time)
{
    int64_t low = 0, high = waveform->samples - 1;
    if (time < waveform->time[low] || time > waveform->time[high]) {
        return 0;
    }
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        *(waveform->time[middle] <= time ? &low : &high) = middle;
    }
    double part = (time - waveform->time[low]) / (waveform->time[high] - waveform->time[low]);
    return waveform->value[low] + part * (waveform->value[high] - waveform->value[low]);
}
