/* The table of exporters, and folders with a file of each (exporter.h); the public functions about exports. */
#include "channel/export/exporter.h"

#include "base/file/atomic_file.h"
#include "base/file/folder.h"
#include "channel/angles/link_angles.h"
#include "channel/export/export_text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define EXPORTER_ADDRESS(name) &exporter_##name,
static const struct exporter *const exporters[] = {EXPORTERS(EXPORTER_ADDRESS)};
enum { EXPORTER_COUNT = sizeof exporters / sizeof *exporters };

/* NULL, and a message with all names, when there is none of that name. */
static const struct exporter *exporter_find(const char *name, pw_error *error)
{
    char known[400] = "";
    for (size_t n = 0; n < EXPORTER_COUNT; n++) {
        if (strcmp(exporters[n]->name, name) == 0) {
            return exporters[n];
        }
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", n > 0 ? ", " : "", exporters[n]->name);
    }
    fail(error, PW_USAGE, "a channel cannot be written as '%.60s'; allowed are %s", name, known);
    return NULL;
}

/* Writes the file `path`: all of it or none. */
static pw_status exporter_write(const struct exporter *exporter, const struct channel_link *link, const char *path,
                                pw_error *error)
{
    if (exporter->write != NULL) {
        return exporter->write(link, path, error);
    }
    FILE *file = disk_create(path, error);
    TRY_MADE(file);
    export_text_head(file, exporter->mark != NULL ? exporter->mark : "#", link, exporter->title);
    exporter->print(link, file);
    return disk_finish(file, path, error);
}

/* A picture needs gnuplot and a temporary folder; what was computed does not go with it. */
static pw_status say_kept(const char *directory, pw_status status, pw_error *error)
{
    pw_error first = {""};
    if (error != NULL) {
        first = *error;
    }
    return fail(error, status, "%.700s; the tables are in '%.200s'", first.message, directory);
}

/* Writes a file of every kind into the existing or new folder `directory`: all of them or none, but for pictures,
 * without which the tables stay. */
static pw_status export_folder(const struct channel_link *link, const char *directory, pw_error *error)
{
    char path[EXPORTER_COUNT][PATH_MAX];
    int count = 0, made;
    TRY(folders_make(directory, &made, error));
    pw_status status = PW_OK;
    for (; count < EXPORTER_COUNT && status == PW_OK; count++) {
        int length = snprintf(path[count], sizeof path[count], "%s/%s", directory, exporters[count]->file);
        status = length < 0 || (size_t)length >= sizeof path[count]
                     ? fail(error, PW_USAGE, "the folder's name '%.60s...' is too long", directory)
                     : exporter_write(exporters[count], link, path[count], error);
    }
    if (status != PW_OK && pw_is_picture(path[count - 1])) {
        (void)unlink(path[count - 1]);
        return say_kept(directory, status, error); /* pictures come last */
    }
    for (int n = 0; n < count && status != PW_OK; n++) {
        (void)unlink(path[n]); /* all tables or none */
    }
    folders_unmake(directory, status != PW_OK ? made : 0);
    return status;
}

/* ---- the interface ---- */

size_t pw_export_count(void)
{
    return EXPORTER_COUNT;
}

pw_export_info pw_export_describe(size_t index)
{
    if (index >= EXPORTER_COUNT) {
        return (pw_export_info){"", "", ""};
    }
    return (pw_export_info){exporters[index]->name, exporters[index]->file, exporters[index]->description};
}

pw_status pw_channel_export(const pw_channel *channel, const char *name, const char *path, pw_error *error)
{
    FAIL_IF(channel == NULL || name == NULL || path == NULL, error, PW_USAGE,
            "pw_channel_export: channel, name and path must not be NULL");
    const struct exporter *exporter = exporter_find(name, error);
    return exporter != NULL ? exporter_write(exporter, channel, path, error) : PW_USAGE;
}

pw_status pw_channel_write(const pw_result *result, const char *transmitter, const char *receiver, const double *at,
                           const pw_channel_options *options, const char *directory, pw_metrics *metrics,
                           pw_error *error)
{
    FAIL_IF(result == NULL || directory == NULL, error, PW_USAGE, "pw_channel_write: no %s given",
            result == NULL ? "result" : "folder");
    OWNED_AS(pw_channel) *channel = NULL;
    TRY(pw_channel_create(result, transmitter, receiver, at, options, &channel, error));
    bool picture = pw_is_picture(directory);
    TRY(picture ? exporter_plot.write(channel, directory, error) : link_angles_keep(channel, error));
    if (!picture) {
        TRY(export_folder(channel, directory, error));
    }
    if (metrics != NULL) {
        *metrics = channel->metrics;
    }
    return PW_OK;
}
