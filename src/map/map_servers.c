/* Transmitters against each other and against noise (map_servers.h). */
#include "map/map_servers.h"

#include "map/map_plane.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void map_servers_free(struct map_servers *servers)
{
    for (int t = 0; servers->list != NULL && t < servers->count; t++) {
        free(servers->list[t].level);
    }
    free(servers->list);
    servers->list = NULL;
}

struct map_server map_server_of(const struct result_transmitter *transmitter, double *level)
{
    return (struct map_server){.level = level, .channel = transmitter->channel, .port = transmitter->port};
}

/* The cells of a map are those of its first transmitter. */
static pw_status cells_check(const struct result *result, int transmitter, pw_error *error)
{
    const struct result_transmitter *from = &result->transmitters[transmitter], *first = &result->transmitters[0];
    return from->rows == first->rows && from->columns == first->columns
               ? PW_OK
               : fail(error, PW_BAD_INPUT, "transmitter '%s' has spectra at other cells than '%s'", from->name,
                      first->name);
}

static pw_status servers_fill(const struct result *result, const pw_map_options *options, struct map *map,
                              struct map_servers *servers, pw_error *error)
{
    for (int t = 0; t < servers->count; t++) {
        TRY(cells_check(result, t, error));
        double *level = allocate((size_t)map->rows * (size_t)map->columns, sizeof(double), "a map", error);
        TRY_MADE(level);
        servers->list[t] = map_server_of(&result->transmitters[t], level);
        struct pw_monitor_part part = {&options->monitor, (double)t / servers->count, (t + 1.0) / servers->count};
        pw_monitor monitor = monitor_of_part(&part);
        TRY(map_plane(result, options, map, t, &monitor, level, error));
    }
    return PW_OK;
}

pw_status map_servers_create(const struct result *result, const pw_map_options *options, struct map *map,
                             struct map_servers *servers, pw_error *error)
{
    *servers = (struct map_servers){
        .count = result->transmitter_count, .noise = map->noise, .falls = quantity_kind(map->quantity)->falls};
    servers->list = allocate((size_t)servers->count, sizeof *servers->list, "maps", error);
    pw_status status = servers->list == NULL ? PW_NO_RESOURCE : servers_fill(result, options, map, servers, error);
    if (status != PW_OK) {
        map_servers_free(servers);
    }
    return status;
}

static bool level_better(bool falls, double level, double than)
{
    return falls ? level < than : level > than;
}

int map_servers_best(const struct map_servers *servers, size_t n)
{
    int best = -1;
    for (int t = 0; t < servers->count; t++) {
        double level = servers->list[t].level[n];
        if (!isnan(level) && (best < 0 || level_better(servers->falls, level, servers->list[best].level[n]))) {
            best = t;
        }
    }
    return best;
}

/* Takes over the cells at which transmitter `t` has a better level than those before it. */
struct contest {
    bool falls;
    double *level, *best; /* (count): of this transmitter; the best so far, NAN: none */
    double *plane;        /* (count): the quantity of this transmitter */
    uint8_t *mark;        /* (count): what the guard on delays says of this transmitter */
};

static pw_status contest_enter(const struct result *result, const pw_map_options *options, struct map *map,
                               const struct contest *contest, int t, double *value, pw_error *error)
{
    bool power = quantity_kind(map->quantity)->power;
    struct pw_monitor_part parts[2] = {
        {&options->monitor, (double)t / result->transmitter_count, (t + 0.5) / result->transmitter_count},
        {&options->monitor, (t + 0.5) / result->transmitter_count, (t + 1.0) / result->transmitter_count}};
    pw_monitor first = monitor_of_part(&parts[0]), second = monitor_of_part(&parts[1]);
    TRY(cells_check(result, t, error));
    struct map own = *map;
    own.mark = contest->mark;
    TRY(map_plane(result, options, &own, t, &first, contest->plane, error));
    map->centre = own.centre;
    map->mean_width = own.mean_width;
    map->resolution = own.resolution;
    const double *level = contest->plane;
    if (!power) {
        struct map levels = *map;
        pw_map_options of_levels = *options;
        levels.mark = NULL;
        levels.quantity = of_levels.quantity = PW_RECEIVED_POWER;
        TRY(map_plane(result, &of_levels, &levels, t, &second, contest->level, error));
        level = contest->level;
    }
    for (size_t n = 0; n < (size_t)map->rows * (size_t)map->columns; n++) {
        if (!isnan(level[n]) && (isnan(contest->best[n]) || level_better(contest->falls, level[n], contest->best[n]))) {
            contest->best[n] = level[n];
            value[n] = contest->plane[n];
            if (map->mark != NULL) {
                map->mark[n] = contest->mark[n];
            }
        }
    }
    return monitor_tell(&options->monitor, (t + 1.0) / result->transmitter_count, error);
}

pw_status map_best(const struct result *result, const pw_map_options *options, struct map *map, double *value,
                   pw_error *error)
{
    size_t count = (size_t)map->rows * (size_t)map->columns;
    OWNED double *planes = allocate(3 * count, sizeof *planes, "a map of the best transmitter", error);
    OWNED uint8_t *mark = allocate(count, sizeof *mark, "a map of the best transmitter", error);
    TRY_MADE(planes != NULL && mark != NULL);
    const struct contest contest = {.falls = quantity_kind(map->quantity)->falls,
                                    .level = planes,
                                    .best = planes + count,
                                    .plane = planes + 2 * count,
                                    .mark = mark};
    for (size_t n = 0; n < count; n++) {
        contest.best[n] = value[n] = NAN;
    }
    for (int t = 0; t < result->transmitter_count; t++) {
        TRY(contest_enter(result, options, map, &contest, t, value, error));
    }
    return PW_OK;
}

/* Two antennas of one station. */
static bool together(const pw_port *a, const pw_port *b)
{
    return a->number > 0 && b->number > 0 && strcmp(a->station, b->station) == 0;
}

double map_servers_level(const struct map_servers *servers, pw_quantity quantity, int transmitter, size_t n)
{
    int from = transmitter >= 0 ? transmitter : map_servers_best(servers, n);
    if (from < 0) {
        return NAN;
    }
    double level = servers->list[from].level[n];
    if (quantity == PW_SNR) {
        return level - servers->noise;
    }
    if (quantity != PW_SINR) {
        return level;
    }
    double against = pow(10.0, servers->noise / 10.0); /* mW */
    for (int t = 0; t < servers->count; t++) {
        double other = servers->list[t].level[n];
        if (t != from && !isnan(other) && !together(&servers->list[t].port, &servers->list[from].port)) {
            against +=
                pow(10.0, other / 10.0) * pw_wifi_overlap(&servers->list[t].channel, &servers->list[from].channel);
        }
    }
    return level - 10.0 * log10(against);
}
