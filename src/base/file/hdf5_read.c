/* Checked HDF5 calls that read attributes and datasets of files that may be damaged or foreign. Knows types, ranks and
 * extents, but not what a result consists of. */
#include "base/file/hdf5_read.h"

#include "base/numbers/narrow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_LIMIT = 64 << 20, TYPE_LIMIT = 1024 };

bool hdf5_member_exists(hid_t parent, const char *name)
{
    return H5Lexists(parent, name, H5P_DEFAULT) > 0;
}

bool hdf5_attribute_exists(hid_t object, const char *name)
{
    return H5Aexists(object, name) > 0;
}

hid_t hdf5_group_open(hid_t parent, const char *name, pw_error *error)
{
    hid_t group = H5Gopen2(parent, name, H5P_DEFAULT);
    if (group < 0) {
        hdf5_fail(error, PW_BAD_INPUT, "no group '%s'", name);
    }
    return group;
}

/* Opens an attribute of `count` elements (0: scalar, or an array of one). */
static hid_t attribute_open(hid_t object, const char *name, size_t count, pw_error *error)
{
    hid_t attribute = hdf5_attribute_exists(object, name) ? H5Aopen(object, name, H5P_DEFAULT) : H5I_INVALID_HID;
    if (attribute < 0) {
        hdf5_fail(error, PW_BAD_INPUT, "no attribute '%s'", name);
        return attribute;
    }
    hid_t space = H5Aget_space(attribute);
    hssize_t elements = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    if (elements != (hssize_t)(count > 0 ? count : 1)) {
        fail(error, PW_BAD_INPUT, "attribute '%s' has %lld elements, not %zu", name, (long long)elements,
             count > 0 ? count : 1);
        H5Aclose(attribute);
        return H5I_INVALID_HID;
    }
    return attribute;
}

static pw_status read_fixed_text(hid_t attribute, const char *name, hid_t type, char **text, pw_error *error)
{
    size_t size = H5Tget_size(type);
    FAIL_IF(size == 0 || size > TEXT_LIMIT, error, PW_BAD_INPUT, "attribute '%s' has %zu characters, more than %d",
            name, size, TEXT_LIMIT);
    TRY_MADE(*text = allocate(size + 1, 1, "an attribute", error));
    if (H5Aread(attribute, type, *text) < 0) {
        free(*text);
        *text = NULL;
        return hdf5_fail(error, PW_BAD_INPUT, "cannot read attribute '%s'", name);
    }
    return PW_OK;
}

static pw_status read_variable_text(hid_t attribute, const char *name, hid_t type, char **text, pw_error *error)
{
    char *inside = NULL;
    if (H5Aread(attribute, type, &inside) < 0 || inside == NULL) {
        return hdf5_fail(error, PW_BAD_INPUT, "cannot read attribute '%s'", name);
    }
    size_t length = strlen(inside);
    *text = allocate(length + 1, 1, "an attribute", error);
    if (*text != NULL) {
        memcpy(*text, inside, length + 1);
    }
    H5free_memory(inside);
    return *text != NULL ? PW_OK : PW_NO_RESOURCE;
}

pw_status hdf5_read_text(hid_t object, const char *name, char **text, pw_error *error)
{
    OWNED_ID hid_t attribute = attribute_open(object, name, 0, error);
    TRY_OPEN(attribute);
    OWNED_ID hid_t type = H5Aget_type(attribute);
    FAIL_IF(type < 0 || H5Tget_class(type) != H5T_STRING, error, PW_BAD_INPUT, "attribute '%s' is not a text", name);
    return H5Tis_variable_str(type) > 0 ? read_variable_text(attribute, name, type, text, error)
                                        : read_fixed_text(attribute, name, type, text, error);
}

static bool is_complex_type(hid_t type)
{
    if (H5Tget_nmembers(type) != 2) {
        return false;
    }
    static const char *const expected[2] = {"r", "i"};
    bool good = true;
    for (unsigned m = 0; m < 2; m++) {
        char *name = H5Tget_member_name(type, m);
        good = good && name != NULL && strcmp(name, expected[m]) == 0 && H5Tget_member_class(type, m) == H5T_FLOAT;
        H5free_memory(name);
    }
    return good;
}

