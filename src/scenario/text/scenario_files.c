/* The files that a scenario reads, pictures and tables: their names in a scenario that is written elsewhere, and their
 * sizes and checksums, since names do not tell whether they are still the same ones. */
#include "base/file/relative_path.h"
#include "base/status.h"
#include "scenario/scenario.h"
#include "scenario/scenario_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

/* False: there is no such file, or it cannot be read. */
static bool file_checksum(const char *path, long long *size, unsigned long *sum)
{
    enum { BLOCK = 1 << 16 };
    static const unsigned char nothing[1];
    struct stat facts;
    FILE *file = stat(path, &facts) == 0 && S_ISREG(facts.st_mode) ? fopen(path, "rb") : NULL;
    unsigned char *block = file != NULL ? malloc(BLOCK) : NULL;
    bool good = block != NULL;
    *size = 0;
    *sum = crc32(0, nothing, 0);
    for (size_t got = 1; good && got > 0;) {
        got = fread(block, 1, BLOCK, file);
        *sum = crc32(*sum, block, (uInt)got);
        *size += (long long)got;
    }
    good = good && ferror(file) == 0;
    free(block);
    if (file != NULL) {
        fclose(file);
    }
    return good;
}

/* Resolved scenarios have their paths in quotes, and little else. */
static void files_list(FILE *out, const struct node *node)
{
    long long size;
    unsigned long sum;
    if (node->kind == PW_NODE_SCALAR && node->quoted && file_checksum(node->text, &size, &sum)) {
        const char *slash = strrchr(node->text, '/');
        fprintf(out, "%lld %08lx %s\n", size, sum, slash != NULL ? slash + 1 : node->text);
    }
    for (const struct node *child = node->first; child != NULL; child = child->next) {
        if (child->key == NULL || (strcmp(child->key, "name") != 0 && strcmp(child->key, "title") != 0)) {
            files_list(out, child);
        }
    }
}

pw_status scenario_files_write(const struct scenario *scenario, char **text, pw_error *error)
{
    struct tree tree = {0};
    size_t size;
    *text = NULL;
    pw_status status = tree_parse(&tree, "the resolved scenario", scenario->text, strlen(scenario->text), error);
    FILE *out = status == PW_OK ? open_memstream(text, &size) : NULL;
    if (out != NULL) {
        files_list(out, tree.root);
    }
    if (status == PW_OK && !pw_text_close(out, text)) {
        status = fail(error, PW_NO_RESOURCE, "not enough memory for the files of a scenario");
    }
    tree_free(&tree);
    return status;
}

/* ---- their names as seen from elsewhere -------------------------------------------------------------------------- */

struct renamed_file {
    char **slot, *kept;
};

static pw_status file_rename(struct renamed_file *file, char **slot, const char *path, pw_error *error)
{
    char *seen = NULL;
    if (*slot != NULL) {
        TRY(relative_file(path, *slot, &seen, error));
    }
    *file = (struct renamed_file){slot, *slot};
    *slot = seen;
    return PW_OK;
}

pw_status scenario_write_for(struct scenario *scenario, const char *path, char **text, pw_error *error)
{
    size_t most = 1 + (size_t)scenario->receiver_entry_count + (size_t)scenario->transmitter_count, count = 0;
    struct renamed_file *files = allocate(most, sizeof *files, "the files of a scenario", error);
    pw_status status =
        files != NULL ? file_rename(&files[count++], &scenario->plan.image, path, error) : PW_NO_RESOURCE;
    for (int n = 0; n < scenario->receiver_entry_count && status == PW_OK; n++) {
        status = file_rename(&files[count++], &scenario->receiver_entries[n].file, path, error);
    }
    for (int t = 0; t < scenario->transmitter_count && status == PW_OK; t++) {
        status = file_rename(&files[count++], &scenario->transmitters[t].waveform.file, path, error);
    }
    THEN(status, scenario_write(scenario, text, error));
    while (count > 0) {
        const struct renamed_file *file = &files[--count];
        if (file->slot != NULL) {
            free(*file->slot);
            *file->slot = file->kept;
        }
    }
    free(files);
    return status;
}
