/* Transmitters against each other and against noise (map_servers.h). */
#include "map/map_servers.h"

#include "map/map_plane.h"

#include <math.h>
#include <stdlib.h>

void map_servers_free(struct map_servers *servers)
{
    for (int t = 0; servers->level != NULL && t < servers->count; t++) {
        free(servers->level[t]);
    }
    free(servers->level);
    servers->level = NULL;
}

static pw_status servers_fill(const struct result *result, const pw_map_options *options, struct map *map,
                              struct map_servers *servers, pw_error *error)
{
    for (int t = 0; t < servers->count; t++) {
        const struct result_transmitter *from = &result->transmitters[t];
        if (from->rows != result->transmitters[0].rows || from->columns != result->transmitters[0].columns) {
            return fail(error, PW_BAD_INPUT, "transmitter '%s' has spectra at other cells than '%s'", from->name,
                        result->transmitters[0].name);
        }
        servers->level[t] = allocate((size_t)map->rows * (size_t)map->columns, sizeof(double), "a map", error);
        if (servers->level[t] == NULL) {
            return PW_NO_RESOURCE;
        }
        struct monitor_part part = {&options->monitor, (double)t / servers->count, (t + 1.0) / servers->count};
        pw_monitor monitor = monitor_of_part(&part);
        TRY(map_plane(result, options, map, t, &monitor, servers->level[t], error));
    }
    return PW_OK;
}

pw_status map_servers_create(const struct result *result, const pw_map_options *options, struct map *map,
                             struct map_servers *servers, pw_error *error)
{
    *servers = (struct map_servers){.count = result->transmitter_count, .noise = map->noise};
    servers->level = allocate((size_t)servers->count, sizeof *servers->level, "maps", error);
    pw_status status = servers->level == NULL ? PW_NO_RESOURCE : servers_fill(result, options, map, servers, error);
    if (status != PW_OK) {
        map_servers_free(servers);
    }
    return status;
}

int map_servers_best(const struct map_servers *servers, size_t n)
{
    int best = -1;
    for (int t = 0; t < servers->count; t++) {
        double level = servers->level[t][n];
        if (!isnan(level) && (best < 0 || level > servers->level[best][n])) {
            best = t;
        }
    }
    return best;
}

double map_servers_level(const struct map_servers *servers, pw_quantity quantity, int transmitter, size_t n)
{
    int from = transmitter >= 0 ? transmitter : map_servers_best(servers, n);
    if (from < 0) {
        return NAN;
    }
    double level = servers->level[from][n];
    if (quantity == PW_SNR) {
        return level - servers->noise;
    }
    if (quantity != PW_SINR) {
        return level;
    }
    double against = pow(10.0, servers->noise / 10.0); /* mW */
    for (int t = 0; t < servers->count; t++) {
        double other = servers->level[t][n];
        against += t != from && !isnan(other) ? pow(10.0, other / 10.0) : 0.0;
    }
    return level - 10.0 * log10(against);
}
