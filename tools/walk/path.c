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

pw_status path_parse(const char *text, struct path *path, pw_error *error)
{
    path->count = 0;
    for (const char *at = skip_blanks(text); *at != '\0'; at = skip_blanks(at)) {
        double point[2];
        const char *next = number(at, &point[0]);
        next = next != NULL && *next == ',' ? number(next + 1, &point[1]) : NULL;
        if (next == NULL || (*next != '\0' && !isspace((unsigned char)*next))) {
            return fail(error, PW_USAGE, "'%.40s' is no point; write x,y in metres, and blanks between points", at);
        }
        if (path->count == PATH_CORNERS) {
            return fail(error, PW_USAGE, "more than %d points", PATH_CORNERS);
        }
        path->corner[path->count][0] = point[0];
        path->corner[path->count++][1] = point[1];
        at = next;
    }
    return path->count > 0 ? PW_OK : fail(error, PW_USAGE, "no points; write x,y in metres, and blanks between points");
}

static double piece(const struct path *path, int n)
{
    return hypot(path->corner[n + 1][0] - path->corner[n][0], path->corner[n + 1][1] - path->corner[n][1]);
}

double path_length(const struct path *path)
{
    double length = 0;
    for (int n = 0; n + 1 < path->count; n++) {
        length += piece(path, n);
    }
    return length;
}

void path_at(const struct path *path, double distance, double place[2])
{
    int n = 0;
    while (n + 1 < path->count && distance > piece(path, n)) {
        distance -= piece(path, n++);
    }
    const double *from = path->corner[n], *to = path->corner[n + 1 < path->count ? n + 1 : n];
    const double length = hypot(to[0] - from[0], to[1] - from[1]), share = length > 0 ? distance / length : 0;
    for (int a = 0; a < 2; a++) {
        place[a] = from[a] + share * (to[a] - from[a]);
    }
}
