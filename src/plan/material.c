/* Materials resolved at one frequency, from the table of building materials or from values of the user's own; and the
 * table in print. Metal is a perfect conductor. Leaves out dispersion of the table's rows over the band: their
 * permittivity and conductivity are exact only at the frequency at which they were resolved. */
#include "plan/material.h"

#include "api/plan/plan.h"
#include "base/constants.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static pw_status resolve_by_name(const char *name, double frequency, bool strict, pw_notes *warnings,
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
    const struct material_row *row = material_row_find(canonical, gigahertz);
    snprintf(material->name, sizeof material->name, "%s", canonical);
    material->perfect_conductor = strcmp(canonical, "metal") == 0;
    if (material->perfect_conductor || strcmp(canonical, "air") == 0) {
        material->relative_permittivity = 1;
        material->conductivity = 0;
        return PW_OK;
    }
    material_row_evaluate(row, gigahertz, &material->relative_permittivity, &material->conductivity);
    if (material_row_covers(row, gigahertz)) {
        return PW_OK;
    }
    const char *format = "material '%s' at %g GHz is outside its " MATERIAL_REVISION " range of %g to %g GHz%s";
    FAIL_IF(strict, error, PW_BAD_INPUT, format, canonical, gigahertz, row->low, row->high,
            "; give relative_permittivity and conductivity, or leave out --strict");
    warn(warnings, format, canonical, gigahertz, row->low, row->high, "; its values are extrapolated");
    return PW_OK;
}

/* What the poles add at `frequency` [Hz], as permittivity and conductivity. */
static void dispersion_at(const struct material_dispersion *dispersion, double frequency, double *relative_permittivity,
                          double *conductivity)
{
    struct permittivity sum = {0, 0};
    for (int p = 0; p < dispersion->pole_count; p++) {
        struct permittivity one = pole_at(&dispersion->poles[p], frequency);
        sum.real += one.real;
        sum.loss += one.loss;
    }
    *relative_permittivity = sum.real;
    *conductivity = 2 * M_PI * frequency * FREE_SPACE_PERMITTIVITY * sum.loss;
}

/* Permittivity and conductivity at the frequency, where they are what walls can be averaged with. */
static void add_poles(const struct material_choice *choice, double frequency, struct material *material)
{
    struct material_dispersion *dispersion = &material->dispersion;
    double permittivity, conductivity;
    dispersion->pole_count = choice->pole_count;
    memcpy(dispersion->poles, choice->poles, sizeof dispersion->poles);
    dispersion->relative_permittivity = material->relative_permittivity;
    dispersion->conductivity = material->conductivity;
    dispersion_at(dispersion, frequency, &permittivity, &conductivity);
    dispersion->opaque = material->relative_permittivity + permittivity <= 0;
    if (material->relative_permittivity + permittivity >= 1) {
        material->relative_permittivity += permittivity;
        material->conductivity += conductivity;
    }
}

pw_status material_resolve(const struct material_choice *choice, double frequency, bool strict, pw_notes *warnings,
                           struct material *material, pw_error *error)
{
    *material = (struct material){0};
    FAIL_IF(!(frequency > 0) || !isfinite(frequency), error, PW_BAD_INPUT,
            "material_resolve: the frequency is %g Hz and must be positive", frequency);
    if (!choice->own_values && !choice->perfect_conductor) {
        return resolve_by_name(choice->name, frequency, strict, warnings, material, error);
    }
    snprintf(material->name, sizeof material->name, "%s", choice->name);
    material->perfect_conductor = choice->perfect_conductor;
    if (choice->perfect_conductor) {
        material->relative_permittivity = 1;
        return PW_OK;
    }
    FAIL_IF(!(choice->relative_permittivity >= 1) || !(choice->conductivity >= 0) ||
                !isfinite(choice->relative_permittivity) || !isfinite(choice->conductivity),
            error, PW_BAD_INPUT,
            "material '%s': relative permittivity %g must be at least 1, conductivity %g S/m at least 0", choice->name,
            choice->relative_permittivity, choice->conductivity);
    material->relative_permittivity = choice->relative_permittivity;
    material->conductivity = choice->conductivity;
    if (choice->pole_count > 0) {
        add_poles(choice, frequency, material);
    }
    return PW_OK;
}

static pw_material row_describe(const struct material_row *row, double frequency)
{
    double gigahertz = frequency / 1e9;
    pw_material material = {.name = row->name,
                            .relative_permittivity = NAN,
                            .conductivity = NAN,
                            .lowest = 1e9 * row->low,
                            .highest = 1e9 * row->high,
                            .perfect_conductor = strcmp(row->name, "metal") == 0};
    if (frequency > 0 && isfinite(frequency)) {
        material.covers = material_row_covers(row, gigahertz);
        material_row_evaluate(row, gigahertz, &material.relative_permittivity, &material.conductivity);
    }
    return material;
}

pw_material pw_material_describe(size_t index, double frequency)
{
    size_t past = 0;
    while (past < index && material_row_listed(past) != NULL) {
        past++;
    }
    const struct material_row *row = material_row_listed(past);
    return row != NULL ? row_describe(row, frequency) : (pw_material){0};
}

pw_material pw_material_at(const char *name, double frequency)
{
    const struct material_row *row = material_row_find(name, frequency / 1e9);
    return row != NULL ? row_describe(row, frequency) : (pw_material){0};
}

