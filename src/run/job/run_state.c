/* How far a run is, seen from its result (pw_run_look): whether that is whole, and of the scenario, the precision and
 * the files that there are now. Results know the scenario that was asked for, before anything was chosen, so that
 * nothing is rasterized for this. */
#include "api/run.h"
#include "base/file/hdf5_read.h"
#include "result/result.h"
#include "result/result_format.h"
#include "run/job/checkpoint.h"
#include "scenario/scenario.h"
#include "scenario/scenario_tree.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- two scenarios ----------------------------------------------------------------------------------------------- */

/* "grid.cell" */
static void path_write(const struct node *node, char *text, size_t size)
{
    if (node->parent == NULL) {
        text[0] = '\0';
        return;
    }
    path_write(node->parent, text, size);
    size_t used = strlen(text);
    if (node->key != NULL) {
        snprintf(text + used, size - used, "%s%.60s", used > 0 ? "." : "", node->key);
    } else {
        snprintf(text + used, size - used, "[%d]", node->index);
    }
}

static const char *file_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* Paths may be written from another folder: the files themselves are compared by their checksums. */
static bool scalars_agree(const struct node *a, const struct node *b)
{
    return strcmp(a->text, b->text) == 0 ||
           (a->quoted && b->quoted && (strchr(a->text, '/') != NULL || strchr(b->text, '/') != NULL) &&
            strcmp(file_part(a->text), file_part(b->text)) == 0);
}

static bool nodes_agree(const struct node *there, const struct node *here, char *difference, size_t size);

/* A key or an item that one of two nodes alone has. */
static bool tell_missing(const struct node *only, bool there, char *difference, size_t size)
{
    char path[300];
    path_write(only, path, sizeof path);
    snprintf(difference, size, "%s is %s", path, there ? "only in the output" : "not in the output");
    return false;
}

static bool maps_agree(const struct node *there, const struct node *here, char *difference, size_t size)
{
    for (const struct node *child = there->first; child != NULL; child = child->next) {
        const struct node *twin = node_find(here, child->key);
        bool title = child->parent->parent == NULL && strcmp(child->key, "title") == 0;
        if (twin == NULL) {
            return tell_missing(child, true, difference, size);
        }
        if (!title && !nodes_agree(child, twin, difference, size)) {
            return false;
        }
    }
    for (const struct node *child = here->first; child != NULL; child = child->next) {
        if (node_find(there, child->key) == NULL) {
            return tell_missing(child, false, difference, size);
        }
    }
    return true;
}

static bool nodes_agree(const struct node *there, const struct node *here, char *difference, size_t size)
{
    char path[300];
    path_write(there, path, sizeof path);
    if (there->kind != here->kind) {
        snprintf(difference, size, "%s is of another kind", path);
        return false;
    }
    if (there->kind == PW_NODE_SCALAR) {
        bool same = scalars_agree(there, here);
        if (!same) {
            snprintf(difference, size, "%s is %.60s in the output, and %.60s is wanted", path, there->text, here->text);
        }
        return same;
    }
    if (there->kind == PW_NODE_MAP) {
        return maps_agree(there, here, difference, size);
    }
    const struct node *a = there->first, *b = here->first;
    for (; a != NULL && b != NULL; a = a->next, b = b->next) {
        if (!nodes_agree(a, b, difference, size)) {
            return false;
        }
    }
    return a == b || tell_missing(a != NULL ? a : b, a != NULL, difference, size);
}

/* Whether two resolved scenarios are one, but for the title; else where they differ first. */
static pw_status scenarios_compare(const char *there, const char *here, bool *same, pw_error *difference,
                                   pw_error *error)
{
    OWNED_BY(tree_free) struct tree a = {0}, b = {0};
    TRY(tree_parse(&a, "the output's scenario", there, strlen(there), error));
    TRY(tree_parse(&b, "the scenario", here, strlen(here), error));
    *same = nodes_agree(a.root, b.root, difference->message, sizeof difference->message);
    return PW_OK;
}

/* ---- one result -------------------------------------------------------------------------------------------------- */

/* A text of the root; NULL when it is not there. */
static char *root_text(const struct result *result, const char *name)
{
    char *text = NULL;
    pw_error ignored;
    HDF5_SILENCE;
    if (hdf5_attribute_exists(result->file, name)) {
        (void)hdf5_read_text(result->file, name, &text, &ignored);
    }
    return text;
}

/* The first line in which two lists of files differ, without size and checksum. */
static const char *line_of_difference(const char *there, const char *here)
{
    while (*here != '\0') {
        size_t length = strcspn(here, "\n") + 1;
        if (strncmp(there, here, length) != 0) {
            break;
        }
        there += length;
        here += length;
    }
    const char *line = *here != '\0' ? here : there;
    for (int word = 0; word < 2 && strchr(line, ' ') != NULL; word++) {
        line = strchr(line, ' ') + 1;
    }
    return line;
}

static pw_status compare_asked(const struct result *result, const pw_scenario *scenario, bool *same, pw_error *reason,
                               pw_error *error)
{
    char *asked = root_text(result, RESULT_SCENARIO_ASKED), *files = root_text(result, RESULT_SCENARIO_FILES);
    char *now = NULL;
    pw_status status = PW_OK;
    *same = false;
    if (asked == NULL || files == NULL) {
        fail(reason, PW_BAD_INPUT, "an older planwave wrote it, without the scenario it belongs to");
    } else {
        status = scenarios_compare(asked, pw_scenario_text(scenario), same, reason, error);
    }
    if (status == PW_OK && *same) {
        status = scenario_files_write(scenario, &now, error);
        if (status == PW_OK && strcmp(now, files) != 0) {
            const char *line = line_of_difference(files, now);
            *same = false;
            fail(reason, PW_BAD_INPUT, "the file %.*s is not the one that was read then", (int)strcspn(line, "\n"),
                 line);
        }
    }
    FREE_ALL(now, files, asked);
    return status;
}

static pw_status result_look(const struct result *result, const pw_scenario *scenario, pw_precision wanted,
                             pw_run_state *state, pw_error *reason, pw_error *error)
{
    size_t length;
    const char *word = wanted == PW_DOUBLE ? "double" : "single";
    const char *precision = summary_find(result->summary, "precision", &length);
    *state = PW_RUN_OTHER;
    if (precision == NULL || strncmp(precision, word, strlen(word)) != 0) {
        fail(reason, PW_BAD_INPUT, "it was solved in %.*s precision, and %s is wanted",
             precision != NULL ? (int)length : 7, precision != NULL ? precision : "another", word);
        return PW_OK;
    }
    bool same;
    TRY(compare_asked(result, scenario, &same, reason, error));
    *state = same ? PW_RUN_DONE : PW_RUN_OTHER;
    return PW_OK;
}

pw_status pw_run_look(const char *path, const pw_scenario *scenario, pw_precision precision, pw_run_state *state,
                      pw_error *reason, pw_error *error)
{
    pw_error ignored;
    pw_result *result;
    reason = reason != NULL ? reason : &ignored;
    reason->message[0] = '\0';
    struct stat found;
    if (lstat(path, &found) != 0) {
        *state = checkpoint_exists(path, scenario->transmitter_count) ? PW_RUN_STARTED : PW_RUN_MISSING;
        return PW_OK;
    }
    pw_status status = pw_result_open(path, &result, reason);
    if (status != PW_OK) {
        *state = PW_RUN_DAMAGED;
        return status == PW_NO_RESOURCE ? fail(error, status, "%s", reason->message) : PW_OK;
    }
    status = result_look(result, scenario, precision, state, reason, error);
    pw_result_close(result);
    return status;
}
