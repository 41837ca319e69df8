/* JSON documents in a zip archive, through libzip and within bounds: an entry of a few kilobytes may unpack to
 * gigabytes. */
#pragma once

#include "drawing/json/json_source.h"

#include <zip.h>

struct json_zip {
    zip_t *archive;
    const char *path; /* borrowed */
    size_t left;      /* bytes that may still be unpacked */
    size_t memory;    /* bytes that what is parsed may still take */
};

pw_status json_zip_open(const char *path, struct json_zip *zip, pw_error *error);
void json_zip_close(struct json_zip *zip);

/* Parses the entry of this name, in whichever folder of the archive; without one the root is NULL. */
pw_status json_zip_read(struct json_zip *zip, const char *name, struct json_source *source, pw_error *error);

/* Whether a file that begins with these bytes is an archive that holds an entry of this name. */
bool zip_has_entry(const uint8_t *head, size_t count, const char *path, const char *name);
