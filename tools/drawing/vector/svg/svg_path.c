/* Path data of SVG (section 9.3 of SVG 1.1) drawn by a pen; arcs by its appendix F.6. */
#include "drawing/vector/svg/svg_text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Where a path is, in its own coordinates. */
struct path_state {
    double x, y;               /* the current point */
    double start_x, start_y;   /* where the part began */
    double mirror_x, mirror_y; /* the last control point, for smooth curves; the current point where there is none */
};

/* A flag of an arc is one digit, with or without something behind it. */
static bool flag_read(const char **text, double *flag)
{
    const char *at = *text + strspn(*text, " \t\r\n\f,");
    if (*at != '0' && *at != '1') {
        return false;
    }
    *flag = *at - '0';
    *text = at + 1 + strspn(at + 1, " \t\r\n\f,");
    return true;
}

/* v: the radii, the rotation in degrees, large, sweep, and the end. */
static pw_status arc_add(struct pen *pen, const struct path_state *state, const double *v,
                         const struct svg_matrix *matrix, pw_error *error)
{
    double rx = fabs(v[0]), ry = fabs(v[1]), phi = v[2] * M_PI / 180, c = cos(phi), s = sin(phi);
    double dx = (state->x - v[5]) / 2, dy = (state->y - v[6]) / 2;
    if (rx == 0 || ry == 0 || (dx == 0 && dy == 0)) {
        return pen_line(pen, svg_point(matrix, v[5], v[6]), error);
    }
    double x1 = c * dx + s * dy, y1 = -s * dx + c * dy; /* from the middle to the beginning, along the axes */
    double needed = (x1 * x1) / (rx * rx) + (y1 * y1) / (ry * ry);
    if (needed > 1) { /* too small for the way: as large as it takes */
        rx *= sqrt(needed);
        ry *= sqrt(needed);
    }
    double across = rx * rx * y1 * y1 + ry * ry * x1 * x1;
    double size = across > 0 ? sqrt(fmax(0, (rx * rx * ry * ry - across) / across)) : 0;
    size = v[3] == v[4] ? -size : size;
    double cx = size * rx * y1 / ry, cy = -size * ry * x1 / rx;
    double from = atan2((y1 - cy) / ry, (x1 - cx) / rx), to = atan2((-y1 - cy) / ry, (-x1 - cx) / rx);
    double sweep = to - from;
    if (v[4] != 0 && sweep < 0) {
        sweep += 2 * M_PI;
    } else if (v[4] == 0 && sweep > 0) {
        sweep -= 2 * M_PI;
    }
    double most = 2 * M_PI * (1 - 1e-6); /* rounding makes no whole turn of it */
    double x = c * cx - s * cy + (state->x + v[5]) / 2, y = s * cx + c * cy + (state->y + v[6]) / 2;
    struct curve_arc arc = {.centre = svg_point(matrix, x, y),
                            .u = svg_vector(matrix, rx * c, rx * s),
                            .v = svg_vector(matrix, -ry * s, ry * c),
                            .from = from,
                            .sweep = fmax(-most, fmin(most, sweep))};
    TRY(curve_arc_add(pen, &arc, error));
    pen->points[pen->point_count - 1] = svg_point(matrix, v[5], v[6]); /* no rounding where pieces meet */
    return PW_OK;
}

/* A curve of degree `degree` whose control points are in `v`; smooth ones take their first from the curve before. */
static pw_status curve_add(struct pen *pen, struct path_state *state, const double *v, int degree,
                           const struct svg_matrix *matrix, pw_error *error)
{
    struct drawing_point control[3];
    for (int n = 0; n < degree; n++) {
        control[n] = svg_point(matrix, v[2 * n], v[2 * n + 1]);
    }
    state->mirror_x = v[2 * degree - 4];
    state->mirror_y = v[2 * degree - 3];
    return curve_bezier_add(pen, control, degree, error);
}

