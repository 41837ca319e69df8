/* Checked HDF5 calls that write attributes, groups, datasets and dimension scales. Knows types, ranks and extents, but
 * not what a result consists of. */
#include "base/file/hdf5_write.h"

#include <hdf5_hl.h>
#include <string.h>

/* Variable-length UTF-8, which h5py hands out as str. */
static hid_t text_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

/* count 0 makes a scalar. */
static pw_status attribute_write(hid_t object, const char *name, hid_t file_type, hid_t memory_type, size_t count,
                                 const void *values, pw_error *error)
{
    hsize_t extent = count;
    OWNED_ID hid_t space = count > 0 ? H5Screate_simple(1, &extent, NULL) : H5Screate(H5S_SCALAR);
    OWNED_ID hid_t attribute = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    return attribute >= 0 && H5Awrite(attribute, memory_type, values) >= 0
               ? PW_OK
               : hdf5_fail(error, PW_NO_RESOURCE, "cannot write attribute '%s'", name);
}

pw_status hdf5_write_text(hid_t object, const char *name, const char *text, pw_error *error)
{
    OWNED_ID hid_t type = text_type();
    return attribute_write(object, name, type, type, 0, &text, error);
}

pw_status hdf5_write_fixed_text(hid_t object, const char *name, const char *text, pw_error *error)
{
    OWNED_ID hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return attribute_write(object, name, type, type, 0, text, error);
}

pw_status hdf5_write_texts(hid_t object, const char *name, char *const *texts, size_t count, pw_error *error)
{
    if (count == 0) { /* HDF5 has no attribute of no elements that every reader accepts */
        return PW_OK;
    }
    OWNED_ID hid_t type = text_type();
    return attribute_write(object, name, type, type, count, texts, error);
}

pw_status hdf5_write_number(hid_t object, const char *name, double value, pw_error *error)
{
    return attribute_write(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 0, &value, error);
}

pw_status hdf5_write_numbers(hid_t object, const char *name, const double *values, size_t count, pw_error *error)
{
    return attribute_write(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, count, values, error);
}

pw_status hdf5_write_integer(hid_t object, const char *name, int64_t value, pw_error *error)
{
    return attribute_write(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, 0, &value, error);
}

/* Names of transmitters and receivers become names of groups. */
static hid_t utf8_link(void)
{
    hid_t link = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_char_encoding(link, H5T_CSET_UTF8);
    return link;
}

hid_t hdf5_group_create(hid_t parent, const char *name, pw_error *error)
{
    OWNED_ID hid_t list = H5Pcreate(H5P_GROUP_CREATE), link = utf8_link();
    hid_t group = H5I_INVALID_HID;
    if (list < 0 || link < 0 || H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) < 0 ||
        H5Pset_obj_track_times(list, false) < 0 || (group = H5Gcreate2(parent, name, link, list, H5P_DEFAULT)) < 0) {
        hdf5_fail(error, PW_NO_RESOURCE, "cannot create group '%s'", name);
    }
    return group;
}

/* No time stamps, so that two equal runs give equal datasets; no fill, since every element is written. */
static hid_t dataset_list(const struct layout *layout)
{
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    bool good = list >= 0 && H5Pset_obj_track_times(list, false) >= 0;
    if (good && layout->chunk[0] > 0) {
        good = H5Pset_chunk(list, layout->rank, layout->chunk) >= 0;
        if (good && layout->compress && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
            good = H5Pset_deflate(list, 1) >= 0;
        }
    }
    good = good && H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0 &&
           (!layout->at_once || H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY) >= 0);
    if (!good) {
        H5Pclose(list);
        return H5I_INVALID_HID;
    }
    return list;
}

struct layout layout_of_row(const char *name, const char *units, const char *long_name, size_t count)
{
    return (struct layout){
        .name = name, .units = units, .long_name = long_name, .type = H5T_IEEE_F64LE, .rank = 1, .extent = {count}};
}

hid_t hdf5_dataset_create(hid_t parent, const struct layout *layout, pw_error *error)
{
    OWNED_ID hid_t list = dataset_list(layout);
    OWNED_ID hid_t space =
        layout->rank > 0 ? H5Screate_simple(layout->rank, layout->extent, NULL) : H5Screate(H5S_SCALAR);
    hid_t dataset = list < 0 ? H5I_INVALID_HID
                             : H5Dcreate2(parent, layout->name, layout->type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    if (dataset < 0) {
        hdf5_fail(error, PW_NO_RESOURCE, "cannot create dataset '%s'", layout->name);
    } else if (hdf5_write_text(dataset, "units", layout->units, error) != PW_OK ||
               hdf5_write_text(dataset, "long_name", layout->long_name, error) != PW_OK) {
        H5Dclose(dataset);
        dataset = H5I_INVALID_HID;
    }
    return dataset;
}

pw_status hdf5_dataset_close(hid_t dataset, const char *name, pw_status status, pw_error *error)
{
    return H5Dclose(dataset) < 0 && status == PW_OK
               ? hdf5_fail(error, PW_NO_RESOURCE, "cannot close dataset '%s'", name)
               : status;
}

pw_status hdf5_dataset_write(hid_t parent, const struct layout *layout, hid_t memory_type, const void *values,
                             pw_error *error)
{
    hid_t dataset = hdf5_dataset_create(parent, layout, error);
    TRY_MADE(dataset >= 0);
    const bool written = H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    const pw_status status =
        written ? PW_OK : hdf5_fail(error, PW_NO_RESOURCE, "cannot write dataset '%s'", layout->name);
    return hdf5_dataset_close(dataset, layout->name, status, error);
}

pw_status hdf5_block_write(hid_t dataset, const hsize_t *start, const hsize_t *count, hid_t memory_type,
                           const void *values, pw_error *error)
{
    OWNED_ID hid_t file_space = H5I_INVALID_HID, memory_space = H5I_INVALID_HID;
    return hdf5_block_spaces(dataset, start, count, &file_space, &memory_space) &&
                   H5Dwrite(dataset, memory_type, memory_space, file_space, H5P_DEFAULT, values) >= 0
               ? PW_OK
               : hdf5_fail(error, PW_NO_RESOURCE, "cannot write a block of a dataset");
}

pw_status hdf5_scale_attach(hid_t dataset, unsigned dimension, hid_t parent, const char *scale, pw_error *error)
{
    OWNED_ID hid_t axis = H5Dopen2(parent, scale, H5P_DEFAULT);
    const char *last = strrchr(scale, '/');
    if (axis < 0 || (H5DSis_scale(axis) == 0 && H5DSset_scale(axis, last != NULL ? last + 1 : scale) < 0) ||
        H5DSattach_scale(dataset, axis, dimension) < 0) {
        return hdf5_fail(error, PW_NO_RESOURCE, "cannot attach the dimension scale '%s'", scale);
    }
    return PW_OK;
}

pw_status hdf5_scale_attach_to(hid_t group, const char *name, hid_t parent, const char *scale, pw_error *error)
{
    OWNED_ID hid_t dataset = H5Dopen2(group, name, H5P_DEFAULT);
    return hdf5_scale_attach(dataset, 0, parent, scale, error);
}

INTERFACE_NAME(pw_hdf5_write_text, hdf5_write_text);
INTERFACE_NAME(pw_hdf5_write_integer, hdf5_write_integer);
INTERFACE_NAME(pw_hdf5_group_create, hdf5_group_create);
INTERFACE_NAME(pw_hdf5_scale_attach, hdf5_scale_attach);
