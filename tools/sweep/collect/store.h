/* The collected file: dimensions of the sweep, arrays over them, and virtual datasets over the outputs. Private to
 * collect/. */
#pragma once

#include "sweep/sweep.h"

#include <hdf5.h>

enum { STORE_RANK = SWEEP_AXES + 3 };

struct store {
    const struct sweep *sweep;
    hid_t file;
    const bool *there; /* (case_count), borrowed: outputs that are there */
    char *folder;      /* of the outputs, from the collected file, as HDF5 wants it in virtual datasets; owned */
    char *coordinates; /* names of coordinates that are no dimensions, for the attribute of that name; owned */
    int rank;          /* dimensions of the sweep */
    hsize_t extent[SWEEP_AXES];
    const char *dimension[SWEEP_AXES]; /* their names, borrowed */
    int virtual_count;
};

/* Writes the scales and the coordinates of the sweep into the root. */
pw_status store_begin(struct store *store, const struct sweep *sweep, const char *path, const bool *there, hid_t file,
                      pw_error *error);
void store_end(struct store *store);

/* How the file `path` calls the folder of the outputs in virtual datasets, which take a '%' for a number of blocks
 * unless it is doubled. The caller owns *pattern. */
pw_status outputs_folder(const char *path, const char *folder, char **pattern, pw_error *error);

/* What an array is called. */
struct label {
    const char *name, *units, *long_name;
    bool coordinate; /* no value of its own, but a place: not in the attribute `coordinates` of itself */
};

/* Arrays over the dimensions of the sweep, (case_count) values. */
pw_status store_numbers(struct store *store, hid_t group, const struct label *label, const double *values,
                        pw_error *error);
pw_status store_integers(struct store *store, hid_t group, const struct label *label, const int *values,
                         pw_error *error);
pw_status store_texts(struct store *store, hid_t group, const struct label *label, char *const *values,
                      pw_error *error);

/* A dimension scale. */
pw_status store_scale(hid_t group, const struct label *label, const double *values, hsize_t count, pw_error *error);

/* Makes everything of the root that belongs to all, dimensions, coordinates and frequencies, a member of `group` too,
 * so that readers that open one group find it there. */
pw_status store_link_shared(struct store *store, hid_t group, pw_error *error);

/* A virtual dataset over one dataset of all outputs. */
struct virtual_dataset {
    struct label label; /* what units and long_name are, the outputs say */
    const char *source; /* path of the dataset in each output */
    hid_t type;         /* of its elements, as in the reference: real or complex floating point */
    int rank;           /* of one output's dataset, up to 3 */
    hsize_t extent[3];
    const int64_t *length; /* (case_count): where the outputs' datasets have one dimension of different lengths, up to
                              extent[0]; else NULL */
    const char *dimension[3]; /* scales, members of the group or NULL */
};
pw_status store_virtual(struct store *store, hid_t group, const struct virtual_dataset *wanted, pw_error *error);
