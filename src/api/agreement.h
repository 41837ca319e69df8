/* Agreement of two results by what they mean: results of two grids, schemes, time steps or dimensions share no dataset
 * number by number, but channels and maps of them have axes in Hz, s and m. pw_comparison_create compares bits. */
#ifndef PLANWAVE_AGREEMENT_H
#define PLANWAVE_AGREEMENT_H

#include "api/map.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PW_AGREEMENT_TEXT = 256 };

/* One quantity that was compared, or could not be. */
typedef struct pw_agreement_row {
    char what[64];                /* "transfer function", "map of received power" */
    char of[2 * 128 + 8];         /* "router -> desk", "router" */
    char unit[8];                 /* of the next two: "dB", "ns" */
    double rms, largest;          /* of A - B */
    char where[64];               /* of the largest: "2.41 GHz", "(1.2, 3.4) m", a receiver */
    double error;                 /* ||A - B|| / ||B||, of amplitudes, or of delays; NAN where not compared */
    int64_t count;                /* values; 0: not compared */
    bool different;               /* more than was allowed, or on one side alone */
    char note[PW_AGREEMENT_TEXT]; /* how it was compared, or why not; may be empty */
} pw_agreement_row;

typedef struct agreement pw_agreement;

/* "cell 0.02 m and 0.01 m; scheme yee and dd4": in what the grids of two results differ; empty: in nothing, so that
 * pw_comparison_create has more to say. Returns `text`. */
const char *pw_agreement_grids(const pw_result *a, const pw_result *b, char text[PW_AGREEMENT_TEXT]);

/* Compares transfer functions, power-delay profiles, path loss, delay spreads and mean delays of the links that both
 * results have by name, at the frequencies that both have; and maps of received power and of delay spread of the
 * transmitters that both have, at the points of the coarser one, by interpolation of the finer. Everything that cannot
 * be compared has a row that says why. A row is different where its error exceeds `max_error`, or where one result
 * alone has it. NULL options mean the defaults; `monitor` may be NULL. Finding differences is no failure. The caller
 * frees *agreement. */
pw_status pw_agreement_create(const char *path_a, const char *path_b, const pw_channel_options *options,
                              double max_error, const pw_monitor *monitor, pw_agreement **agreement, pw_error *error);
size_t pw_agreement_count(const pw_agreement *agreement);
/* Owned by the agreement; `index` counts from 0 to pw_agreement_count() - 1, NULL beyond. */
const pw_agreement_row *pw_agreement_at(const pw_agreement *agreement, size_t index);
bool pw_agreement_differs(const pw_agreement *agreement);
/* Prints a table, or JSON. */
pw_status pw_agreement_print(const pw_agreement *agreement, bool json, FILE *stream, pw_error *error);
/* The picture (PNG, SVG or PDF by the ending): transfer function and profile of the link that agrees least, and the
 * difference of the maps of received power that agree least. PW_BAD_INPUT: nothing was compared. */
pw_status pw_agreement_plot(const pw_agreement *agreement, const char *path, pw_error *error);
/* NULL is allowed. */
void pw_agreement_free(pw_agreement *agreement);

#ifdef __cplusplus
}
#endif
#endif
