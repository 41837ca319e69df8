/* Receivers and transmitters in the file of all pairs (export_pairs_ends.h). */
#include "channel/export/export_pairs_ends.h"

#include "channel/slant/heights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Texts as a dataset of UTF-8 strings of one length. */
static pw_status texts_write(hid_t group, const char *name, const char *const *texts, size_t count, pw_error *error)
{
    size_t size = 1;
    for (size_t n = 0; n < count; n++) {
        size = strlen(texts[n]) + 1 > size ? strlen(texts[n]) + 1 : size;
    }
    OWNED char *all = allocate(count, size, "names", error);
    TRY_MADE(all);
    for (size_t n = 0; n < count; n++) {
        memcpy(all + n * size, texts[n], strlen(texts[n]));
    }
    OWNED_ID hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const struct layout layout = {
        .name = name, .units = "", .long_name = "name", .type = type, .rank = 1, .extent = {count}};
    return hdf5_dataset_write(group, &layout, type, all, error);
}

pw_status pairs_numbers_write(hid_t group, const struct layout *about, const double *values, pw_error *error)
{
    struct layout layout = *about;
    layout.type = H5T_IEEE_F64LE;
    return hdf5_dataset_write(group, &layout, H5T_NATIVE_DOUBLE, values, error);
}

/* One end of the pairs: names, positions, and a number each. */
struct ends {
    const char *group, *number, *units, *long_name;
    size_t count, axes;   /* axes: 2, or 3 with the height */
    bool has_heights;     /* two dimensions: somebody has one */
    const char **name;    /* (count), owned */
    const char **station; /* (count), owned: whose antenna each is */
    bool arrays;          /* some station has several */
    double *position;     /* (count, axes), owned */
    double *value;        /* (count), owned */
    double *polarisation; /* (count, 3), owned; not written in two dimensions */
    double *height;       /* (count), owned: written in two dimensions, where one is known */
};

static void position_set(struct ends *ends, int n, double x, double y, double height)
{
    memcpy(ends->position + ends->axes * (size_t)n, (double[]){x, y, height}, ends->axes * sizeof(double));
    ends->height[n] = height;
    ends->has_heights = ends->has_heights || (ends->axes == 2 && !isnan(height));
}

static pw_status ends_write(hid_t file, const struct ends *ends, pw_error *error)
{
    OWNED_ID hid_t group = hdf5_group_create(file, ends->group, error);
    TRY_MADE(group >= 0);
    const struct layout position = {.name = "position",
                                    .units = "m",
                                    .long_name = ends->axes == 3 ? "x, y and height" : "x and y in the plan",
                                    .rank = 2,
                                    .extent = {ends->count, ends->axes}};
    const struct layout polarisation = {.name = "polarisation",
                                        .units = "1",
                                        .long_name = "direction of the dipole, or of the field that is received",
                                        .rank = 2,
                                        .extent = {ends->count, 3}};
    const struct layout number = {
        .name = ends->number, .units = ends->units, .long_name = ends->long_name, .rank = 1, .extent = {ends->count}};
    TRY(texts_write(group, "name", ends->name, ends->count, error));
    if (ends->arrays) { /* a line an antenna, station by station */
        TRY(texts_write(group, "station", ends->station, ends->count, error));
    }
    TRY(pairs_numbers_write(group, &position, ends->position, error));
    TRY(pairs_numbers_write(group, &number, ends->value, error));
    const struct layout height = {.name = "height",
                                  .units = "m",
                                  .long_name = "height over the lowest floor, which the step to three dimensions took; "
                                               "nan: not known",
                                  .rank = 1,
                                  .extent = {ends->count}};
    TRY(ends->has_heights ? pairs_numbers_write(group, &height, ends->height, error) : PW_OK);
    return ends->axes == 3 ? pairs_numbers_write(group, &polarisation, ends->polarisation, error) : PW_OK;
}

static pw_status ends_create(struct ends *ends, size_t count, int dimensions, pw_error *error)
{
    ends->count = count;
    ends->axes = (size_t)dimensions;
    ends->name = allocate(count, sizeof *ends->name, "names", error);
    ends->station = allocate(count, sizeof *ends->station, "names", error);
    ends->position = allocate(ends->axes * count, sizeof *ends->position, "positions", error);
    ends->value = allocate(count, sizeof *ends->value, "positions", error);
    ends->polarisation = allocate(3 * count, sizeof *ends->polarisation, "polarisations", error);
    ends->height = allocate(count, sizeof *ends->height, "positions", error);
    return ends->name != NULL && ends->station != NULL && ends->position != NULL && ends->value != NULL &&
                   ends->polarisation != NULL && ends->height != NULL
               ? PW_OK
               : PW_NO_RESOURCE;
}

static void ends_free(struct ends *ends)
{
    FREE_ALL(ends->name, ends->station, ends->position, ends->value, ends->polarisation, ends->height);
}

pw_status pairs_receivers_write(const struct pair_list *list, hid_t file, pw_error *error)
{
    OWNED_BY(ends_free)
    struct ends ends = {.group = "receivers", .number = "gain", .units = "dBi", .long_name = "gain of the receiver"};
    TRY(ends_create(&ends, (size_t)list->place_count, list->result->dimensions, error));
    for (int p = 0; p < list->place_count; p++) {
        const struct place *place = &list->places[p];
        ends.name[p] = place->name;
        ends.station[p] = place->port.number > 0 ? place->port.station : place->name;
        ends.arrays = ends.arrays || place->port.number > 0;
        position_set(&ends, p, place->x, place->y, place->height);
        memcpy(ends.polarisation + 3 * (size_t)p, place->along, sizeof place->along);
        ends.value[p] = place->gain;
    }
    TRY(ends_write(file, &ends, error));
    for (int p = 0; p < list->place_count; p++) { /* what was asked for has no height */
        const struct place *place = &list->places[p];
        memcpy(ends.position + 2 * (size_t)p, (double[]){place->asked_x, place->asked_y}, 2 * sizeof(double));
    }
    const struct layout asked = {.name = "receivers/asked_position",
                                 .units = "m",
                                 .rank = 2,
                                 .extent = {ends.count, 2},
                                 .long_name = "x and y that were asked for; the field is that of `position`"};
    return pairs_numbers_write(file, &asked, ends.position, error);
}

pw_status pairs_transmitters_write(const struct pair_list *list, hid_t file, pw_error *error)
{
    OWNED_BY(ends_free)
    struct ends ends = {.group = "transmitters", .number = "power", .units = "dBm", .long_name = "EIRP"};
    TRY(ends_create(&ends, (size_t)list->transmitter_count, list->result->dimensions, error));
    for (int t = 0; t < list->transmitter_count; t++) {
        const struct result_transmitter *from = &list->result->transmitters[list->transmitters[t]];
        ends.name[t] = from->name;
        ends.station[t] = from->port.number > 0 ? from->port.station : from->name;
        ends.arrays = ends.arrays || from->port.number > 0;
        position_set(&ends, t, from->x, from->y, height_of_transmitter(from, &list->options.channel));
        memcpy(ends.polarisation + 3 * (size_t)t, from->polarisation, sizeof from->polarisation);
        ends.value[t] = from->power;
    }
    return ends_write(file, &ends, error);
}
