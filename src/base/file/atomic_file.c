/* Temporary names, syncing and renaming of files; opening of files for reading (atomic_file.h). */
#include "base/file/atomic_file.h"
#include "base/file/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A temporary name is the file's name, this, and the number of the process that writes it. */
static const char MIDDLE[] = ".partial-";

static bool temporary_of(const char *path, char name[PATH_MAX])
{
    int length = snprintf(name, PATH_MAX, "%s%s%ld", path, MIDDLE, (long)getpid());
    return length > 0 && length < PATH_MAX;
}

FILE *disk_create(const char *path, pw_error *error)
{
    char temporary[PATH_MAX];
    errno = ENAMETOOLONG;
    FILE *file = NULL;
    if (temporary_of(path, temporary)) {
        (void)unlink(temporary); /* left by a killed process that had the same number */
        file = fopen(temporary, "wxe");
    }
    if (file == NULL) {
        fail(error, PW_NO_RESOURCE, "cannot write '%s': %s", path, strerror(errno));
        return NULL;
    }
    /* disk_remove_stale looks at this lock; a file system without locks is no reason to fail. */
    (void)flock(fileno(file), LOCK_EX | LOCK_NB);
    return file;
}

pw_status disk_finish(FILE *file, const char *path, pw_error *error)
{
    char temporary[PATH_MAX];
    if (!temporary_of(path, temporary)) {
        (void)fclose(file);
        return fail(error, PW_USAGE, "disk_finish: '%.60s...' is no name that disk_create took", path);
    }
    bool written = !ferror(file) && fflush(file) == 0 && fsync(fileno(file)) == 0;
    int reason = errno;
    if (fclose(file) != 0 && written) {
        written = false;
        reason = errno;
    }
    if (written && rename(temporary, path) != 0) {
        written = false;
        reason = errno;
    }
    if (!written) {
        (void)unlink(temporary);
        return fail(error, PW_NO_RESOURCE, "cannot write '%s': %s", path, strerror(reason));
    }
    disk_remove_stale(path);
    return PW_OK;
}

pw_status disk_conclude(FILE *file, const char *path, pw_status status, pw_error *error)
{
    char temporary[PATH_MAX];
    if (status == PW_OK) {
        return disk_finish(file, path, error);
    }
    (void)fclose(file);
    if (temporary_of(path, temporary)) {
        (void)unlink(temporary);
    }
    return status;
}

char *disk_temporary_name(const char *path)
{
    char *name = NULL;
    return asprintf(&name, "%s%s%ld", path, MIDDLE, (long)getpid()) < 0 ? NULL : name;
}

/* fsync of a file or of a folder. */
static pw_status sync_path(const char *path, int flags, pw_error *error)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | flags);
    if (descriptor < 0 || fsync(descriptor) != 0) {
        pw_status status = fail(error, PW_NO_RESOURCE, "cannot sync '%s': %s", path, strerror(errno));
        if (descriptor >= 0) {
            close(descriptor);
        }
        return status;
    }
    return close(descriptor) == 0 ? PW_OK : fail(error, PW_NO_RESOURCE, "cannot close '%s': %s", path, strerror(errno));
}

pw_status disk_rename(const char *temporary, const char *path, pw_error *error)
{
    TRY(sync_path(temporary, 0, error));
    FAIL_IF(rename(temporary, path) != 0, error, PW_NO_RESOURCE, "cannot rename '%s' to '%s': %s", temporary, path,
            strerror(errno));
    disk_remove_stale(path);
    return PW_OK;
}

pw_status disk_publish(const char *temporary, const char *path, pw_error *error)
{
    /* Before the rename: nothing may fail for want of memory after it. */
    OWNED char *folder = path_folder(path, error);
    TRY_MADE(folder);
    TRY(disk_rename(temporary, path, error));
    return sync_path(folder, O_DIRECTORY, error);
}

static bool is_stale(const char *name, size_t stem)
{
    char *end = NULL;
    long process = strtol(name + stem, &end, 10);
    if (process <= 0 || *end != '\0' || kill((pid_t)process, 0) == 0 || errno != ESRCH) {
        return false;
    }
    /* The process does not run here, but it may run on another machine that shares this folder: then it holds the lock.
     */
    int descriptor = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    bool stale = descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    if (descriptor >= 0) {
        close(descriptor);
    }
    return stale;
}

void disk_remove_stale(const char *path)
{
    size_t length = strlen(path), stem = length + sizeof MIDDLE - 1;
    char *pattern = malloc(2 * length + sizeof MIDDLE + 1), *end = pattern;
    if (pattern == NULL) {
        return;
    }
    for (const char *c = path; *c != '\0'; c++) {
        if (strchr("*?[]\\", *c) != NULL) {
            *end++ = '\\';
        }
        *end++ = *c;
    }
    snprintf(end, sizeof MIDDLE + 1, "%s*", MIDDLE);
    glob_t found = {0};
    if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
        for (size_t n = 0; n < found.gl_pathc; n++) {
            if (is_stale(found.gl_pathv[n], stem)) {
                unlink(found.gl_pathv[n]);
            }
        }
    }
    globfree(&found);
    free(pattern);
}

/* ---- reading ---- */

static pw_status (*reading_look)(const char *path, pw_error *error);

void pw_files_watch(pw_status (*look)(const char *path, pw_error *error))
{
    reading_look = look;
}

pw_status input_file_look(const char *path, pw_error *error)
{
    return reading_look != NULL ? reading_look(path, error) : PW_OK;
}

FILE *input_file_open(const char *path, pw_error *error)
{
    struct stat found;
    if (input_file_look(path, error) != PW_OK) {
        return NULL;
    }
    if (stat(path, &found) != 0) {
        fail(error, PW_BAD_INPUT, "cannot read '%s': %s", path, strerror(errno));
        return NULL;
    }
    if (!S_ISREG(found.st_mode)) {
        fail(error, PW_BAD_INPUT, "cannot read '%s': not a regular file", path);
        return NULL;
    }
    FILE *file = fopen(path, "rbe");
    if (file == NULL) {
        fail(error, PW_BAD_INPUT, "cannot read '%s': %s", path, strerror(errno));
    }
    return file;
}

static void file_close(FILE **file)
{
    (void)fclose(*file); /* read only: nothing can be lost */
}

pw_status input_file_load(FILE *file, const char *path, size_t most, char **bytes, size_t *size, pw_error *error)
{
    OWNED_BY(file_close) FILE *open = file;
    OWNED char *all = NULL;
    size_t room = 0, got = 0, count = 1;
    while (count > 0 && got <= most) {
        TRY(array_grow(&all, &room, got + 1, 1, path, error));
        count = fread(all + got, 1, room - got - 1, open);
        got += count;
    }
    FAIL_IF(ferror(open), error, PW_BAD_INPUT, "cannot read '%s': %s", path, strerror(errno));
    FAIL_IF(got > most, error, PW_BAD_INPUT, "'%s' is larger than %zu MiB", path, most >> 20);
    all[got] = '\0';
    *bytes = all;
    *size = got;
    all = NULL;
    return PW_OK;
}

pw_status pw_file_read(const char *path, size_t most, char **bytes, size_t *size, pw_error *error)
{
    FILE *file = input_file_open(path, error);
    return file != NULL ? input_file_load(file, path, most, bytes, size, error) : PW_BAD_INPUT;
}

INTERFACE_NAME(pw_file_create, disk_create);
INTERFACE_NAME(pw_file_finish, disk_finish);
INTERFACE_NAME(pw_file_conclude, disk_conclude);
INTERFACE_NAME(pw_file_open, input_file_open);
