/* See folder.h. */
#include "serve/folder.h"

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

static const char BEGINNING[] = "planwave-serve-", PATTERN[] = "XXXXXX";

/* s: a folder that is younger may belong to a server that has not locked it yet. */
enum { STALE_AGE = 60 };

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
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            (void)unlinkat(folder, entry->d_name, 0);
        }
    }
    (void)closedir(list);
}

static bool name_is_own(const char *name)
{
    return strncmp(name, BEGINNING, sizeof BEGINNING - 1) == 0 &&
           strlen(name) == sizeof BEGINNING - 1 + sizeof PATTERN - 1;
}

/* This user's, and nobody has locked it. */
static bool is_stale(int folder)
{
    struct stat facts;
    return fstat(folder, &facts) == 0 && facts.st_uid == geteuid() && (facts.st_mode & 077) == 0 &&
           time(NULL) - facts.st_mtime > STALE_AGE && flock(folder, LOCK_EX | LOCK_NB) == 0;
}

static void stale_remove(const char *root)
{
    DIR *list = opendir(root);
    for (const struct dirent *entry = NULL; list != NULL && (entry = readdir(list)) != NULL;) {
        int folder = name_is_own(entry->d_name) ? folder_open(dirfd(list), entry->d_name) : -1;
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

pw_status folder_make(char *path, size_t size, int *lock, pw_error *error)
{
    const char *wanted = getenv("TMPDIR"), *root = wanted != NULL && wanted[0] == '/' ? wanted : "/tmp";
    *lock = -1;
    errno = ENAMETOOLONG;
    int length = snprintf(path, size, "%s/%s%s", root, BEGINNING, PATTERN);
    if (length >= (int)size || mkdtemp(path) == NULL) {
        path[0] = '\0';
        return fail(error, PW_NO_RESOURCE, "cannot make a temporary folder in '%s': %s", root, strerror(errno));
    }
    *lock = folder_open(AT_FDCWD, path);
    if (*lock >= 0) {
        (void)flock(*lock, LOCK_EX | LOCK_NB); /* a file system without locks is no reason to fail */
    }
    stale_remove(root);
    return PW_OK;
}

void folder_remove(const char *path, int lock)
{
    if (lock >= 0) {
        folder_empty(lock);
        (void)close(lock);
    }
    if (path[0] != '\0') {
        (void)rmdir(path);
    }
}
