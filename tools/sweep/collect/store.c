/* HDF5 of the collected file. Every array over the sweep has the sweep's dimensions in front, each with its scale, so
 * that netCDF's readers, xarray among them, know the axes by name. */
#include "sweep/collect/store.h"

#include <hdf5_hl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- any dataset ------------------------------------------------------------------------------------------------- */

static pw_status array_fail(const char *name, pw_error *error)
{
    return pw_hdf5_fail(error, PW_NO_RESOURCE, "cannot write '%s'", name);
}

static hid_t text_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

static pw_status label_write(hid_t dataset, const struct label *label, pw_error *error)
{
    if (label->units[0] != '\0') {
        TRY(pw_hdf5_write_text(dataset, "units", label->units, error));
    }
    return pw_hdf5_write_text(dataset, "long_name", label->long_name, error);
}

/* What a dataset is made of. */
struct array {
    hid_t file_type, memory_type;
    int rank;
    const hsize_t *extent;
    const void *values;
};

static pw_status array_write(hid_t group, const struct label *label, const struct array *array, hid_t *made,
                             pw_error *error)
{
    OWNED_ID hid_t space = H5Screate_simple(array->rank, array->extent, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(list, false);
    *made = H5Dcreate2(group, label->name, array->file_type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    bool good = *made >= 0 && H5Dwrite(*made, array->memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, array->values) >= 0;
    return good ? label_write(*made, label, error) : array_fail(label->name, error);
}

/* ---- arrays over the sweep --------------------------------------------------------------------------------------- */

static pw_status axes_attach(const struct store *store, hid_t dataset, pw_error *error)
{
    for (int d = 0; d < store->rank; d++) {
        TRY(pw_hdf5_scale_attach(dataset, (unsigned)d, store->file, store->dimension[d], error));
    }
    return PW_OK;
}

static pw_status array_over_sweep(struct store *store, hid_t group, const struct label *label, hid_t file_type,
                                  hid_t memory_type, const void *values, pw_error *error)
{
    hid_t dataset;
    struct array array = {file_type, memory_type, store->rank, store->extent, values};
    pw_status status = array_write(group, label, &array, &dataset, error);
    THEN(status, axes_attach(store, dataset, error));
    if (status == PW_OK && !label->coordinate && store->coordinates[0] != '\0') {
        status = pw_hdf5_write_text(dataset, "coordinates", store->coordinates, error);
    }
    return H5Dclose(dataset) < 0 && status == PW_OK ? array_fail(label->name, error) : status;
}

pw_status store_numbers(struct store *store, hid_t group, const struct label *label, const double *values,
                        pw_error *error)
{
    return array_over_sweep(store, group, label, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values, error);
}

pw_status store_integers(struct store *store, hid_t group, const struct label *label, const int *values,
                         pw_error *error)
{
    return array_over_sweep(store, group, label, H5T_STD_I32LE, H5T_NATIVE_INT, values, error);
}

pw_status store_texts(struct store *store, hid_t group, const struct label *label, char *const *values, pw_error *error)
{
    OWNED_ID hid_t type = text_type();
    return array_over_sweep(store, group, label, type, type, values, error);
}

/* ---- scales ------------------------------------------------------------------------------------------------------ */

static pw_status scale_write(hid_t group, const struct label *label, const struct array *array, pw_error *error)
{
    hid_t dataset;
    pw_status status = array_write(group, label, array, &dataset, error);
    if (status == PW_OK && H5DSset_scale(dataset, label->name) < 0) {
        status = array_fail(label->name, error);
    }
    return H5Dclose(dataset) < 0 && status == PW_OK ? array_fail(label->name, error) : status;
}

pw_status store_scale(hid_t group, const struct label *label, const double *values, hsize_t count, pw_error *error)
{
    return scale_write(group, label, &(struct array){H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, &count, values}, error);
}

/* Texts of a scale; where a case leaves a key as it is the text is empty. */
static pw_status text_scale(hid_t group, const struct label *label, char *const *values, hsize_t count, pw_error *error)
{
    OWNED_ID hid_t type = text_type();
    return scale_write(group, label, &(struct array){type, type, 1, &count, values}, error);
}

static void axis_label(const struct sweep_axis *axis, char *long_name, size_t size)
{
    size_t used = 0;
    long_name[0] = '\0';
    for (int k = 0; k < axis->key_count && used < size; k++) {
        used += (size_t)snprintf(long_name + used, size - used, "%s%s", k > 0 ? ", " : "", axis->keys[k]);
    }
}

static pw_status axis_scale(struct store *store, const struct sweep_axis *axis, pw_error *error)
{
    char long_name[400];
    axis_label(axis, long_name, sizeof long_name);
    bool measured = axis->numbers != NULL;
    struct label label = {axis->name, measured ? dimension_units(axis->dimension) : "", long_name, true};
    return measured ? store_scale(store->file, &label, axis->numbers, (hsize_t)axis->value_count, error)
                    : text_scale(store->file, &label, axis->values, (hsize_t)axis->value_count, error);
}

/* The dimension of a list of cases: their names; of a hypercube: their numbers. */
static pw_status case_scale(struct store *store, pw_error *error)
{
    const struct sweep *sweep = store->sweep;
    hsize_t count = (hsize_t)sweep->case_count;
    struct label label = {"case", "", "name of the case", true};
    if (sweep->names != NULL) {
        return text_scale(store->file, &label, sweep->names, count, error);
    }
    OWNED int *numbers = allocate((size_t)count, sizeof *numbers, "the numbers of cases", error);
    TRY_MADE(numbers);
    for (hsize_t c = 0; c < count; c++) {
        numbers[c] = (int)c;
    }
    label.long_name = "number of the case";
    return scale_write(store->file, &label, &(struct array){H5T_STD_I32LE, H5T_NATIVE_INT, 1, &count, numbers}, error);
}

/* What one key does along the cases. */
static pw_status case_coordinate(struct store *store, const struct sweep_axis *axis, pw_error *error)
{
    char long_name[400];
    axis_label(axis, long_name, sizeof long_name);
    if (axis->numbers != NULL) {
        struct label label = {axis->name, dimension_units(axis->dimension), long_name, true};
        return store_numbers(store, store->file, &label, axis->numbers, error);
    }
    OWNED char **texts = allocate((size_t)axis->value_count, sizeof *texts, "the values of a sweep", error);
    TRY_MADE(texts);
    for (int64_t v = 0; v < axis->value_count; v++) {
        texts[v] = axis->values[v] != NULL ? axis->values[v] : (char *)"";
    }
    return store_texts(store, store->file, &(struct label){axis->name, "", long_name, true}, texts, error);
}

static pw_status dimensions_write(struct store *store, pw_error *error)
{
    const struct sweep *sweep = store->sweep;
    if (sweep->design == SWEEP_GRID) {
        store->rank = sweep->axis_count;
        for (int a = 0; a < sweep->axis_count; a++) {
            store->extent[a] = (hsize_t)sweep->axes[a].value_count;
            store->dimension[a] = sweep->axes[a].name;
            TRY(axis_scale(store, &sweep->axes[a], error));
        }
        return PW_OK;
    }
    store->rank = 1;
    store->extent[0] = (hsize_t)sweep->case_count;
    store->dimension[0] = "case";
    TRY(case_scale(store, error));
    for (int a = 0; a < sweep->axis_count; a++) {
        TRY(case_coordinate(store, &sweep->axes[a], error));
    }
    return PW_OK;
}

static char *coordinate_names(const struct sweep *sweep)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (int a = 0; out != NULL && sweep->design != SWEEP_GRID && a < sweep->axis_count; a++) {
        fprintf(out, "%s%s", a > 0 ? " " : "", sweep->axes[a].name);
    }
    return pw_text_close(out, &text) ? text : NULL;
}

pw_status outputs_folder(const char *path, const char *folder, char **pattern, pw_error *error)
{
    char *relative, *text = NULL;
    size_t size;
    *pattern = NULL;
    TRY(pw_relative_folder(path, folder, &relative, error));
    FILE *out = open_memstream(&text, &size);
    for (const char *c = relative; out != NULL && *c != '\0'; c++) {
        fputs(*c == '%' ? "%%" : (char[]){*c, '\0'}, out);
    }
    free(relative);
    FAIL_IF(!pw_text_close(out, &text), error, PW_NO_RESOURCE, "not enough memory for a path");
    *pattern = text;
    return PW_OK;
}

pw_status store_begin(struct store *store, const struct sweep *sweep, const char *path, const bool *there, hid_t file,
                      pw_error *error)
{
    *store = (struct store){.sweep = sweep, .file = file, .there = there};
    TRY(outputs_folder(path, sweep->folder, &store->folder, error));
    store->coordinates = coordinate_names(sweep);
    FAIL_IF(store->coordinates == NULL, error, PW_NO_RESOURCE, "not enough memory for the names of coordinates");
    return dimensions_write(store, error);
}

void store_end(struct store *store)
{
    PW_FREE_ALL(store->folder, store->coordinates);
}

static pw_status link_one(hid_t file, const char *name, hid_t group, pw_error *error)
{
    if (H5Lexists(file, name, H5P_DEFAULT) <= 0 || H5Lexists(group, name, H5P_DEFAULT) > 0) {
        return PW_OK;
    }
    return H5Lcreate_hard(file, name, group, name, H5P_DEFAULT, H5P_DEFAULT) >= 0 ? PW_OK : array_fail(name, error);
}

pw_status store_link_shared(struct store *store, hid_t group, pw_error *error)
{
    const struct sweep *sweep = store->sweep;
    for (int d = 0; d < store->rank; d++) {
        TRY(link_one(store->file, store->dimension[d], group, error));
    }
    for (int a = 0; a < sweep->axis_count; a++) {
        TRY(link_one(store->file, sweep->axes[a].name, group, error));
    }
    return link_one(store->file, "frequency", group, error);
}

/* ---- virtual datasets -------------------------------------------------------------------------------------------- */

/* NAN, or NAN + NAN j. */
static pw_status fill_set(hid_t list, const struct virtual_dataset *wanted, pw_error *error)
{
    const double nothing[2] = {NAN, NAN};
    hid_t complex_type = pw_hdf5_complex_type(H5T_NATIVE_DOUBLE);
    bool is_complex = H5Tget_class(wanted->type) == H5T_COMPOUND;
    herr_t set = H5Pset_fill_value(list, is_complex ? complex_type : H5T_NATIVE_DOUBLE, nothing);
    H5Tclose(complex_type);
    return set >= 0 ? PW_OK : array_fail(wanted->label.name, error);
}

/* Maps the dataset of one output to its place. */
static pw_status case_map(struct store *store, const struct virtual_dataset *wanted, int64_t index, hid_t space,
                          hid_t list, pw_error *error)
{
    hsize_t start[STORE_RANK] = {0}, count[STORE_RANK], inner[3];
    const int rank = store->rank + wanted->rank;
    for (int d = 0; d < rank; d++) {
        count[d] = d < store->rank ? 1 : wanted->extent[d - store->rank];
        start[d] = d < store->rank ? (hsize_t)case_value(store->sweep, index, d) : 0;
    }
    memcpy(inner, wanted->extent, sizeof inner);
    if (wanted->length != NULL) {
        count[store->rank] = inner[0] = (hsize_t)wanted->length[index];
    }
    OWNED_AS(pw_sweep_case) *of = NULL;
    OWNED char *path = NULL;
    TRY(pw_sweep_case_create(store->sweep, index, &of, error));
    OWNED_ID hid_t source = H5Screate_simple(wanted->rank, inner, NULL);
    bool good = asprintf(&path, "%s%s.h5", store->folder, of->name) >= 0 && source >= 0 &&
                H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                H5Pset_virtual(list, space, path, wanted->source, source) >= 0;
    return good ? PW_OK : array_fail(wanted->label.name, error);
}

static pw_status virtual_attach(struct store *store, hid_t group, const struct virtual_dataset *wanted, hid_t dataset,
                                pw_error *error)
{
    TRY(label_write(dataset, &wanted->label, error));
    if (store->coordinates[0] != '\0') {
        TRY(pw_hdf5_write_text(dataset, "coordinates", store->coordinates, error));
    }
    TRY(axes_attach(store, dataset, error));
    for (int d = 0; d < wanted->rank; d++) {
        if (wanted->dimension[d] != NULL) {
            TRY(pw_hdf5_scale_attach(dataset, (unsigned)(store->rank + d), group, wanted->dimension[d], error));
        }
    }
    return PW_OK;
}

pw_status store_virtual(struct store *store, hid_t group, const struct virtual_dataset *wanted, pw_error *error)
{
    hsize_t extent[STORE_RANK];
    const int rank = store->rank + wanted->rank;
    for (int d = 0; d < rank; d++) {
        extent[d] = d < store->rank ? store->extent[d] : wanted->extent[d - store->rank];
    }
    OWNED_ID hid_t space = H5Screate_simple(rank, extent, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(list, false);
    TRY(fill_set(list, wanted, error));
    for (int64_t c = 0; c < store->sweep->case_count; c++) {
        TRY(store->there[c] ? case_map(store, wanted, c, space, list, error) : PW_OK);
    }
    H5Sselect_all(space);
    OWNED_ID hid_t dataset = H5Dcreate2(group, wanted->label.name, wanted->type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    TRY(dataset >= 0 ? virtual_attach(store, group, wanted, dataset, error) : array_fail(wanted->label.name, error));
    store->virtual_count++;
    return PW_OK;
}
