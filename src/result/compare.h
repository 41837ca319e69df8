/* A comparison of two result files, dataset by dataset: between compare.c, which makes it, compare_dataset.c, which
 * compares one dataset, and compare_print.c, which puts it into words. */
#pragma once

#include "api/result.h"
#include "base/file/hdf5_read.h"
#include "base/names.h"
#include "result/result_format.h"

struct comparison {
    char *path_a, *path_b; /* owned */
    double max_error;
    pw_difference *entry; /* (count), owned */
    size_t count, room;
};

/* One file, and one dataset of it. */
struct compare_side {
    const char *path;
    hid_t file;
    uint64_t bytes;
    hid_t dataset, type;
    size_t element_size;
};

/* Fills `difference`, whose path is set, and leaves the two datasets open. */
pw_status compare_dataset(pw_difference *difference, struct compare_side sides[2], double max_error, pw_error *error);
void compare_side_close(struct compare_side *side);

/* Numbers in an element: at most double's precision, alone or as the members of a compound; 0: something else. */
int compare_component_count(hid_t type);
