/* Opening files that come from outside (input_file.h). */
#include "file/input_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

FILE *input_file_open(const char *path, pw_error *error)
{
    struct stat found;
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
