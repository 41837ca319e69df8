/* Maps of previews (api/study/previews.h): the levels of each transmitter alone, set against each other. */
#include "map/map_servers.h"
#include "run/preview/previews.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is computed for each transmitter alone: its received power where transmitters are set against each other. */
static pw_status levels_compute(struct preview *preview, const pw_map_options *options, pw_error *error)
{
    pw_map_options own = *options;
    own.transmitter = NULL;
    own.quantity = quantity_kind(options->quantity)->servers ? PW_RECEIVED_POWER : options->quantity;
    bool there = preview->levels.value != NULL && preview->levels.quantity == own.quantity &&
                 (preview->levels.mean_width > 0) == own.local_mean;
    if (there) {
        return PW_OK;
    }
    map_free(&preview->levels);
    return map_compute(preview->result, &own, &preview->levels, error);
}

static int transmitter_find(const struct previews *previews, const char *name)
{
    for (int n = 0; name != NULL && n < previews->count; n++) {
        if (strcmp(previews->list[n].result->transmitters[0].name, name) == 0) {
            return n;
        }
    }
    return previews->count > 1 ? -1 : 0;
}

/* Every transmitter's levels; the cells are those of the first. */
static pw_status servers_collect(struct previews *previews, const pw_map_options *options, struct map_servers *servers,
                                 pw_error *error)
{
    for (int n = 0; n < previews->count; n++) {
        TRY(levels_compute(&previews->list[n], options, error));
        servers->list[n] = map_server_of(previews->list[n].result->transmitters, previews->list[n].levels.value);
    }
    return PW_OK;
}

static double *values_make(const struct map_servers *servers, const pw_map_options *options, const pw_map_shape *shape,
                           pw_error *error)
{
    const size_t count = (size_t)shape->rows * (size_t)shape->columns;
    double *values = allocate(count, sizeof *values, "a map", error);
    for (size_t n = 0; n < count && values != NULL; n++) {
        if (options->quantity == PW_BEST_SERVER) {
            int best = map_servers_best(servers, n);
            values[n] = best < 0 ? (double)NAN : best;
        } else {
            values[n] = map_servers_level(servers, options->quantity, shape->transmitter, n);
        }
    }
    return values;
}

pw_status pw_previews_map(pw_previews *previews, const pw_map_options *options, pw_map_shape *shape, double **values,
                          pw_error *error)
{
    FAIL_IF(!previews->whole || !pw_quantity_is_power(options->quantity), error, PW_USAGE, "pw_previews_map: %s",
            previews->whole ? "previews are of powers alone" : "there are no previews yet");
    struct map_servers servers = {.count = previews->count,
                                  .list = allocate((size_t)previews->count, sizeof *servers.list, "a map", error)};
    pw_status status = servers.list != NULL ? servers_collect(previews, options, &servers, error) : PW_NO_RESOURCE;
    if (status == PW_OK) {
        const struct map *first = &previews->list[0].levels;
        const struct quantity_kind *kind = quantity_kind(options->quantity);
        servers.noise = first->noise;
        servers.falls = kind->falls;
        *shape = (pw_map_shape){
            .rows = first->rows,
            .columns = first->columns,
            .x0 = first->x0,
            .y0 = first->y0,
            .pitch_x = first->pitch_x,
            .pitch_y = first->pitch_y,
            .name = kind->name,
            .unit = pw_quantity_unit(options->quantity),
            .transmitter = options->quantity == PW_BEST_SERVER ? -1 : transmitter_find(previews, options->transmitter),
            .mean_width = first->mean_width};
        *values = values_make(&servers, options, shape, error);
        status = *values != NULL ? PW_OK : PW_NO_RESOURCE;
    }
    free(servers.list); /* whose planes are the previews' own */
    return status;
}
