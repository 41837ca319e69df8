/* An HDF5 file driver for one newly made file on a POSIX disk. It differs from HDF5's own in what happens after an
 * error (hdf5_file.h), and leaves out access by several processes and the opening of existing files. */
#include "base/file/hdf5_file.h"

#include "api/hdf5.h"
#include "base/file/atomic_file.h"
#include "base/file/hdf5_common.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

struct disk_file {
    H5FD_t base; /* must stand first: HDF5 reads this part */
    int descriptor;
    haddr_t allocated; /* end of the addresses that HDF5 has handed out */
    haddr_t end;       /* of the file */
    haddr_t unsent[2]; /* from where to where it was written to since the disk was last told to begin */
    size_t unsent_bytes;
    struct disk_note *note;
};

struct disk_choice {
    struct disk_note *note;
};

static void note_failure(const struct disk_file *file, const char *call)
{
    if (file->note->failure == 0) {
        file->note->failure = errno != 0 ? errno : EIO;
        file->note->call = call;
    }
}

/* A file that cannot be created is the one error that HDF5 handles well, so this function may fail. */
static H5FD_t *disk_open(const char *name, unsigned flags, hid_t access_list, haddr_t limit)
{
    (void)flags;
    (void)limit;
    const struct disk_choice *choice = H5Pget_driver_info(access_list);
    struct disk_file *file = calloc(1, sizeof *file);
    if (choice == NULL || file == NULL) {
        free(file);
        return NULL;
    }
    file->note = choice->note;
    file->descriptor = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file->descriptor < 0) {
        note_failure(file, "create");
        free(file);
        return NULL;
    }
    /* disk_remove_stale looks at this lock; a file system without locks is no reason to fail. */
    (void)flock(file->descriptor, LOCK_EX | LOCK_NB);
    return &file->base;
}

static herr_t disk_close(H5FD_t *base)
{
    struct disk_file *file = (struct disk_file *)base;
    if (close(file->descriptor) != 0) {
        note_failure(file, "close");
    }
    free(file);
    return 0;
}

static herr_t disk_query(const H5FD_t *base, unsigned long *features)
{
    (void)base;
    *features = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
                H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
}

static haddr_t disk_allocated(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const struct disk_file *)base)->allocated;
}

static herr_t disk_allocate(H5FD_t *base, H5FD_mem_t type, haddr_t address)
{
    (void)type;
    ((struct disk_file *)base)->allocated = address;
    return 0;
}

static haddr_t disk_end(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const struct disk_file *)base)->end;
}

/* Bytes that were never written read as zeros. */
static herr_t disk_read(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size, void *buffer)
{
    (void)type;
    (void)transfer;
    const struct disk_file *file = (const struct disk_file *)base;
    char *next = buffer;
    while (size > 0) {
        ssize_t got = pread(file->descriptor, next, size, (off_t)address);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            memset(next, 0, size);
            break;
        }
        next += got;
        address += (haddr_t)got;
        size -= (size_t)got;
    }
    return 0;
}

/* The disk begins with what has been written while more is on its way, so that the sync at the end finds little left.
 */
static void begin_early(struct disk_file *file, haddr_t address, size_t size)
{
#ifdef SYNC_FILE_RANGE_WRITE
    enum { ENOUGH = 8 << 20 };
    const haddr_t end = address + size;
    const bool none = file->unsent_bytes == 0;
    file->unsent[0] = none || address < file->unsent[0] ? address : file->unsent[0];
    file->unsent[1] = none || end > file->unsent[1] ? end : file->unsent[1];
    file->unsent_bytes += size;
    if (file->unsent_bytes >= ENOUGH) { /* where it fails the sync will tell */
        (void)sync_file_range(file->descriptor, (off_t)file->unsent[0], (off_t)(file->unsent[1] - file->unsent[0]),
                              SYNC_FILE_RANGE_WRITE);
        file->unsent_bytes = 0;
    }
#endif
}

static herr_t disk_write(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                         const void *buffer)
{
    (void)transfer;
    struct disk_file *file = (struct disk_file *)base;
    const char *next = buffer;
    const haddr_t first = address;
    const size_t all = size;
    if (address + size > file->end) {
        file->end = address + size;
    }
    while (size > 0 && file->note->failure == 0) {
        errno = 0;
        ssize_t put = pwrite(file->descriptor, next, size, (off_t)address);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put <= 0) {
            note_failure(file, "write");
            break;
        }
        next += put;
        address += (haddr_t)put;
        size -= (size_t)put;
    }
    if (type == H5FD_MEM_DRAW && size == 0) {
        begin_early(file, first, all);
    }
    return 0;
}

static herr_t disk_truncate(H5FD_t *base, hid_t transfer, hbool_t closing)
{
    (void)transfer;
    (void)closing;
    struct disk_file *file = (struct disk_file *)base;
    if (file->allocated != file->end && file->note->failure == 0 &&
        ftruncate(file->descriptor, (off_t)file->allocated) != 0) {
        note_failure(file, "truncate");
    }
    file->end = file->allocated;
    return 0;
}

