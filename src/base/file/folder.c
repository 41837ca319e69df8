/* See folder.h. */
#include "base/file/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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
    FAIL_IF(folder[0] == '\0' || strlen(folder) >= sizeof path - NAME_MAX, error, PW_USAGE,
            "'%.60s' cannot be the name of a folder", folder);
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

/* s: a folder that is younger may belong to a process that has not locked it yet. */
enum { STALE_AGE = 60 };

/* No link is followed: others may write in the folder above. */
static int folder_open(int root, const char *name)
{
    return openat(root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Removes the files of an open folder; it holds no folders. */
static void folder_empty(int folder)
{
    int own = dup(folder);
    DIR *list = own >= 0 ? fdopendir(own) : NULL;
    if (list == NULL) {
        if (own >= 0) {
            (void)close(own);
        }
        return;
    }
    for (const struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
        (void)unlinkat(folder, entry->d_name, 0);
    }
    (void)closedir(list);
}

/* This user's, and nobody has locked it. */
static bool is_stale(int folder)
{
    struct stat facts;
    return fstat(folder, &facts) == 0 && facts.st_uid == geteuid() && (facts.st_mode & 077) == 0 &&
           time(NULL) - facts.st_mtime >= STALE_AGE && flock(folder, LOCK_EX | LOCK_NB) == 0;
}

/* Those whose name is `own` but for its last six characters, which nobody can guess. */
static void remove_stale(const char *root, const char *own)
{
    DIR *list = opendir(root);
    for (const struct dirent *entry = NULL; list != NULL && (entry = readdir(list)) != NULL;) {
        bool alike = strlen(entry->d_name) == strlen(own) && strncmp(entry->d_name, own, strlen(own) - 6) == 0;
        int folder = alike ? folder_open(dirfd(list), entry->d_name) : -1;
        if (folder >= 0 && is_stale(folder)) {
            folder_empty(folder);
            (void)unlinkat(dirfd(list), entry->d_name, AT_REMOVEDIR);
        }
        if (folder >= 0) {
            (void)close(folder);
        }
    }
    if (list != NULL) {
        (void)closedir(list);
    }
}

pw_status temporary_folder_make(char *path, size_t size, int *lock, const char *kind, const char *purpose,
                                pw_error *error)
{
    const char *given = getenv("TMPDIR"), *root = given != NULL && given[0] == '/' ? given : "/tmp";
    int length = snprintf(path, size, "%s/planwave-%s-XXXXXX", root, kind);
    errno = ENAMETOOLONG;
    *lock = -1;
    if (length < 0 || (size_t)length >= size || mkdtemp(path) == NULL) {
        int reason = errno;
        path[0] = '\0';
        return fail(error, PW_NO_RESOURCE, "cannot make a temporary folder in '%.200s' for %s: %s; TMPDIR says where",
                    root, purpose, strerror(reason));
    }
    *lock = folder_open(AT_FDCWD, path);
    if (*lock >= 0) {
        (void)flock(*lock, LOCK_EX | LOCK_NB); /* a file system without locks is no reason to fail */
    }
    remove_stale(root, strrchr(path, '/') + 1);
    return PW_OK;
}

void temporary_folder_remove(char *path, int *lock)
{
    int folder = path[0] == '\0' || *lock >= 0 ? *lock : folder_open(AT_FDCWD, path);
    if (folder >= 0) {
        folder_empty(folder);
        (void)close(folder);
    }
    if (path[0] != '\0') {
        (void)rmdir(path); /* nothing can be done about one that cannot be removed */
    }
    path[0] = '\0';
    *lock = -1;
}

char *path_folder(const char *path, pw_error *error)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL || slash == path ? 1 : (size_t)(slash - path);
    char *folder = allocate(length + 1, 1, "a path", error);
    return folder != NULL ? memcpy(folder, slash == NULL ? "." : path, length) : NULL;
}

INTERFACE_NAME(pw_folder_make, folders_make);
INTERFACE_NAME(pw_folder_unmake, folders_unmake);
INTERFACE_NAME(pw_temporary_folder_make, temporary_folder_make);
INTERFACE_NAME(pw_temporary_folder_remove, temporary_folder_remove);
