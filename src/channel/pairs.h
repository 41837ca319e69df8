/* All pairs of some transmitters and places, worked through in groups: the fields of a group are gathered, the threads
 * turn them into channels, and each pair is handed on. */
#pragma once

#include "api/pairs.h"
#include "channel/link.h"

struct pair_list {
    const struct result *result;
    pw_pairs_options options; /* places and transmitters as asked for */
    int *transmitters;        /* (transmitter_count), owned: indices into the result */
    int transmitter_count;
    struct place *places; /* (place_count), owned, in the order asked for */
    int place_count;
    int *order; /* (place_count), owned: neighbours in the file are neighbours here */
    /* The antennas of a place: in two dimensions one, for Ez; in three one for each component that was kept at all
     * places, or that which was asked for; where places are antennas of stations the one that each is (`own`). */
    int port_count, port[3];
    bool own;
    /* Places, and transmitters, of a station: all of them stand one after the other. 1: each is a station on its own;
     * 0: stations differ. */
    int place_ports, transmitter_ports;
    int margin; /* rows and columns of a tile beyond its own cells, from which places between points are interpolated */
    int tap_count;
    double centre, bandwidth;        /* Hz */
    int response_count;              /* frequencies of H */
    int delay_count;                 /* of the profiles */
    int shared;                      /* points that are taken at a cell at which another one is taken */
    bool metrics_alone, no_response; /* of pairs that nobody wants more of: their other arrays hold nothing */
};

enum { PAIR_TILE = 8 /* cells a side of the file's chunks */ };

/* Taps without window or padding: their sum is the response. */
pw_channel_options pair_taps_options(const pw_channel_options *options);

/* Resolves names and points; the caller frees the list, also after a failure. */
pw_status pair_list_create(const struct result *result, const pw_pairs_options *options, struct pair_list *list,
                           pw_error *error);
void pair_list_free(struct pair_list *list);
/* PW_BAD_INPUT: stations of different numbers of antennas, or not all antennas of one, which no array holds. */
pw_status pair_list_whole(const struct pair_list *list, pw_error *error);

/* One pair; the arrays are valid during the call alone. */
struct pair {
    int place, transmitter;    /* positions in the list */
    const double *coefficient; /* (port_count, tap_count, 2) */
    const double *delay;       /* (tap_count) */
    const double *response;    /* (port_count, response_count, 2) */
    double error;              /* of the response, relative */
    const double *profile;     /* (delay_count), and its delays */
    const double *profile_delay;
    pw_metrics metrics; /* of the component that the place takes in */
};
typedef pw_status (*pair_taker)(void *user, const struct pair *pair, pw_error *error);

/* Hands every pair to `take`, one at a time, transmitter by transmitter. */
pw_status pair_list_each(const struct pair_list *list, pair_taker take, void *user, pw_error *error);
