/* The table of building materials: names as a scenario may write them, and rows to evaluate at a frequency. */
#pragma once

#include "base/status.h"
#include "problem/poles/pole_fit.h"

#define MATERIAL_REVISION "ITU-R P.2040-4"

/* eps' = a f^b, sigma = c f^d [S/m], f in GHz. Materials with two ranges have two rows. Metal is solved as a perfect
 * conductor, whatever its row says. */
struct material_row {
    const char *name;
    double a, b, c, d;
    double low, high; /* GHz, range of validity */
};

/* True when `name` is in the table (either band of a two-band material), in any case, with spaces, dashes or
 * underscores. */
bool material_known(const char *name);

/* The table's spelling of `name` ("ceiling_board" is "ceiling board", "vacuum" is "air", "pec" is "metal"), or NULL
 * when unknown. */
const char *material_canonical(const char *name);

/* Glass with a coating, by name: what it is made of, and the resistance of its sheet [ohm per square]; NULL: none. */
const char *material_coated(const char *name, double *resistance);
#define MATERIAL_COATED_NAMES "low-e glass, low-e glass double silver, low-e glass hard coat, metal-coated glass"

/* The table's name for what builders call otherwise ("drywall" is "plasterboard"), for "did you mean"; NULL when there
 * is none. It is a hint and no alias: what the user calls tile may be ceramic. */
const char *material_meant(const char *name);

/* Every known name once, NULL after the last. */
enum { MATERIAL_NAMES_LIMIT = 32 };
void material_name_list(const char *names[MATERIAL_NAMES_LIMIT + 1]);

/* Every known name, comma separated, into `text`, which is returned. */
const char *material_names(char *text, size_t size);

/* The row of a canonical name that covers the frequency, else the one whose range is nearest on a logarithmic axis. */
const struct material_row *material_row_find(const char *name, double gigahertz);
bool material_row_covers(const struct material_row *row, double gigahertz);
void material_row_evaluate(const struct material_row *row, double gigahertz, double *permittivity,
                           double *conductivity);

/* Error at which a fit takes no more poles. */
static const double FIT_ENOUGH = 1.5e-3;
/* Constant values that miss the row by no more than this part of its permittivity over the band are good enough for
 * `materials: auto`. */
static const double CONSTANT_ENOUGH = 0.02;

/* Fits the row over a band, lowest and highest frequency [Hz] (pole_fit.h). */
pw_status material_row_fit(const struct material_row *row, const double band[2], struct pole_fit *fit, pw_error *error);
/* The largest relative error over a band of the row's permittivity and conductivity at the band's centre. */
double material_row_constant_error(const struct material_row *row, const double band[2]);

/* The rows in the order of the table; NULL after its end. */
const struct material_row *material_row_listed(size_t index);
