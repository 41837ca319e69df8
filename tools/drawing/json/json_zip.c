/* JSON in zip archives (json_zip.h). */
#include "drawing/json/json_zip.h"

#include <stdlib.h>
#include <string.h>

static const size_t ARCHIVE_LIMIT = (size_t)256 << 20; /* bytes of all entries that are read */

pw_status json_zip_open(const char *path, struct json_zip *zip, pw_error *error)
{
    int code = 0;
    *zip = (struct json_zip){
        .archive = zip_open(path, ZIP_RDONLY, &code), .path = path, .left = ARCHIVE_LIMIT, .memory = JSON_PARSED_LIMIT};
    if (zip->archive == NULL) {
        zip_error_t wrong;
        zip_error_init_with_code(&wrong, code);
        (void)fail(error, PW_BAD_INPUT, "'%s' cannot be read as a zip archive: %s", path, zip_error_strerror(&wrong));
        zip_error_fini(&wrong);
        return PW_BAD_INPUT;
    }
    return PW_OK;
}

void json_zip_close(struct json_zip *zip)
{
    zip_discard(zip->archive);
    zip->archive = NULL;
}

/* Unpacks an open entry; grows with what is there, not with what its header promises. */
static pw_status entry_unpack(zip_file_t *entry, const char *name, size_t limit, char **bytes, size_t *size,
                              pw_error *error)
{
    size_t room = 0;
    for (;;) {
        if (*size == room) {
            room = room == 0 ? 1 << 16 : 2 * room;
            char *larger = realloc(*bytes, room);
            FAIL_IF(larger == NULL, error, PW_NO_RESOURCE, "not enough memory to unpack %s", name);
            *bytes = larger;
        }
        zip_int64_t count = zip_fread(entry, *bytes + *size, room - *size);
        FAIL_IF(count < 0, error, PW_BAD_INPUT, "%s is damaged: %s", name, zip_file_strerror(entry));
        if (count == 0) {
            return PW_OK;
        }
        *size += (size_t)count;
        FAIL_IF(*size > limit, error, PW_BAD_INPUT, "%s unpacks to more than %zu MiB", name, limit >> 20);
    }
}

pw_status json_zip_read(struct json_zip *zip, const char *name, struct json_source *source, pw_error *error)
{
    source->root = NULL;
    snprintf(source->name, sizeof source->name, "%s in '%s'", name, zip->path);
    zip_int64_t index = zip_name_locate(zip->archive, name, ZIP_FL_NODIR);
    if (index < 0) {
        return PW_OK;
    }
    zip_file_t *entry = zip_fopen_index(zip->archive, (zip_uint64_t)index, 0);
    FAIL_IF(entry == NULL, error, PW_BAD_INPUT, "%s cannot be unpacked: %s", source->name, zip_strerror(zip->archive));
    OWNED char *bytes = NULL;
    size_t size = 0, limit = zip->left < JSON_BYTES_LIMIT ? zip->left : JSON_BYTES_LIMIT;
    pw_status status = entry_unpack(entry, source->name, limit, &bytes, &size, error);
    (void)zip_fclose(entry); /* read only: nothing can be lost */
    TRY(status);
    size_t parsed = json_parsed_bytes(bytes, size);
    FAIL_IF(parsed > zip->memory, error, PW_BAD_INPUT, "'%s' is too large: its JSON has more than a few million values",
            zip->path);
    zip->left -= size;
    zip->memory -= parsed;
    char own[sizeof source->name];
    memcpy(own, source->name, sizeof own);
    return json_source_parse(own, bytes, size, source, error);
}

bool zip_has_entry(const uint8_t *head, size_t count, const char *path, const char *name)
{
    struct json_zip zip;
    if (count < 4 || memcmp(head, "PK\3\4", 4) != 0 || json_zip_open(path, &zip, NULL) != PW_OK) {
        return false;
    }
    bool found = zip_name_locate(zip.archive, name, ZIP_FL_NODIR) >= 0;
    json_zip_close(&zip);
    return found;
}
