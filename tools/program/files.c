/* The one guard of files: nothing that a command reads is written over, and no two outputs have one name. Outputs come
 * here from the table of options and from check_output; what is read comes from the operands and from the library,
 * which tells of every file before it opens it. Names, links and hard links to one file are that file. */
#include "program/tool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct known_file {
    const char *given; /* the caller's text, which tells an output that is declared again from another one */
    char *path;        /* a copy of it, owned */
    char *name;        /* without links in its folder, owned */
    bool output, there;
    bool continued; /* an output that its command may look at: a run that goes on */
    dev_t device;
    ino_t inode;
};

static struct known_file *known;
static size_t known_count, known_room;
static bool clashed;

/* The folder without links, and the name in it; `path` itself where there is no such folder. The caller frees it. */
static char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;
    char *folder = slash == NULL ? strdup(".") : strndup(path, slash == path ? 1 : (size_t)(slash - path));
    char *real = folder != NULL ? realpath(folder, NULL) : NULL, *name = NULL;
    if (asprintf(&name, "%s/%s", real != NULL ? real : folder != NULL ? folder : "", base) < 0) {
        name = NULL;
    }
    PW_FREE_ALL(folder, real);
    return name;
}

static bool same_file(const struct known_file *a, const struct known_file *b)
{
    return (a->there && b->there && a->device == b->device && a->inode == b->inode) ||
           (a->output && b->output && strcmp(a->name, b->name) == 0);
}

/* Folders may be given twice: they hold many files. */
static struct known_file look_at(const char *path, bool output)
{
    struct stat found;
    struct known_file file = {.given = path, .path = strdup(path), .name = name_of(path), .output = output};
    file.there = stat(path, &found) == 0 && !S_ISDIR(found.st_mode);
    file.device = file.there ? found.st_dev : 0;
    file.inode = file.there ? found.st_ino : 0;
    return file;
}

/* Whether what has been read is still there: temporary files go, and their numbers are given to others. */
static bool is_still_there(const struct known_file *file)
{
    struct stat found;
    return file->output ||
           (stat(file->name, &found) == 0 && found.st_dev == file->device && found.st_ino == file->inode);
}

/* What this file must not be beside, among those that are known; NULL: it may be used. */
static const struct known_file *clash_of(const struct known_file *file)
{
    for (size_t n = 0; n < known_count; n++) {
        bool again = known[n].given == file->given && strcmp(known[n].name, file->name) == 0;
        const bool looked_at = known[n].continued && !file->output;
        if ((file->output || known[n].output) && !looked_at && !(again && known[n].output == file->output) &&
            same_file(file, &known[n]) && is_still_there(&known[n])) {
            return &known[n];
        }
    }
    return NULL;
}

static pw_status file_add(const struct known_file *file, pw_error *error)
{
    PW_TRY(pw_array_grow(&known, &known_room, known_count, sizeof *known, "names of files", error));
    PW_FAIL_IF(file->name == NULL || file->path == NULL, error, PW_NO_RESOURCE,
               "not enough memory for the name of a file");
    const struct known_file *other = clash_of(file);
    if (other != NULL && other->output && file->output) {
        clashed = true;
        return pw_fail(error, PW_USAGE, "%s would be written twice; give two outputs two names", file->path);
    }
    if (other != NULL) {
        clashed = true;
        return pw_fail(error, PW_USAGE, "%s is what would be read; give the output another name",
                       file->output ? file->path : other->path);
    }
    known[known_count++] = *file;
    return PW_OK;
}

static pw_status file_declare(const char *path, bool output, pw_error *error)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* studies read their scenarios on several threads */
    pthread_mutex_lock(&lock);
    struct known_file file = look_at(path, output);
    pw_status status = file_add(&file, error);
    if (status != PW_OK) {
        PW_FREE_ALL(file.path, file.name);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

pw_status file_will_be_read(const char *path, pw_error *error)
{
    return file_declare(path, false, error);
}

pw_status file_will_be_written(const char *path)
{
    pw_error error = {""};
    pw_status status = file_declare(path, true, &error);
    return status == PW_OK ? PW_OK : complain_error(status, &error);
}

void file_is_continued(const char *path)
{
    for (size_t n = 0; n < known_count; n++) {
        known[n].continued = known[n].continued || known[n].given == path;
    }
}

bool files_clashed(void)
{
    return clashed;
}
