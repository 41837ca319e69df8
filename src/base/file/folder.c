/* See folder.h. */
#include "base/file/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

pw_status folders_make(const char *folder, int *made, pw_error *error)
{
    char path[PATH_MAX];
    struct stat found;
    *made = 0;
    if (folder[0] == '\0' || strlen(folder) >= sizeof path - NAME_MAX) {
        return fail(error, PW_USAGE, "'%.60s' cannot be the name of a folder", folder);
    }
    strcpy(path, folder);
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        *made += mkdir(path, 0777) == 0; /* what matters is whether the last one works */
        *slash = '/';
    }
    if (mkdir(path, 0777) == 0) {
        ++*made;
    } else if (errno != EEXIST) {
        int reason = errno;
        folders_unmake(path, *made + 1); /* the last one is not there */
        return fail(error, PW_NO_RESOURCE, "cannot make the folder '%s': %s", path, strerror(reason));
    }
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode)
               ? PW_OK
               : fail(error, PW_BAD_INPUT, "'%s' exists and is not a folder", path);
}

void folders_unmake(const char *folder, int made)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", folder);
    for (; made > 0 && path[0] != '\0'; made--) {
        (void)rmdir(path);
        char *slash = strrchr(path, '/');
        *(slash != NULL ? slash : path) = '\0';
    }
}

/* ---- temporary ones ---------------------------------------------------------------------------------------------- */

static void remove_with_files(const char *path)
{
    DIR *folder = opendir(path);
    for (struct dirent *entry = folder != NULL ? readdir(folder) : NULL; entry != NULL; entry = readdir(folder)) {
        (void)unlinkat(dirfd(folder), entry->d_name, 0);
    }
    if (folder != NULL) {
        closedir(folder);
    }
    (void)rmdir(path); /* nothing can be done about one that cannot be removed */
}

/* A descriptor that holds the lock of a folder of this user; -1: somebody else does, or it is none. */
static int folder_lock(const char *path)
{
    struct stat facts;
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor >= 0 &&
        (fstat(descriptor, &facts) != 0 || facts.st_uid != geteuid() || flock(descriptor, LOCK_EX | LOCK_NB) != 0)) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

/* One that was made this moment may not be locked yet. */
static bool is_young(const char *path)
{
    const time_t moment = 2; /* s */
    struct stat facts;
    return stat(path, &facts) != 0 || time(NULL) - facts.st_mtime < moment;
}

static void remove_stale(const char *root, const char *kind)
{
    char pattern[PATH_MAX];
    glob_t found = {0};
    if (strpbrk(root, "*?[]\\") == NULL &&
        snprintf(pattern, sizeof pattern, "%s/planwave-%s-??????", root, kind) < PATH_MAX &&
        glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
        for (size_t n = 0; n < found.gl_pathc; n++) {
            int lock = is_young(found.gl_pathv[n]) ? -1 : folder_lock(found.gl_pathv[n]);
            if (lock >= 0) {
                remove_with_files(found.gl_pathv[n]);
                close(lock);
            }
        }
    }
    globfree(&found);
}

pw_status temporary_folder_make(struct temporary_folder *folder, const char *kind, const char *purpose, pw_error *error)
{
    const char *given = getenv("TMPDIR"), *root = given != NULL && given[0] == '/' ? given : "/tmp";
    int length = snprintf(folder->path, sizeof folder->path, "%s/planwave-%s-XXXXXX", root, kind);
    errno = ENAMETOOLONG;
    folder->lock = -1;
    if (length < 0 || (size_t)length >= sizeof folder->path - NAME_MAX || mkdtemp(folder->path) == NULL) {
        int reason = errno;
        fail(error, PW_NO_RESOURCE, "cannot make a temporary folder in '%.200s' for %s: %s; TMPDIR says where", root,
             purpose, strerror(reason));
        folder->path[0] = '\0';
        return PW_NO_RESOURCE;
    }
    folder->lock = folder_lock(folder->path);
    remove_stale(root, kind);
    return PW_OK;
}

void temporary_folder_remove(struct temporary_folder *folder)
{
    if (folder->path[0] != '\0') {
        remove_with_files(folder->path);
        folder->path[0] = '\0';
    }
    if (folder->lock >= 0) {
        close(folder->lock);
        folder->lock = -1;
    }
}

INTERFACE_NAME(pw_folder_make, folders_make);
INTERFACE_NAME(pw_folder_unmake, folders_unmake);
