/* Compares two result files: which datasets they share, each of them by compare_dataset.c, and the verdicts for
 * callers. Attributes and /timing are left out: they say when and where, not what. So is the energy of a transmitter:
 * each backend adds its nodes in an order of its own, and what is added is compared. */
#include "result/compare.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_LIMIT = 7, MEMBER_LIMIT = 1 << 16 };

static_assert(PW_DATASET_PATH >= (DEPTH_LIMIT + 1) * NAME_SIZE, "every path that is walked fits");

/* ---- which datasets ---------------------------------------------------------------------------------------------- */

static pw_difference *difference_find(struct comparison *list, const char *path)
{
    for (size_t n = 0; n < list->count; n++) {
        if (strcmp(list->entry[n].path, path) == 0) {
            return &list->entry[n];
        }
    }
    return NULL;
}

static pw_status difference_add(struct comparison *list, const char *path, pw_obstacle obstacle, pw_error *error)
{
    TRY(array_grow(&list->entry, &list->room, list->count, sizeof *list->entry, "datasets to compare", error));
    pw_difference *added = &list->entry[list->count++];
    memset(added, 0, sizeof *added);
    memcpy(added->path, path, strlen(path) + 1);
    added->obstacle = obstacle;
    return PW_OK;
}

/* Depth first in the order of creation. Datasets of the first file are added; those of the second that are not there,
 * too. */
static pw_status collect(struct comparison *list, hid_t group, const char *prefix, int depth, bool second,
                         pw_error *error)
{
    char(*names)[NAME_SIZE] = NULL;
    int count;
    TRY(hdf5_group_names(group, MEMBER_LIMIT, &names, &count, error));
    pw_status status =
        depth < DEPTH_LIMIT ? PW_OK : fail(error, PW_BAD_INPUT, "groups nested deeper than %d", DEPTH_LIMIT);
    for (int n = 0; status == PW_OK && n < count; n++) {
        char path[PW_DATASET_PATH];
        snprintf(path, sizeof path, "%s/%s", prefix, names[n]);
        bool energy = depth == 2 && strncmp(path, "/transmitters/", 14) == 0 && strcmp(names[n], "energy") == 0;
        if (energy || strcmp(path, "/timing") == 0) {
            continue;
        }
        hid_t object = H5Oopen(group, names[n], H5P_DEFAULT);
        H5I_type_t kind = object < 0 ? H5I_BADID : H5Iget_type(object);
        if (object < 0) {
            status = hdf5_fail(error, PW_BAD_INPUT, "cannot open '%s'", path);
        } else if (kind == H5I_GROUP) {
            status = collect(list, object, path, depth + 1, second, error);
        } else if (kind == H5I_DATASET) {
            hid_t type = H5Dget_type(object);
            if (type >= 0 && compare_component_count(type) > 0 && (!second || difference_find(list, path) == NULL)) {
                status = difference_add(list, path, second ? PW_OBSTACLE_ONLY_B : PW_OBSTACLE_NONE, error);
            }
            H5Tclose(type);
        }
        H5Oclose(object);
    }
    free(names);
    return status;
}

/* ---- two files --------------------------------------------------------------------------------------------------- */

static pw_status compare_open_files(struct comparison *list, struct compare_side sides[2], const pw_monitor *monitor,
                                    pw_error *error)
{
    for (int s = 0; s < 2; s++) {
        TRY(hdf5_name_file(error, collect(list, sides[s].file, "", 0, s == 1, error), sides[s].path));
    }
    for (size_t n = 0; n < list->count; n++) {
        TRY(monitor_tell(monitor, (double)n / (double)list->count, error));
        pw_status status = compare_dataset(&list->entry[n], sides, list->max_error, error);
        compare_side_close(&sides[0]);
        compare_side_close(&sides[1]);
        TRY(status);
    }
    return monitor_tell(monitor, 1.0, error);
}

static pw_status compare_files(struct comparison *list, const pw_monitor *monitor, pw_error *error)
{
    struct compare_side sides[2];
    pw_status status = PW_OK;
    for (int s = 0; s < 2; s++) {
        sides[s] = (struct compare_side){.path = s == 0 ? list->path_a : list->path_b,
                                         .file = H5I_INVALID_HID,
                                         .dataset = H5I_INVALID_HID,
                                         .type = H5I_INVALID_HID};
        if (status == PW_OK) {
            status = result_file_open(sides[s].path, &sides[s].file, &sides[s].bytes, error);
            status = hdf5_name_file(error, status, sides[s].path);
        }
    }
    THEN(status, compare_open_files(list, sides, monitor, error));
    for (int s = 0; s < 2; s++) {
        if (sides[s].file >= 0) {
            H5Fclose(sides[s].file);
        }
    }
    return status;
}

/* ---- the interface ----------------------------------------------------------------------------------------------- */

pw_status pw_comparison_create(const char *path_a, const char *path_b, double max_error, const pw_monitor *monitor,
                               pw_comparison **comparison, pw_error *error)
{
    FAIL_IF(path_a == NULL || path_b == NULL || comparison == NULL, error, PW_USAGE,
            "pw_comparison_create: two paths and a place for the comparison must be given");
    *comparison = NULL;
    FAIL_IF(!(max_error >= 0), error, PW_USAGE, "pw_compare: max_error is %g; it must be 0 (identical bits) or more",
            max_error);
    OWNED_AS(pw_comparison) *made = allocate(1, sizeof *made, "a comparison", error);
    TRY_MADE(made);
    made->path_a = strdup(path_a);
    made->path_b = strdup(path_b);
    made->max_error = max_error;
    FAIL_IF(made->path_a == NULL || made->path_b == NULL, error, PW_NO_RESOURCE, "not enough memory for a path");
    HDF5_SILENCE;
    TRY(compare_files(made, monitor, error));
    *comparison = made;
    made = NULL;
    return PW_OK;
}

void pw_comparison_free(pw_comparison *comparison)
{
    if (comparison != NULL) {
        FREE_ALL(comparison->entry, comparison->path_a, comparison->path_b, comparison);
    }
}

PW_RELEASES(pw_comparison, pw_comparison_free)

size_t pw_comparison_count(const pw_comparison *comparison)
{
    return comparison->count;
}

const pw_difference *pw_comparison_dataset(const pw_comparison *comparison, size_t index)
{
    return index < comparison->count ? &comparison->entry[index] : NULL;
}

bool pw_comparison_differs(const pw_comparison *comparison)
{
    bool different = false;
    for (size_t n = 0; n < comparison->count; n++) {
        different = different || comparison->entry[n].different;
    }
    return different;
}
