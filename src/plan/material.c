/* Building materials of ITU-R P.2040-3 (table 3; physics.md section 7): eps' = a f^b, sigma = c f^d with f in GHz.
 * Metal is a perfect conductor. Leaves out: dispersion over the band, a conductivity is exact at the frequency it was
 * resolved at only. */
#include "plan/material.h"
#include "base/constants.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct row {
    const char *name;
    double a, b, c, d;
    double low, high; /* GHz, range of validity */
};

static const struct row TABLE[] = {
    {"air", 1, 0, 0, 0, 0.001, 100},
    {"concrete", 5.24, 0, 0.0462, 0.7822, 1, 100},
    {"brick", 3.91, 0, 0.0238, 0.16, 1, 40},
    {"plasterboard", 2.73, 0, 0.0085, 0.9395, 1, 100},
    {"wood", 1.99, 0, 0.0047, 1.0718, 0.001, 100},
    {"glass", 6.31, 0, 0.0036, 1.3394, 0.1, 100},
    {"glass", 5.79, 0, 0.0004, 1.658, 220, 450},
    {"ceiling board", 1.48, 0, 0.0011, 1.0750, 1, 100},
    {"ceiling board", 1.52, 0, 0.0029, 1.029, 220, 450},
    {"chipboard", 2.58, 0, 0.0217, 0.7800, 1, 100},
    {"plywood", 2.71, 0, 0.33, 0, 1, 40},
    {"marble", 7.074, 0, 0.0055, 0.9262, 1, 60},
    {"floorboard", 3.66, 0, 0.0044, 1.3515, 50, 100},
    {"metal", 1, 0, 1e7, 0, 1, 100},
    {"very dry ground", 3, 0, 0.00015, 2.52, 1, 10},
    {"medium dry ground", 15, -0.1, 0.035, 1.63, 1, 10},
    {"wet ground", 30, -0.4, 0.15, 1.30, 1, 10},
};
enum { ROW_COUNT = sizeof TABLE / sizeof TABLE[0] };

static const double PI = 3.14159265358979323846;

static bool name_matches(const char *written, const char *name)
{
    for (; *written != '\0' && *name != '\0'; written++, name++) {
        char c = *written == '_' || *written == '-' ? ' ' : (char)tolower((unsigned char)*written);
        if (c != *name) {
            return false;
        }
    }
    return *written == *name;
}

const char *material_canonical(const char *name)
{
    static const char *const ALIASES[][2] = {{"vacuum", "air"}, {"pec", "metal"}, {"perfect conductor", "metal"}};
    for (int i = 0; i < ROW_COUNT; i++) {
        if (name_matches(name, TABLE[i].name)) {
            return TABLE[i].name;
        }
    }
    for (size_t i = 0; i < sizeof ALIASES / sizeof ALIASES[0]; i++) {
        if (name_matches(name, ALIASES[i][0])) {
            return ALIASES[i][1];
        }
    }
    return NULL;
}

bool material_known(const char *name)
{
    return material_canonical(name) != NULL;
}

const char *material_names(char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < ROW_COUNT; i++) {
        if (i > 0 && strcmp(TABLE[i].name, TABLE[i - 1].name) == 0) {
            continue;
        }
        int length = snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", TABLE[i].name);
        if (length < 0 || (size_t)length >= size - used) {
            break;
        }
        used += (size_t)length;
    }
    return text;
}

static bool row_covers(const struct row *row, double gigahertz)
{
    return gigahertz >= row->low && gigahertz <= row->high;
}

/* The row of a canonical name that covers the frequency, else the one whose range is nearest on a logarithmic axis. */
static const struct row *row_find(const char *name, double gigahertz)
{
    const struct row *best = NULL;
    double best_distance = INFINITY;
    for (int i = 0; i < ROW_COUNT; i++) {
        const struct row *row = &TABLE[i];
        if (strcmp(row->name, name) != 0) {
            continue;
        }
        double distance = fmax(0, fmax(log(row->low / gigahertz), log(gigahertz / row->high)));
        if (best == NULL || distance < best_distance) {
            best = row;
            best_distance = distance;
        }
    }
    return best;
}

static void row_evaluate(const struct row *row, double gigahertz, double *permittivity, double *conductivity)
{
    *permittivity = row->a * pow(gigahertz, row->b);
    *conductivity = row->c * pow(gigahertz, row->d);
}

