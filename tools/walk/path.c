/* Paths (path.h). */
#include "walk/path.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

static const char *skip_blanks(const char *text)
{
    while (isspace((unsigned char)*text)) {
        text++;
    }
    return text;
}

/* A finite number; NULL: none is there. */
static const char *number(const char *text, double *value)
{
    char *end = NULL;
    *value = strtod(text, &end);
    return end == text || !isfinite(*value) ? NULL : end;
}

pw_status pw_walk_path_parse(const char *text, pw_walk_path *path, pw_error *error)
{
    path->count = 0;
    for (const char *at = skip_blanks(text); *at != '\0'; at = skip_blanks(at)) {
        double point[2];
        const char *next = number(at, &point[0]);
        next = next != NULL && *next == ',' ? number(next + 1, &point[1]) : NULL;
        if (next == NULL || (*next != '\0' && !isspace((unsigned char)*next))) {
            return fail(error, PW_USAGE, "'%.40s' is no point; write x,y in metres, and blanks between points", at);
        }
        if (path->count == PW_WALK_CORNERS) {
            return fail(error, PW_USAGE, "more than %d points", PW_WALK_CORNERS);
        }
        path->x[path->count] = point[0];
        path->y[path->count++] = point[1];
        at = next;
    }
    return path->count > 0 ? PW_OK : fail(error, PW_USAGE, "no points; write x,y in metres, and blanks between points");
}

static double piece(const pw_walk_path *path, int n)
{
    return hypot(path->x[n + 1] - path->x[n], path->y[n + 1] - path->y[n]);
}

double path_length(const pw_walk_path *path)
{
    double length = 0;
    for (int n = 0; n + 1 < path->count; n++) {
        length += piece(path, n);
    }
    return length;
}

void path_at(const pw_walk_path *path, double distance, double place[2])
{
    int n = 0;
    while (n + 1 < path->count && distance > piece(path, n)) {
        distance -= piece(path, n++);
    }
    const int next = n + 1 < path->count ? n + 1 : n;
    const double x = path->x[next] - path->x[n], y = path->y[next] - path->y[n], length = hypot(x, y),
                 share = length > 0 ? fmin(distance / length, 1) : 0;
    place[0] = path->x[n] + share * x;
    place[1] = path->y[n] + share * y;
}
