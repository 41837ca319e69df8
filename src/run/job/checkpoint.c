/* Which checkpoint counts: names and generations. The files themselves are in checkpoint_file.c. */
#include "run/job/checkpoint.h"

#include "base/file/atomic_file.h"

#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char NEWEST[] = ".checkpoint", NEWEST_APART[] = ".checkpoint-", FINISHED[] = ".finished-", OLDER[] = ".1";

enum { MOST_BESIDE = 100000 }; /* transmitters: a file of a higher number is none of ours */

/* ---- the store --------------------------------------------------------------------------------------------------- */

/* Its files are named result_path, `apart` and the generation. */
static pw_status make_store(const char *result_path, const char *apart, const struct setup *setup,
                            struct checkpoint_store **store, pw_error *error)
{
    struct checkpoint_store *made = allocate(1, sizeof *made, "checkpoints", error);
    TRY_MADE(made);
    made->setup = setup;
    made->result = strdup(result_path);
    if (asprintf(&made->newest, "%s%s%s", result_path, NEWEST, apart) < 0) {
        made->newest = NULL;
    }
    if (asprintf(&made->older, "%s%s%s%s", result_path, NEWEST, apart, OLDER) < 0) {
        made->older = NULL;
    }
    if (made->result == NULL || made->newest == NULL || made->older == NULL) {
        checkpoint_store_free(made);
        return fail(error, PW_NO_RESOURCE, "not enough memory for the names of checkpoints");
    }
    *store = made;
    return PW_OK;
}

pw_status checkpoint_store_create(const char *result_path, const struct setup *setup, struct checkpoint_store **store,
                                  pw_error *error)
{
    return make_store(result_path, "", setup, store, error);
}

pw_status checkpoint_store_apart(const struct checkpoint_store *store, int transmitter, struct checkpoint_store **apart,
                                 pw_error *error)
{
    char suffix[32];
    snprintf(suffix, sizeof suffix, "-%d", transmitter);
    return make_store(store->result, suffix, store->setup, apart, error);
}

void checkpoint_store_free(struct checkpoint_store *store)
{
    if (store != NULL) {
        FREE_ALL(store->result, store->newest, store->older, store);
    }
}

static char *finished_name(const struct checkpoint_store *store, int transmitter)
{
    char *name = NULL;
    return asprintf(&name, "%s%s%d", store->result, FINISHED, transmitter) < 0 ? NULL : name;
}

/* Whether `act` says so of the file of that name. Allocates nothing, so that no file stays behind when memory has run
 * out. */
__attribute__((format(printf, 3, 4))) static bool file_beside(const char *result_path, bool (*act)(const char *name),
                                                              const char *format, ...)
{
    char suffix[64], name[PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(suffix, sizeof suffix, format, arguments);
    va_end(arguments);
    const int length = snprintf(name, sizeof name, "%s%s", result_path, suffix);
    return length > 0 && length < (int)sizeof name && act(name);
}

/* Of the files of an ensemble apart. */
static bool files_apart(const char *result_path, int transmitter, bool (*act)(const char *name))
{
    const bool newest = file_beside(result_path, act, "%s%d", NEWEST_APART, transmitter),
               older = file_beside(result_path, act, "%s%d%s", NEWEST_APART, transmitter, OLDER);
    return newest || older;
}

/* As many transmitters as the files beside the result speak of: a run of more may have left some. */
static int transmitters_beside(const char *result_path)
{
    const char *slash = strrchr(result_path, '/'), *base = slash == NULL ? result_path : slash + 1;
    static const char *const KINDS[] = {NEWEST_APART, FINISHED};
    const size_t length = strlen(base);
    char folder[PATH_MAX] = ".";
    if (slash != NULL) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash + 1 - result_path), result_path);
    }
    DIR *all = opendir(folder);
    int most = 0;
    for (const struct dirent *file; all != NULL && (file = readdir(all)) != NULL;) {
        const char *suffix = file->d_name + length;
        for (size_t k = 0; k < 2 && strncmp(file->d_name, base, length) == 0; k++) {
            const size_t kind = strlen(KINDS[k]);
            char *end = NULL;
            const long number = strncmp(suffix, KINDS[k], kind) == 0 ? strtol(suffix + kind, &end, 10) : -1;
            if (end == NULL || end == suffix + kind || (*end != '\0' && strcmp(end, OLDER) != 0)) {
                continue; /* another's */
            }
            most = number >= most && number < MOST_BESIDE ? (int)number + 1 : most;
        }
    }
    if (all != NULL) {
        closedir(all);
    }
    return most;
}

/* Of all files that runs leave for later ones. */
static bool files_beside(const char *result_path, int transmitters, bool (*act)(const char *name))
{
    const int beside = transmitters_beside(result_path);
    transmitters = beside > transmitters ? beside : transmitters;
    bool some = file_beside(result_path, act, "%s", NEWEST);
    some = file_beside(result_path, act, "%s%s", NEWEST, OLDER) || some;
    for (int t = 0; t < transmitters; t++) {
        some = files_apart(result_path, t, act) || some;
        some = file_beside(result_path, act, "%s%d", FINISHED, t) || some;
    }
    return some;
}

static bool exists(const char *name)
{
    return access(name, F_OK) == 0;
}

