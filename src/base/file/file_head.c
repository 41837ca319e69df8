/* The first bytes of a file (api/plan/picture.h). */
#include "api/plan/picture.h"

#include "base/file/atomic_file.h"

pw_status pw_file_head_read(const char *path, uint8_t head[PW_FILE_HEAD_SIZE], size_t *count, pw_error *error)
{
    FILE *file = input_file_open(path, error);
    if (file == NULL) {
        return PW_BAD_INPUT;
    }
    *count = fread(head, 1, PW_FILE_HEAD_SIZE, file);
    (void)fclose(file); /* read only: nothing can be lost */
    return PW_OK;
}

pw_status pw_file_head_unknown(const char *path, const char *(*name)(size_t index), pw_error *error)
{
    char names[200] = "";
    size_t used = 0;
    for (size_t f = 0; name(f) != NULL && used < sizeof names; f++) {
        const char *before = f == 0 ? "" : name(f + 1) != NULL ? ", " : " or ";
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", before, name(f));
    }
    return fail(error, PW_BAD_INPUT, "'%s' is not a %s file", path, names);
}
