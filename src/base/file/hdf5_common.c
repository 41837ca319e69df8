/* Errors that carry HDF5's own reason, and the small helpers that reading and writing share. */
#include "base/file/hdf5_common.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

/* HDF5 1.10 loses track of its own objects when metadata is damaged, and its clean-up at exit then prints or crashes.
 * Nothing of ours is left to that clean-up, since every file is closed by hand. H5dont_atexit() has no effect when the
 * host program uses HDF5 already. */
struct hdf5_silence hdf5_silence(void)
{
    H5dont_atexit();
    struct hdf5_silence silence = {NULL, NULL};
    H5Eget_auto2(H5E_DEFAULT, &silence.function, &silence.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return silence;
}

void hdf5_restore(const struct hdf5_silence *silence)
{
    H5Eset_auto2(H5E_DEFAULT, silence->function, silence->data);
}

/* HDF5 walks its stack of errors upwards from the place of the error, so the first message is the most specific. */
static herr_t innermost(unsigned index, const H5E_error2_t *entry, void *user)
{
    if (index == 0 && entry->desc != NULL) {
        snprintf(user, 400, ": %s", entry->desc);
    }
    return 0;
}

pw_status hdf5_fail(pw_error *error, pw_status status, const char *format, ...)
{
    char what[400], reason[400] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, reason);
    return fail(error, status, "%s%s", what, reason);
}

pw_status hdf5_name_file(pw_error *error, pw_status status, const char *path)
{
    if (status != PW_OK && error != NULL) {
        pw_error inner = *error;
        snprintf(error->message, sizeof error->message, "%.400s: %.600s", path, inner.message);
    }
    return status;
}

bool hdf5_block_spaces(hid_t dataset, const hsize_t *start, const hsize_t *count, hid_t *file_space,
                       hid_t *memory_space)
{
    *file_space = H5Dget_space(dataset);
    int rank = *file_space < 0 ? -1 : H5Sget_simple_extent_ndims(*file_space);
    if (rank == 0) {
        *memory_space = H5Screate(H5S_SCALAR);
        return *memory_space >= 0;
    }
    *memory_space = rank < 0 ? H5I_INVALID_HID : H5Screate_simple(rank, count, NULL);
    return *memory_space >= 0 && H5Sselect_hyperslab(*file_space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0;
}

hid_t hdf5_complex_type(hid_t real)
{
    size_t size = H5Tget_size(real);
    hid_t type = H5Tcreate(H5T_COMPOUND, 2 * size);
    if (type >= 0 && (H5Tinsert(type, "r", 0, real) < 0 || H5Tinsert(type, "i", size, real) < 0)) {
        H5Tclose(type);
        return H5I_INVALID_HID;
    }
    return type;
}

void pw_hdf5_release(const int64_t *id)
{
    if (*id >= 0) {
        H5Idec_ref(*id);
    }
}

INTERFACE_NAME(pw_hdf5_fail, hdf5_fail);
INTERFACE_NAME(pw_hdf5_complex_type, hdf5_complex_type);

/* ---- the lock of api/hdf5.h ---- */

static pthread_mutex_t lock;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void lock_make(void)
{
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
}

bool pw_hdf5_lock(double seconds)
{
    struct timespec until;
    pthread_once(&once, lock_make);
    if (!isfinite(seconds)) {
        return pthread_mutex_lock(&lock) == 0;
    }
    clock_gettime(CLOCK_REALTIME, &until);
    const double end = (double)until.tv_nsec * 1e-9 + seconds;
    until.tv_sec += (time_t)end;
    until.tv_nsec = (long)((end - floor(end)) * 1e9);
    return pthread_mutex_timedlock(&lock, &until) == 0;
}

void pw_hdf5_unlock(void)
{
    pthread_mutex_unlock(&lock);
}