static enum element hdf5_element_of(hid_t type)
{
    if (type < 0 || H5Tget_size(type) == 0 || H5Tget_size(type) > TYPE_LIMIT) {
        return ELEMENT_OTHER;
    }
    switch (H5Tget_class(type)) {
    case H5T_FLOAT:
        return ELEMENT_REAL;
    case H5T_INTEGER:
        return ELEMENT_INTEGER;
    case H5T_COMPOUND:
        return is_complex_type(type) ? ELEMENT_COMPLEX : ELEMENT_OTHER;
    default:
        return ELEMENT_OTHER;
    }
}

pw_status hdf5_read_numbers(hid_t object, const char *name, double *values, size_t count, pw_error *error)
{
    OWNED_ID hid_t attribute = attribute_open(object, name, count, error);
    TRY_OPEN(attribute);
    OWNED_ID hid_t type = H5Aget_type(attribute);
    enum element element = hdf5_element_of(type);
    FAIL_IF(element != ELEMENT_REAL && element != ELEMENT_INTEGER, error, PW_BAD_INPUT,
            "attribute '%s' is not a number", name);
    if (H5Aread(attribute, H5T_NATIVE_DOUBLE, values) < 0) {
        return hdf5_fail(error, PW_BAD_INPUT, "cannot read attribute '%s'", name);
    }
    for (size_t n = 0; n < (count > 0 ? count : 1); n++) {
        FAIL_IF(!isfinite(values[n]), error, PW_BAD_INPUT, "attribute '%s' is not a finite number", name);
    }
    return PW_OK;
}

pw_status hdf5_read_integer(hid_t object, const char *name, int64_t minimum, int64_t maximum, int64_t *value,
                            pw_error *error)
{
    double number;
    TRY(hdf5_read_numbers(object, name, &number, 0, error));
    FAIL_IF(!(number >= (double)minimum && number <= (double)maximum) || number != floor(number), error, PW_BAD_INPUT,
            "attribute '%s' is %g, not an integer in %lld..%lld", name, number, (long long)minimum, (long long)maximum);
    *value = (int64_t)number;
    return PW_OK;
}

pw_status hdf5_extent_check(hid_t dataset, const char *name, int rank, const hsize_t *extent, size_t size,
                            uint64_t file_bytes, pw_error *error)
{
    hid_t list = H5Dget_create_plist(dataset);
    /* deflate cannot shrink by more than about 1032; an extent beyond that is damage, not data */
    double factor = list >= 0 && H5Pget_nfilters(list) > 0 ? 1100 : 1;
    H5Pclose(list);
    double bytes = (double)size;
    for (int r = 0; r < rank; r++) {
        bytes *= (double)extent[r];
    }
    double stored = (double)H5Dget_storage_size(dataset) * factor;
    FAIL_IF(bytes <= 0 || bytes > stored || bytes > (double)file_bytes * factor, error, PW_BAD_INPUT,
            "dataset '%s' claims %.0f bytes of data, but the file of %llu bytes does not hold them", name, bytes,
            (unsigned long long)file_bytes);
    return PW_OK;
}

static pw_status dataset_check(hid_t dataset, const char *name, enum element element, int rank, uint64_t file_bytes,
                               hsize_t *extent, pw_error *error)
{
    OWNED_ID hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    FAIL_IF(hdf5_element_of(type) != element, error, PW_BAD_INPUT, "dataset '%s' has the wrong type of element", name);
    FAIL_IF(space < 0 || H5Sget_simple_extent_ndims(space) != rank ||
                H5Sget_simple_extent_dims(space, extent, NULL) != rank,
            error, PW_BAD_INPUT, "dataset '%s' does not have %d dimension(s)", name, rank);
    return hdf5_extent_check(dataset, name, rank, extent, H5Tget_size(type), file_bytes, error);
}