static bool removes(const char *name)
{
    const bool there = unlink(name) == 0; /* usually there is no such file */
    disk_remove_stale(name);
    return there;
}

bool checkpoint_begins(const struct checkpoint_store *store, int transmitter)
{
    return files_apart(store->result, transmitter, exists);
}

bool checkpoint_exists(const char *result_path, int transmitters)
{
    return files_beside(result_path, transmitters, exists);
}

bool checkpoint_of_more(const char *result_path, int transmitters)
{
    return transmitters_beside(result_path) > transmitters;
}

void checkpoint_remove(const char *result_path, int transmitters)
{
    (void)files_beside(result_path, transmitters, removes);
}

/* Values of the fields and of the absorber's filters. */
static double field_values(const struct problem *problem)
{
    bool volume = problem->formulation == FORMULATION_MAXWELL3D;
    double nodes = (double)problem_nodes(problem), values = volume ? 6 * nodes : 2 * nodes;
    for (int a = 0; a < (volume ? 3 : 2); a++) {
        values += (volume ? 4 : 2) * nodes / problem->axis[a].count * run_state_filters(problem, a);
    }
    return values;
}

double checkpoint_bytes(const struct setup *setup, int count)
{
    const struct problem *problem = &setup->problem;
    const struct spectra *spectra = &problem->spectra;
    double size = problem->precision == PW_DOUBLE ? 8 : 4;
    double planes = spectra->frequency_count > 0 ? 2.0 * spectra->frequency_count + spectra_group(spectra) - 1 : 0;
    double values = field_values(problem) + (double)problem->steps * problem->probe_count +
                    planes * spectra->rows * spectra->columns;
    return size * count * values;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

pw_status checkpoint_write(struct checkpoint_store *store, const struct simulation *simulation, pw_error *error)
{
    TRY(checkpoint_file_write(store, store->newest, simulation, 0, simulation->count, false, error));
    store->newest_is_bad = false;
    return PW_OK;
}

pw_status checkpoint_write_finished(struct checkpoint_store *store, const struct simulation *simulation,
                                    pw_error *error)
{
    for (int run = 0; run < simulation->count; run++) {
        char *name = finished_name(store, simulation->first + run);
        FAIL_IF(name == NULL, error, PW_NO_RESOURCE, "not enough memory for a path");
        pw_status status = checkpoint_file_write(store, name, simulation, run, 1, true, error);
        free(name);
        TRY(status);
    }
    return PW_OK;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static void tell(checkpoint_note note, void *user, const char *message)
{
    if (note != NULL) {
        note(message, user);
    }
}

pw_status checkpoint_find(struct checkpoint_store *store, checkpoint_note note, void *user, struct checkpoint *found,
                          pw_error *error)
{
    const char *const paths[] = {store->newest, store->older};
    pw_error reason = {""};
    for (int generation = 0; generation < 2; generation++) {
        switch (checkpoint_file_check(store, paths[generation], found, &reason)) {
        case CHECKPOINT_GOOD:
            found->path = paths[generation];
            return PW_OK;
        case CHECKPOINT_REFUSED:
            return fail(error, PW_BAD_INPUT, "%s", reason.message);
        case CHECKPOINT_NO_MEMORY:
            return fail(error, PW_NO_RESOURCE, "%s", reason.message);
        case CHECKPOINT_DAMAGED:
            store->newest_is_bad = store->newest_is_bad || generation == 0;
            tell(note, user, reason.message);
            break;
        case CHECKPOINT_ABSENT:
            break;
        }
    }
    *found = (struct checkpoint){0};
    return PW_OK;
}

pw_status checkpoint_find_finished(struct checkpoint_store *store, int transmitter, checkpoint_note note, void *user,
                                   bool *there, pw_error *error)
{
    *there = false;
    char *name = finished_name(store, transmitter);
    FAIL_IF(name == NULL, error, PW_NO_RESOURCE, "not enough memory for a path");
    struct checkpoint found;
    pw_error reason = {""};
    enum checkpoint_verdict verdict = checkpoint_file_check(store, name, &found, &reason);
    free(name);
    FAIL_IF(verdict == CHECKPOINT_REFUSED || verdict == CHECKPOINT_NO_MEMORY, error,
            verdict == CHECKPOINT_REFUSED ? PW_BAD_INPUT : PW_NO_RESOURCE, "%s", reason.message);
    if (verdict == CHECKPOINT_DAMAGED) {
        tell(note, user, reason.message);
    }
    *there =
        verdict == CHECKPOINT_GOOD && found.first == transmitter && found.count == 1 && found.stop_reason[0] != '\0';
    return PW_OK;
}

pw_status checkpoint_load(struct checkpoint_store *store, const struct checkpoint *checkpoint,
                          struct simulation *simulation, pw_error *error)
{
    return checkpoint_file_load(store, checkpoint->path, simulation, error);
}

pw_status checkpoint_load_finished(struct checkpoint_store *store, int transmitter, struct simulation *simulation,
                                   pw_error *error)
{
    OWNED char *name = finished_name(store, transmitter);
    FAIL_IF(name == NULL, error, PW_NO_RESOURCE, "not enough memory for a path");
    return checkpoint_file_load(store, name, simulation, error);
}
