/* The files that a scenario reads, pictures and tables, by size and checksum: whether they are still the same ones is
 * not told by their names. */
#include "base/lines.h"
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
    if (node->kind == NODE_SCALAR && node->quoted && file_checksum(node->text, &size, &sum)) {
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
    if (status == PW_OK && !text_close(out, text)) {
        status = fail(error, PW_NO_RESOURCE, "not enough memory for the files of a scenario");
    }
    tree_free(&tree);
    return status;
}
