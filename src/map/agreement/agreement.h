/* Two results compared by what they mean: between agreement.c, which pairs transmitters, agreement_links.c and
 * agreement_maps.c, which compare, and agreement_print.c and agreement_plot.c, which show. */
#pragma once

#include "api/map.h"
#include "base/status.h"

/* Two curves over one axis, of the link that agrees least. */
struct agreement_curve {
    int count;
    double *values; /* (count, 3), owned: x, level of A, level of B */
    double error;
    char name[sizeof((pw_agreement_row *)0)->of];
};

struct agreement_image {
    pw_map_shape shape;
    double *values; /* (3, rows, columns), owned: A and B [dBm], A - B [dB]; NAN where not compared */
    double rms;
    char name[sizeof((pw_agreement_row *)0)->of];
};

struct agreement {
    char *path_a, *path_b; /* owned */
    char grids[PW_AGREEMENT_TEXT];
    pw_channel_options options;
    double max_error, max_db; /* NAN: no limit */
    bool flat[2];             /* of two dimensions */
    pw_agreement_row *row;    /* (count), owned */
    size_t count, room;
    struct agreement_curve transfer, profile;
    struct agreement_image image;
};

/* Running sums of one quantity. */
struct agreement_tally {
    long double difference, reference; /* squares, of amplitudes or delays */
    double *level;                     /* (levels), owned: absolute differences in the unit */
    int64_t levels;
    double largest;
    int64_t count;
};

/* Room for so many values; agreement_judge frees it, and so does free(tally->level). */
pw_status agreement_begin(struct agreement_tally *tally, size_t most, pw_error *error);
/* Adds a value whose squared difference and squared reference are given, and whose levels in the unit differ by
 * `level` (NAN: too weak to have one); true where that is the largest so far. */
bool agreement_add(struct agreement_tally *tally, double difference, double reference, double level);

/* A new row, owned by the agreement, valid until the next; NULL: no memory. */
pw_agreement_row *agreement_row(struct agreement *agreement, const char *what, const char *of, pw_error *error);
/* A row of what could not be compared; `one_sided`: one result alone has it. */
__attribute__((format(printf, 6, 7))) pw_status agreement_skip(struct agreement *agreement, const char *what,
                                                               const char *of, bool one_sided, pw_error *error,
                                                               const char *why, ...);
/* Fills numbers and verdict of a row. */
void agreement_judge(const struct agreement *agreement, struct agreement_tally *tally, const char *unit,
                     pw_agreement_row *row);

/* What both results have of a transmitter, by its number in each. */
pw_status agreement_links(struct agreement *agreement, const pw_result *const results[2], const int transmitter[2],
                          pw_error *error);
pw_status agreement_maps(struct agreement *agreement, pw_result *const results[2], const char *transmitter,
                         pw_error *error);
