/* Relative paths between files that are there. */
#include "base/file/relative_path.h"
#include "base/file/folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The folder of a file, without links in it; NULL with a message. The caller owns it. */
static char *folder_of(const char *path, pw_error *error)
{
    OWNED char *folder = path_folder(path, error);
    char *real = folder != NULL ? realpath(folder, NULL) : NULL;
    if (folder != NULL && real == NULL) {
        fail(error, PW_NO_RESOURCE, "cannot find the folder of '%s': %s", path, strerror(errno));
    }
    return real;
}

/* Letters of the folders that both paths begin with. */
static size_t common_folders(const char *a, const char *b)
{
    size_t common = 0, n = 0;
    for (; a[n] != '\0' && a[n] == b[n]; n++) {
        common = a[n] == '/' ? n : common;
    }
    bool whole = (a[n] == '\0' || a[n] == '/') && (b[n] == '\0' || b[n] == '/');
    return whole ? n : common;
}

/* With `name` behind the folder. */
static void path_write(FILE *out, const char *from, const char *to, const char *name)
{
    size_t common = common_folders(from, to);
    for (const char *c = from + common; *c != '\0'; c++) {
        if (*c == '/' && c[1] != '\0') {
            fputs("../", out);
        }
    }
    const char *rest = to + common + (to[common] == '/');
    fprintf(out, "%s%s%s", rest, *rest != '\0' ? "/" : "", name);
}

static pw_status path_make(const char *path, const char *folder, const char *name, char **relative, pw_error *error)
{
    size_t size;
    *relative = NULL;
    char *from = folder_of(path, error), *to = from != NULL ? realpath(folder, NULL) : NULL;
    if (from != NULL && to == NULL) {
        fail(error, PW_BAD_INPUT, "cannot find the folder '%s': %s", folder, strerror(errno));
    }
    FILE *out = to != NULL ? open_memstream(relative, &size) : NULL;
    pw_status status = to != NULL ? PW_OK : PW_BAD_INPUT;
    if (out != NULL) {
        path_write(out, from, to, name);
    }
    if (status == PW_OK && !pw_text_close(out, relative)) {
        status = fail(error, PW_NO_RESOURCE, "not enough memory for a path");
    }
    FREE_ALL(from, to);
    return status;
}

pw_status relative_folder(const char *path, const char *folder, char **relative, pw_error *error)
{
    return path_make(path, folder, "", relative, error);
}

pw_status relative_file(const char *path, const char *file, char **relative, pw_error *error)
{
    *relative = NULL;
    FAIL_IF(access(file, F_OK) != 0, error, PW_BAD_INPUT, "cannot find '%s', which '%s' is to name: %s", file, path,
            strerror(errno));
    const char *slash = strrchr(file, '/');
    OWNED char *folder = path_folder(file, error);
    TRY_MADE(folder);
    return path_make(path, folder, slash != NULL ? slash + 1 : file, relative, error);
}

INTERFACE_NAME(pw_relative_folder, relative_folder);