hid_t hdf5_dataset_open(hid_t parent, const char *name, enum element element, int rank, uint64_t file_bytes,
                        hsize_t *extent, pw_error *error)
{
    hid_t dataset = H5Dopen2(parent, name, H5P_DEFAULT);
    if (dataset < 0) {
        hdf5_fail(error, PW_BAD_INPUT, "no dataset '%s'", name);
    } else if (dataset_check(dataset, name, element, rank, file_bytes, extent, error) != PW_OK) {
        H5Dclose(dataset);
        return H5I_INVALID_HID;
    }
    return dataset;
}

/* HDF5 converts compounds member by member, several times slower than the disk. Where floats {r, i} are to become
 * doubles, it reads floats and the widening is done here. */
static bool widening_helps(hid_t dataset, hid_t type)
{
    OWNED_ID hid_t single = hdf5_complex_type(H5T_NATIVE_FLOAT), twice = hdf5_complex_type(H5T_NATIVE_DOUBLE);
    OWNED_ID hid_t stored = H5Dget_type(dataset);
    return stored >= 0 && H5Tequal(stored, single) > 0 && H5Tequal(type, twice) > 0;
}

pw_status hdf5_block_read_as(hid_t dataset, const char *name, const hsize_t *start, const hsize_t *count, hid_t type,
                             void *out, pw_error *error)
{
    OWNED_ID hid_t file_space = H5I_INVALID_HID, memory_space = H5I_INVALID_HID;
    bool widening = widening_helps(dataset, type);
    OWNED_ID hid_t read_type = widening ? hdf5_complex_type(H5T_NATIVE_FLOAT) : H5Tcopy(type);
    if (!hdf5_block_spaces(dataset, start, count, &file_space, &memory_space) ||
        H5Dread(dataset, read_type, memory_space, file_space, H5P_DEFAULT, out) < 0) {
        return hdf5_fail(error, PW_BAD_INPUT, "cannot read dataset '%s'", name);
    }
    if (widening) {
        widen_values(out, 2 * (size_t)H5Sget_simple_extent_npoints(memory_space));
    }
    return PW_OK;
}

pw_status hdf5_block_read(hid_t dataset, const char *name, const hsize_t *start, const hsize_t *count, bool is_complex,
                          double *out, pw_error *error)
{
    OWNED_ID hid_t type = is_complex ? hdf5_complex_type(H5T_NATIVE_DOUBLE) : H5Tcopy(H5T_NATIVE_DOUBLE);
    return hdf5_block_read_as(dataset, name, start, count, type, out, error);
}

pw_status hdf5_group_names(hid_t group, int limit, char (**names)[NAME_SIZE], int *count, pw_error *error)
{
    H5G_info_t info;
    if (H5Gget_info(group, &info) < 0) {
        return hdf5_fail(error, PW_BAD_INPUT, "cannot list a group");
    }
    FAIL_IF(info.nlinks > (hsize_t)limit, error, PW_BAD_INPUT, "a group has %llu members, more than %d",
            (unsigned long long)info.nlinks, limit);
    TRY_MADE(*names = allocate((size_t)info.nlinks, sizeof **names, "names", error));
    hid_t list = H5Gget_create_plist(group);
    unsigned order = 0;
    H5_index_t index =
        list >= 0 && H5Pget_link_creation_order(list, &order) >= 0 && (order & H5P_CRT_ORDER_TRACKED) != 0
            ? H5_INDEX_CRT_ORDER
            : H5_INDEX_NAME;
    H5Pclose(list);
    for (hsize_t n = 0; n < info.nlinks; n++) {
        ssize_t length = H5Lget_name_by_idx(group, ".", index, H5_ITER_INC, n, (*names)[n], NAME_SIZE, H5P_DEFAULT);
        if (length <= 0 || length >= NAME_SIZE) {
            free(*names);
            *names = NULL;
            return hdf5_fail(error, PW_BAD_INPUT, "a group has a member without a name of 1..%d characters",
                             NAME_SIZE - 1);
        }
    }
    *count = (int)info.nlinks;
    return PW_OK;
}

INTERFACE_NAME(pw_hdf5_read_text, hdf5_read_text);
