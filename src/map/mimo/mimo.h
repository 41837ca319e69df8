/* Channels between arrays (api/mimo.h): what the files of this folder share. */
#pragma once

#include "api/mimo.h"
#include "base/status.h"

/* Of `count` columns one after the other, (rows) each, with count <= rows; `columns` is worked on. `values` (count),
 * largest first. */
void singular_values(double _Complex *columns, int rows, int count, double *values);

/* One link: two stations, and what was read off. */
struct mimo_link {
    const char *transmitter, *receiver; /* names of the stations, of the pair list */
    int transmitters, receivers;        /* antennas */
    double x, y, distance;              /* m: middle of the receiver; from that of the transmitter */
    pw_mimo_metrics metrics;
    double *values; /* (frequency_count, streams), of the list */
};

/* All links of a result. */
struct mimo_links {
    struct mimo_link *link; /* (count), owned */
    int count, streams, frequency_count;
    double *frequency; /* (frequency_count) [Hz], owned */
    double *values;    /* (count, frequency_count, streams), owned */
};

/* The pictures of pw_mimo_write: distributions, and capacity over the plan of a result. */
pw_status mimo_map(const struct mimo_links *links, const pw_result *result, const char *path, pw_error *error);
pw_status mimo_plot(const struct mimo_links *links, const char *path, pw_error *error);