static pw_status resolve_by_name(const char *name, double frequency, bool strict, struct warnings *warnings,
                                 struct material *material, pw_error *error)
{
    const char *canonical = material_canonical(name);
    if (canonical == NULL) {
        char known[400];
        return fail(error, PW_BAD_INPUT,
                    "unknown material '%.60s'; known are %s, or {relative_permittivity, conductivity}", name,
                    material_names(known, sizeof known));
    }
    double gigahertz = frequency / 1e9;
    const struct row *row = row_find(canonical, gigahertz);
    snprintf(material->name, sizeof material->name, "%s", canonical);
    material->perfect_conductor = strcmp(canonical, "metal") == 0;
    if (material->perfect_conductor || strcmp(canonical, "air") == 0) {
        material->relative_permittivity = 1;
        material->conductivity = 0;
        return PW_OK;
    }
    row_evaluate(row, gigahertz, &material->relative_permittivity, &material->conductivity);
    if (row_covers(row, gigahertz)) {
        return PW_OK;
    }
    const char *format = "material '%s' at %g GHz is outside its " MATERIAL_REVISION " range of %g to %g GHz%s";
    if (strict) {
        return fail(error, PW_BAD_INPUT, format, canonical, gigahertz, row->low, row->high,
                    "; give relative_permittivity and conductivity, or leave out --strict");
    }
    warn(warnings, format, canonical, gigahertz, row->low, row->high, "; its row was extrapolated");
    return PW_OK;
}

pw_status material_resolve(const struct material_choice *choice, double frequency, bool strict,
                           struct warnings *warnings, struct material *material, pw_error *error)
{
    *material = (struct material){0};
    if (!(frequency > 0) || !isfinite(frequency)) {
        return fail(error, PW_BAD_INPUT, "material_resolve: the frequency is %g Hz and must be positive", frequency);
    }
    if (!choice->own_values && !choice->perfect_conductor) {
        return resolve_by_name(choice->name, frequency, strict, warnings, material, error);
    }
    snprintf(material->name, sizeof material->name, "%s", choice->name);
    material->perfect_conductor = choice->perfect_conductor;
    if (choice->perfect_conductor) {
        material->relative_permittivity = 1;
        return PW_OK;
    }
    if (!(choice->relative_permittivity >= 1) || !(choice->conductivity >= 0) ||
        !isfinite(choice->relative_permittivity) || !isfinite(choice->conductivity)) {
        return fail(error, PW_BAD_INPUT,
                    "material '%s': relative permittivity %g must be at least 1, conductivity %g S/m at least 0",
                    choice->name, choice->relative_permittivity, choice->conductivity);
    }
    material->relative_permittivity = choice->relative_permittivity;
    material->conductivity = choice->conductivity;
    return PW_OK;
}

/* Depth [m] at which the field of a plane wave has fallen to 1/e: 1/alpha, alpha = (w/c) sqrt(eps'/2 (sqrt(1+tan^2) -
 * 1)). */
static double penetration_depth(double permittivity, double loss_tangent, double frequency)
{
    /* sqrt(1+t^2) - 1 without cancellation for small t */
    double excess = loss_tangent * loss_tangent / (sqrt(1 + loss_tangent * loss_tangent) + 1);
    return SPEED_OF_LIGHT / (2 * PI * frequency * sqrt(permittivity / 2 * excess));
}

static void print_row(FILE *stream, const struct row *row, double frequency)
{
    double permittivity, conductivity, gigahertz = frequency / 1e9;
    row_evaluate(row, gigahertz, &permittivity, &conductivity);
    double loss_tangent = conductivity / (2 * PI * frequency * FREE_SPACE_PERMITTIVITY * permittivity);
    char depth[32] = "-", range[40];
    if (conductivity > 0) {
        snprintf(depth, sizeof depth, "%.3g m", penetration_depth(permittivity, loss_tangent, frequency));
    }
    snprintf(range, sizeof range, "%g - %g GHz", row->low, row->high);
    bool outside = !row_covers(row, gigahertz);
    fprintf(stream, "%-18s %10.4g %14.4g %12.4g %14s   %*s%s\n", row->name, permittivity, conductivity, loss_tangent,
            depth, outside ? -18 : 0, range, outside ? "outside" : "");
}

pw_status pw_materials_print(double frequency, FILE *stream, pw_error *error)
{
    if (stream == NULL || !(frequency > 0) || !isfinite(frequency)) {
        return fail(error, PW_USAGE,
                    "pw_materials_print: the frequency is %g Hz and must be positive, the stream not NULL", frequency);
    }
    fprintf(stream, MATERIAL_REVISION " at %g GHz\n\n", frequency / 1e9);
    fprintf(stream, "%-18s %10s %14s %12s %14s   %s\n", "material", "eps_r", "sigma [S/m]", "tan delta", "depth (1/e)",
            "valid");
    bool outside = false;
    for (int i = 0; i < ROW_COUNT; i++) {
        print_row(stream, &TABLE[i], frequency);
        outside = outside || !row_covers(&TABLE[i], frequency / 1e9);
    }
    fprintf(stream, "\nair is vacuum too; metal is solved as a perfect conductor.\n");
    if (outside) {
        fprintf(stream, "outside: the frequency is not in the range of that row; its values are extrapolated.\n");
    }
    if (fflush(stream) != 0 || ferror(stream)) {
        return fail(error, PW_NO_RESOURCE, "pw_materials_print: cannot write: %s", strerror(errno));
    }
    return PW_OK;
}
