/* What a file is, by its first bytes; and how a list of formats is told. */
#ifndef FILE_HEAD_H
#define FILE_HEAD_H

#include "base/status.h"

enum { FILE_HEAD_SIZE = 4096 }; /* bytes that decide what a file is */

/* The first bytes of a file, fewer than FILE_HEAD_SIZE when it is shorter. PW_BAD_INPUT when it cannot be read. */
pw_status file_head_read(const char *path, uint8_t head[FILE_HEAD_SIZE], size_t *count, pw_error *error);

/* Fails: "'path' is not a PNG file", "... not a PNG or DXF file", "... not a PNG, DXF or SVG file". */
pw_status file_head_unknown(const char *path, const char *(*name)(size_t index), pw_error *error);

#endif