/* Depth [m] at which the field of a plane wave has fallen to 1/e: 1/alpha, alpha = (w/c) sqrt(eps'/2 (sqrt(1+tan^2) -
 * 1)). */
static double penetration_depth(double permittivity, double loss_tangent, double frequency)
{
    /* sqrt(1+t^2) - 1 without cancellation for small t */
    double excess = loss_tangent * loss_tangent / (sqrt(1 + loss_tangent * loss_tangent) + 1);
    return SPEED_OF_LIGHT / (2 * M_PI * frequency * sqrt(permittivity / 2 * excess));
}

static void print_row(FILE *stream, const struct material_row *row, double frequency)
{
    double permittivity, conductivity, gigahertz = frequency / 1e9;
    material_row_evaluate(row, gigahertz, &permittivity, &conductivity);
    double loss_tangent = conductivity / (2 * M_PI * frequency * FREE_SPACE_PERMITTIVITY * permittivity);
    char depth[32] = "-", range[40];
    if (conductivity > 0) {
        snprintf(depth, sizeof depth, "%.3g m", penetration_depth(permittivity, loss_tangent, frequency));
    }
    snprintf(range, sizeof range, "%g - %g GHz", row->low, row->high);
    bool outside = !material_row_covers(row, gigahertz);
    fprintf(stream, "%-18s %10.4g %14.4g %12.4g %14s   %*s%s\n", row->name, permittivity, conductivity, loss_tangent,
            depth, outside ? -18 : 0, range, outside ? "outside" : "");
}

pw_status pw_materials_print(double frequency, FILE *stream, pw_error *error)
{
    FAIL_IF(stream == NULL || !(frequency > 0) || !isfinite(frequency), error, PW_USAGE,
            "pw_materials_print: the frequency is %g Hz and must be positive, the stream not NULL", frequency);
    fprintf(stream, MATERIAL_REVISION " at %g GHz\n\n", frequency / 1e9);
    fprintf(stream, "%-18s %10s %14s %12s %14s   %s\n", "material", "eps_r", "sigma [S/m]", "tan delta", "depth (1/e)",
            "valid");
    bool outside = false;
    const struct material_row *row;
    for (size_t i = 0; (row = material_row_listed(i)) != NULL; i++) {
        print_row(stream, row, frequency);
        outside = outside || !material_row_covers(row, frequency / 1e9);
    }
    fprintf(stream, "\nair is vacuum too; metal is solved as a perfect conductor.\n");
    if (outside) {
        fprintf(stream, "outside: the frequency is not in the range of that row; its values are extrapolated.\n");
    }
    FAIL_IF(fflush(stream) != 0 || ferror(stream), error, PW_NO_RESOURCE, "pw_materials_print: cannot write: %s",
            strerror(errno));
    return PW_OK;
}

static void print_pole(FILE *stream, const struct pole *pole)
{
    double frequency = 1e-9 * pole_frequency(pole), damping = 1e-9 * pole->damping;
    if (pole->kind == POLE_DEBYE) {
        fprintf(stream, "  Debye %.4g at %.4g GHz", pole->strength, frequency);
    } else if (pole->kind == POLE_LORENTZ) {
        fprintf(stream, "  Lorentz %.4g at %.4g GHz, %.3g GHz wide", pole->strength, frequency, damping);
    } else {
        fprintf(stream, "  Drude %.4g GHz, damping %.3g GHz", frequency, damping);
    }
}

static pw_status print_fit(FILE *stream, const struct material_row *row, const double band[2], pw_error *error)
{
    struct pole_fit fit;
    TRY(material_row_fit(row, band, &fit, error));
    fprintf(stream, "%-18s %9.3g %% %9.3g %% %10.4g %14.4g  ", row->name, 100 * material_row_constant_error(row, band),
            100 * fit.error, fit.relative_permittivity, fit.conductivity);
    for (int p = 0; p < fit.pole_count; p++) {
        print_pole(stream, &fit.poles[p]);
    }
    fputc('\n', stream);
    return PW_OK;
}

pw_status pw_materials_fit_print(double lowest, double highest, FILE *stream, pw_error *error)
{
    const double band[2] = {lowest, highest};
    const struct material_row *row;
    FAIL_IF(stream == NULL || !(lowest > 0) || !(highest > lowest) || !isfinite(highest), error, PW_USAGE,
            "pw_materials_fit_print: the band is %g to %g Hz and must ascend from above 0, the stream not NULL", lowest,
            highest);
    fprintf(stream,
            MATERIAL_REVISION " from %g to %g GHz: largest error of constant values and of the fitted poles\n\n",
            1e-9 * lowest, 1e-9 * highest);
    fprintf(stream, "%-18s %11s %11s %10s %14s   %s\n", "material", "constant", "fitted", "eps_inf", "sigma [S/m]",
            "poles");
    for (size_t i = 0; (row = material_row_listed(i)) != NULL; i++) {
        if (row->a > 1 && material_row_covers(row, 1e-9 * lowest) && material_row_covers(row, 1e-9 * highest)) {
            TRY(print_fit(stream, row, band, error));
        }
    }
    FAIL_IF(fflush(stream) != 0 || ferror(stream), error, PW_NO_RESOURCE, "pw_materials_fit_print: cannot write: %s",
            strerror(errno));
    return PW_OK;
}
