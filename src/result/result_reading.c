/* Datasets of one dimension, and extents of others, checked against the file and each other (result_reading.h). */
#include "result/result_reading.h"

#include <math.h>

pw_status reading_line(const struct reading *reading, hid_t parent, struct line line, double **values, hsize_t *length,
                       pw_error *error)
{
    hsize_t extent[1];
    OWNED_ID hid_t dataset = hdf5_dataset_open(parent, line.name, line.is_complex ? ELEMENT_COMPLEX : ELEMENT_REAL, 1,
                                               reading->file_bytes, extent, error);
    TRY_OPEN(dataset);
    size_t count = (line.is_complex ? 2 : 1) * (size_t)extent[0];
    hsize_t most = line.expected > 0 ? line.expected : NODES_LIMIT;
    FAIL_IF(line.expected > 0 ? extent[0] != most : extent[0] > most, error, PW_BAD_INPUT,
            "dataset '%s' has %llu elements, not %s%llu", line.name, (unsigned long long)extent[0],
            line.expected > 0 ? "" : "at most ", (unsigned long long)most);
    TRY_MADE(*values = allocate(count, sizeof **values, line.name, error));
    TRY(hdf5_block_read(dataset, line.name, (hsize_t[]){0}, extent, line.is_complex, *values, error));
    for (size_t n = 0; n < count; n++) {
        FAIL_IF(!isfinite((*values)[n]), error, PW_BAD_INPUT, "dataset '%s' holds a number that is not finite at %zu",
                line.name, n);
    }
    *length = extent[0];
    return PW_OK;
}

pw_status reading_length(const struct reading *reading, hid_t parent, const char *name, int rank, enum element element,
                         hsize_t *extent, pw_error *error)
{
    OWNED_ID hid_t dataset = hdf5_dataset_open(parent, name, element, rank, reading->file_bytes, extent, error);
    return dataset >= 0 ? PW_OK : PW_BAD_INPUT;
}