/* How many numbers a command takes; -1: there is no such command. */
static int numbers_of(char command)
{
    static const char COMMANDS[] = "MLTHVSQCA", NUMBERS[] = {2, 2, 2, 1, 1, 4, 4, 6, 7};
    const char *at = command != '\0' ? strchr(COMMANDS, command) : NULL;
    return at != NULL ? NUMBERS[at - COMMANDS] : -1;
}

/* Carries out a command whose numbers are absolute by now; the end of its way, its last numbers, becomes the current
 * point. */
static pw_status command_draw(struct pen *pen, char command, double *v, struct path_state *state,
                              const struct svg_matrix *matrix, pw_error *error)
{
    double smooth_x = 2 * state->x - state->mirror_x, smooth_y = 2 * state->y - state->mirror_y;
    bool curve = strchr("CSQT", command) != NULL;
    const double *last = v + numbers_of(command) - 1;
    const double end_x = command == 'V' ? state->x : command == 'H' ? *last : last[-1];
    const double end_y = command == 'H' ? state->y : *last;
    switch (command) {
    case 'A':
        TRY(arc_add(pen, state, v, matrix, error));
        break;
    case 'C':
        TRY(curve_add(pen, state, v, 3, matrix, error));
        break;
    case 'S':
        TRY(curve_add(pen, state, (double[]){smooth_x, smooth_y, v[0], v[1], v[2], v[3]}, 3, matrix, error));
        break;
    case 'Q':
        TRY(curve_add(pen, state, v, 2, matrix, error));
        break;
    case 'T':
        TRY(curve_add(pen, state, (double[]){smooth_x, smooth_y, v[0], v[1]}, 2, matrix, error));
        break;
    case 'M':
        TRY(pen_move(pen, svg_point(matrix, end_x, end_y), error));
        state->start_x = end_x;
        state->start_y = end_y;
        break;
    default: /* H, V, L */
        TRY(pen_line(pen, svg_point(matrix, end_x, end_y), error));
        break;
    }
    state->x = end_x;
    state->y = end_y;
    if (!curve) {
        state->mirror_x = end_x;
        state->mirror_y = end_y;
    }
    return PW_OK;
}

/* The numbers of a command; relative ones become absolute. */
static bool numbers_read(const char **data, char command, bool relative, const struct path_state *state, double *v)
{
    int count = numbers_of(command);
    for (int n = 0; n < count; n++) {
        bool flag = command == 'A' && (n == 3 || n == 4);
        if (!(flag ? flag_read(data, &v[n]) : svg_number(data, &v[n]))) {
            return false;
        }
        bool along_y = command == 'V' || (command == 'A' ? n == 6 : n % 2 == 1);
        if (relative && (command != 'A' || n >= 5)) {
            v[n] += along_y ? state->y : state->x;
        }
    }
    return true;
}

pw_status svg_path_add(struct pen *pen, const char *data, const struct svg_matrix *matrix, bool *whole, pw_error *error)
{
    struct path_state state = {0};
    char command = '\0';
    *whole = true;
    for (;;) {
        data += strspn(data, " \t\r\n\f,");
        if (*data == '\0') {
            return PW_OK;
        }
        bool letter = isalpha((unsigned char)*data) != 0;
        char given = command;
        if (letter) {
            given = *data++;
        } else if (command == 'M' || command == 'm') { /* further points of a move are lines */
            given = command == 'M' ? 'L' : 'l';
        }
        char kind = (char)toupper((unsigned char)given);
        bool begins = kind == 'M';
        if (pen->part_count == 0 && !begins) {
            *whole = false;
            return PW_OK;
        }
        double v[7];
        if (kind == 'Z' && letter) {
            pen_close(pen);
            state.x = state.mirror_x = state.start_x;
            state.y = state.mirror_y = state.start_y;
        } else if (numbers_of(kind) > 0 && numbers_read(&data, kind, kind != given, &state, v)) {
            if ((kind == 'S' && strchr("CcSs", command) == NULL) || (kind == 'T' && strchr("QqTt", command) == NULL)) {
                state.mirror_x = state.x;
                state.mirror_y = state.y;
            }
            TRY(command_draw(pen, kind, v, &state, matrix, error));
        } else {
            *whole = false;
            return PW_OK;
        }
        command = given;
    }
}
