/* What `planwave sweep` says of a sweep without solving anything: the commands of its cases, its axes, how far it is.
 */
#include "sweep/cmd_sweep_list.h"

#include "program/progress.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct list_request {
    const pw_run_options *options;
    bool strict, unfinished;
};

/* ---- commands ---------------------------------------------------------------------------------------------------- */

/* An argument as a shell reads it back. */
static void print_quoted(const char *text, FILE *out)
{
    bool plain = text[0] != '\0';
    for (const char *c = text; *c != '\0' && plain; c++) {
        plain = isalnum((unsigned char)*c) || strchr("_./:=@%+,-", *c) != NULL;
    }
    if (plain) {
        fputs(text, out);
        return;
    }
    fputc('\'', out);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '\'') {
            fputs("'\\''", out);
        } else {
            fputc(*c, out);
        }
    }
    fputc('\'', out);
}

/* A path that begins with '-' would be read as an option. */
static void print_path(const char *path, FILE *out)
{
    fputs(path[0] == '-' ? "./" : "", out);
    print_quoted(path, out);
}

static void print_command(const struct list_request *request, const pw_sweep *sweep, const pw_sweep_case *of)
{
    pw_sweep_facts facts = pw_sweep_describe(sweep);
    fputs("planwave run ", stdout);
    print_path(facts.scenario, stdout);
    for (size_t n = 0; n < of->override_count; n++) {
        fputs(" --set ", stdout);
        print_quoted(of->overrides[n], stdout);
    }
    fputs(facts.precision == PW_DOUBLE ? " --precision double" : "", stdout);
    if (strcmp(request->options->compute.backend, "auto") != 0) {
        printf(" --backend %s", request->options->compute.backend);
    }
    if (request->options->compute.threads > 0) {
        printf(" --threads %d", request->options->compute.threads);
    }
    fputs(request->strict ? " --strict" : "", stdout);
    fputs(" --quiet --resume -o ", stdout);
    print_path(of->output, stdout);
    putchar('\n');
}

/* ---- checking ---------------------------------------------------------------------------------------------------- */

static bool keep_on(double done, void *user)
{
    (void)done;
    (void)user;
    return !progress_interrupted();
}

const pw_monitor SWEEP_MONITOR = {.tell = keep_on};

pw_status sweep_check(const pw_sweep *sweep)
{
    pw_error error = {{0}};
    pw_status status = pw_sweep_check(sweep, &SWEEP_MONITOR, &error);
    return status == PW_OK ? PW_OK : complain_error(status, &error);
}

/* ---- list and status --------------------------------------------------------------------------------------------- */

static pw_status list_case(const struct list_request *request, const pw_sweep *sweep, int64_t index)
{
    pw_error error = {{0}}, reason;
    pw_sweep_case *of;
    pw_sweep_state state = PW_SWEEP_MISSING;
    if (request->unfinished) {
        pw_status looked = pw_sweep_case_look(sweep, index, &state, &reason, &error);
        if (looked != PW_OK) {
            return complain_error(looked, &error);
        }
    }
    pw_status status = pw_sweep_case_create(sweep, index, &of, &error);
    if (status != PW_OK) {
        return complain_error(status, &error);
    }
    if (state == PW_SWEEP_OTHER || state == PW_SWEEP_DAMAGED) {
        complain("case %lld: %s is not an output of this sweep: %s; 'sweep run --force' replaces it", (long long)index,
                 of->output, reason.message);
        status = PW_INCOMPLETE;
    } else if (state != PW_SWEEP_DONE) {
        print_command(request, sweep, of);
    }
    pw_sweep_case_free(of);
    return status;
}

pw_status sweep_list(const pw_sweep *sweep, const pw_run_options *options, bool strict, bool unfinished)
{
    pw_error error = {{0}};
    const struct list_request request = {options, strict, unfinished};
    pw_status worst = sweep_check(sweep);
    PW_TRY(worst);
    pw_status made = pw_sweep_make_folder(sweep, &error); /* so that the commands run as they stand */
    if (made != PW_OK) {
        return complain_error(made, &error);
    }
    int64_t count = pw_sweep_describe(sweep).case_count;
    for (int64_t c = 0; c < count && (worst == PW_OK || worst == PW_INCOMPLETE) && !progress_interrupted(); c++) {
        pw_status status = list_case(&request, sweep, c);
        worst = status != PW_OK ? status : worst;
    }
    return progress_interrupted() ? PW_INTERRUPTED : worst;
}

static void print_axes(const pw_sweep *sweep)
{
    pw_sweep_facts facts = pw_sweep_describe(sweep);
    printf("%lld cases of %s into %s/\n", (long long)facts.case_count, facts.scenario, facts.folder);
    for (int a = 0; a < facts.axis_count; a++) {
        pw_sweep_axis axis;
        if (pw_sweep_axis_describe(sweep, a, &axis, NULL) != PW_OK) {
            return;
        }
        bool numbers = axis.numbers != NULL && strcmp(axis.units, "1") != 0;
        printf("  %-28s %lld values%s%s, %s", axis.name, (long long)axis.value_count, numbers ? " in " : "",
               numbers ? axis.units : "", axis.values[0] != NULL ? axis.values[0] : "the scenario's");
        if (axis.value_count > 1) {
            const char *last = axis.values[axis.value_count - 1];
            printf("%s %s", axis.value_count > 2 ? " ..." : ",", last != NULL ? last : "the scenario's");
        }
        putchar('\n');
    }
}

/* "3,7-9": the cases in this state, as sbatch --array takes them. */
static void print_state(const unsigned char *states, int64_t count, pw_sweep_state state, const char *what)
{
    int64_t number = 0;
    for (int64_t c = 0; c < count; c++) {
        number += states[c] == state;
    }
    if (number == 0) {
        return;
    }
    printf("  %-28s %lld: ", what, (long long)number);
    const char *before = "";
    for (int64_t c = 0; c < count; c++) {
        if (states[c] != state) {
            continue;
        }
        int64_t first = c;
        while (c + 1 < count && states[c + 1] == state) {
            c++;
        }
        printf(c > first ? "%s%lld-%lld" : "%s%lld", before, (long long)first, (long long)c);
        before = ",";
    }
    putchar('\n');
}

static pw_status look_at_all(const pw_sweep *sweep, unsigned char *states, int64_t count)
{
    for (int64_t c = 0; c < count && !progress_interrupted(); c++) {
        pw_error error = {{0}}, reason;
        pw_sweep_state state = PW_SWEEP_MISSING;
        pw_status status = pw_sweep_case_look(sweep, c, &state, &reason, &error);
        if (status != PW_OK) {
            complain("case %lld: %s", (long long)c, error.message);
            return status;
        }
        states[c] = (unsigned char)state;
    }
    return progress_interrupted() ? PW_INTERRUPTED : PW_OK;
}

pw_status sweep_status(const pw_sweep *sweep)
{
    static const char *const WORDS[PW_SWEEP_STATES] = {"not begun", "stopped, goes on", "done",
                                                       "output of something else", "damaged output"};
    int64_t count = pw_sweep_describe(sweep).case_count;
    pw_error error = {{0}};
    PW_OWNED unsigned char *states = pw_allocate((size_t)count, 1, "the states of the cases", &error);
    if (states == NULL) {
        return complain_error(PW_NO_RESOURCE, &error);
    }
    print_axes(sweep);
    PW_TRY(look_at_all(sweep, states, count));
    for (int s = 0; s < PW_SWEEP_STATES; s++) {
        print_state(states, count, (pw_sweep_state)s, WORDS[s]);
    }
    return PW_OK;
}
