/* What a result file calls itself, and how it is opened: shared by its writer, reader, printer and comparer, and by
 * the rooms that write HDF5 or look into the summary. */
#pragma once

#include "base/file/hdf5_common.h"

#define RESULT_PROGRAM           "planwave"
#define RESULT_MATERIAL_REVISION "ITU-R P.2040-4"
#define RESULT_TIME_CONVENTION   "exp(+jwt)"

/* A text of the root and of the summary, there only when the plan was given as arrays. */
#define RESULT_PLAN_SOURCE "plan_source"

/* Texts of the root, absent in results of old: the scenario before anything was chosen, and the files that it names as
 * scenario_files_write() has them. */
#define RESULT_SCENARIO_ASKED "scenario_asked"
#define RESULT_SCENARIO_FILES "scenario_files"

enum { RESULT_FORMAT_VERSION = 1 };

/* The first value of that name in a summary (lines "name<tab>value"), not terminated, or NULL; call again with what
 * follows for more. */
const char *summary_find(const char *summary, const char *name, size_t *length);

/* Opens `path` for reading and checks that it is HDF5, ours and of a known format; *file is negative after a failure.
 */
pw_status result_file_open(const char *path, hid_t *file, uint64_t *file_bytes, pw_error *error);
