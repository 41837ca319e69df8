/* Several transmitters on the cells of one map: which of them serves a cell, and its level over noise and over the
 * others. */
#pragma once

#include "map/map_grid.h"

/* Every transmitter's received power (or path gain, or path loss, if the map is of that) on the cells of the map. */
struct map_servers {
    int count;
    double noise; /* dBm */
    bool falls;   /* the least level is the best */
    struct map_server {
        double *level; /* (rows, columns) [dBm or dB], owned */
        pw_wifi_channel channel;
        pw_port port; /* antennas of one station do not interfere with each other */
    } * list;         /* (count), owned */
};
/* A transmitter as one of them; `level` is handed over. */
struct map_server map_server_of(const struct result_transmitter *transmitter, double *level);

/* PW_BAD_INPUT: transmitters whose spectra lie at different cells. */
pw_status map_servers_create(const struct result *result, const pw_map_options *options, struct map *map,
                             struct map_servers *servers, pw_error *error);
void map_servers_free(struct map_servers *servers);

/* Fills `value` (rows, columns) with the quantity of the transmitter that is the strongest at each cell: of powers the
 * best of all, of the others that of the transmitter with the largest received power. Holds three planes in memory,
 * however many transmitters there are. PW_BAD_INPUT as above. */
pw_status map_best(const struct result *result, const pw_map_options *options, struct map *map, double *value,
                   pw_error *error);

/* The strongest transmitter at cell n; -1: none has a level there. */
int map_servers_best(const struct map_servers *servers, size_t n);

/* At cell n, from `transmitter` or (-1) from the strongest: its level; for PW_SNR over the noise; for PW_SINR over the
 * noise and what of the others falls into its channel. NAN: not defined. */
double map_servers_level(const struct map_servers *servers, pw_quantity quantity, int transmitter, size_t n);
