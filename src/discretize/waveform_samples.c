/* Waveforms that the user gives as samples: a CSV of time [s], current [A], linear in between and zero outside. Leaves
 * out their spectrum, for which nothing is promised. */
#include "discretize/waveform.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t SAMPLES_FILE_LIMIT = (size_t)64 << 20; /* bytes */

static pw_status text_read(const char *path, char **text, pw_error *error)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return fail(error, PW_BAD_INPUT, "cannot read the waveform samples '%s': %s", path, strerror(errno));
    }
    size_t used = 0, room = (size_t)1 << 16;
    char *buffer = NULL;
    pw_status status = PW_OK;
    for (;;) {
        char *grown = realloc(buffer, room + 1);
        if (grown == NULL) {
            status = fail(error, PW_NO_RESOURCE, "not enough memory for the waveform samples '%s'", path);
            break;
        }
        buffer = grown;
        used += fread(buffer + used, 1, room - used, file);
        if (ferror(file)) {
            status = fail(error, PW_BAD_INPUT, "cannot read the waveform samples '%s': %s", path, strerror(errno));
            break;
        }
        if (used < room) {
            break;
        }
        if (room >= SAMPLES_FILE_LIMIT) {
            status = fail(error, PW_BAD_INPUT, "the waveform samples '%s' are larger than %zu MiB", path,
                          SAMPLES_FILE_LIMIT >> 20);
            break;
        }
        room *= 2;
    }
    fclose(file);
    if (status != PW_OK) {
        free(buffer);
        return status;
    }
    buffer[used] = '\0';
    size_t length = strlen(buffer);
    if (length != used) {
        free(buffer);
        return fail(error, PW_BAD_INPUT, "the waveform samples '%s' are not text: byte %zu is zero", path, length);
    }
    *text = buffer;
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
        const char *first = line + strspn(line, " \t\r");
        if (*first == '\0' || *first == '#') {
        } else if (sample_parse(first, &time, &value)) {
            int64_t n = waveform->samples;
            if (n > 0 && !(time > waveform->time[n - 1])) {
                return fail(error, PW_BAD_INPUT, "%s:%lld: time %g s does not come after %g s; times must rise", path,
                            (long long)line_number, time, waveform->time[n - 1]);
            }
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
    if (waveform->samples < 2) {
        return fail(error, PW_BAD_INPUT, "the waveform samples '%s' hold %lld samples; at least 2 are needed", path,
                    (long long)waveform->samples);
    }
    return PW_OK;
}

pw_status waveform_samples_read(const char *path, struct waveform *waveform, pw_error *error)
{
    char *text = NULL;
    TRY(text_read(path, &text, error));
    size_t lines = 1;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++) {
        lines++;
    }
    waveform->time = allocate(lines, sizeof *waveform->time, "waveform times", error);
    waveform->value = allocate(lines, sizeof *waveform->value, "waveform samples", error);
    pw_status status =
        waveform->time == NULL || waveform->value == NULL ? PW_NO_RESOURCE : samples_parse(path, text, waveform, error);
    free(text);
    return status;
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