/* Registers the driver and puts it into a file access list. Give the identifier to H5FDunregister after the file is
 * closed. Negative on failure. */
static hid_t disk_driver(hid_t access_list, struct disk_note *note)
{
    static const H5FD_class_t driver = {
#if H5_VERSION_GE(1, 13, 0)
        .version = H5FD_CLASS_VERSION,
        .value = 0x200, /* in HDF5's range for drivers under development */
#endif
        .name = "planwave",
        .maxaddr = (haddr_t)INT64_MAX,
        .fc_degree = H5F_CLOSE_WEAK,
        .fapl_size = sizeof(struct disk_choice),
        .open = disk_open,
        .close = disk_close,
        .query = disk_query,
        .get_eoa = disk_allocated,
        .set_eoa = disk_allocate,
        .get_eof = disk_end,
        .read = disk_read,
        .write = disk_write,
        .truncate = disk_truncate,
        .fl_map = H5FD_FLMAP_DICHOTOMY,
    };
    struct disk_choice choice = {.note = note};
    hid_t identifier = H5FDregister(&driver);
    if (identifier >= 0 && H5Pset_driver(access_list, identifier, &choice) < 0) {
        H5FDunregister(identifier);
        return H5I_INVALID_HID;
    }
    return identifier;
}

/* The format of HDF5 1.8 at least: its metadata carries checksums. */
hid_t disk_file_create(const char *path, hsize_t user_block, enum disk_format format, struct disk_note *note,
                       hid_t *driver, pw_error *error)
{
    const H5F_libver_t newest = format == DISK_FORMAT_1_8 ? H5F_LIBVER_V18 : H5F_LIBVER_V110;
    OWNED_ID hid_t access_list = H5Pcreate(H5P_FILE_ACCESS), create_list = H5Pcreate(H5P_FILE_CREATE);
    hid_t file = H5I_INVALID_HID;
    *driver = access_list < 0 ? H5I_INVALID_HID : disk_driver(access_list, note);
    if (*driver < 0 || create_list < 0 || H5Pset_libver_bounds(access_list, H5F_LIBVER_V18, newest) < 0 ||
        H5Pset_fclose_degree(access_list, H5F_CLOSE_STRONG) < 0 ||
        H5Pset_link_creation_order(create_list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) < 0 ||
        H5Pset_obj_track_times(create_list, false) < 0 || H5Pset_userblock(create_list, user_block) < 0 ||
        (file = H5Fcreate(path, H5F_ACC_TRUNC, create_list, access_list)) < 0) {
        if (note->failure != 0) {
            fail(error, PW_NO_RESOURCE, "cannot create the file: %s", strerror(note->failure));
        } else {
            hdf5_fail(error, PW_NO_RESOURCE, "cannot create the file");
        }
    }
    return file;
}

/* A file that disk_file_write makes. */
struct wanted_file {
    const char *path;
    hsize_t user_block;
    enum disk_format format;
};

static pw_status file_write(const struct wanted_file *wanted, disk_file_writer write, const void *user, pw_error *error)
{
    struct disk_note note = {0};
    hid_t driver = H5I_INVALID_HID;
    HDF5_SILENCE;
    hid_t file = disk_file_create(wanted->path, wanted->user_block, wanted->format, &note, &driver, error);
    pw_status status = file < 0 ? PW_NO_RESOURCE : write(file, user, error);
    if (file >= 0 && H5Fclose(file) < 0 && status == PW_OK) {
        status = hdf5_fail(error, PW_NO_RESOURCE, "cannot close the file");
    }
    if (driver >= 0) {
        H5FDunregister(driver);
    }
    return note.failure == 0 ? status : fail(error, PW_NO_RESOURCE, "cannot %s: %s", note.call, strerror(note.failure));
}

pw_status disk_file_write(const char *path, hsize_t user_block, disk_file_writer write, const void *user,
                          pw_error *error)
{
    return file_write(&(struct wanted_file){path, user_block, DISK_FORMAT_1_8}, write, user, error);
}

pw_status disk_file_publish(const char *path, enum disk_format format, disk_publisher publish, disk_file_writer write,
                            const void *user, pw_error *error)
{
    char *temporary = disk_temporary_name(path);
    FAIL_IF(temporary == NULL, error, PW_NO_RESOURCE, "not enough memory for a path");
    disk_remove_stale(path);
    pw_status status = file_write(&(struct wanted_file){temporary, 0, format}, write, user, error);
    status = hdf5_name_file(error, status, path);
    THEN(status, publish(temporary, path, error));
    if (status != PW_OK) {
        remove(temporary);
    }
    free(temporary);
    return status;
}

pw_status pw_hdf5_write_file(const char *path, pw_status (*write)(int64_t file, const void *user, pw_error *error),
                             const void *user, pw_error *error)
{
    return disk_file_publish(path, DISK_FORMAT_1_10, disk_publish, write, user, error);
}
