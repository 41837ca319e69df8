/* Cases of a sweep: which values, which output; and whether the scenario takes all values. */
#include "sweep/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pw_sweep_facts pw_sweep_describe(const pw_sweep *sweep)
{
    static const char *const DESIGNS[] = {"grid", "cases", "hypercube"};
    return (pw_sweep_facts){.scenario = sweep->scenario,
                            .folder = sweep->folder,
                            .design = DESIGNS[sweep->design],
                            .case_count = sweep->case_count,
                            .axis_count = sweep->axis_count,
                            .precision = sweep->precision};
}

pw_status pw_sweep_axis_describe(const pw_sweep *sweep, int axis, pw_sweep_axis *facts, pw_error *error)
{
    FAIL_IF(axis < 0 || axis >= sweep->axis_count, error, PW_USAGE,
            "pw_sweep_axis_describe: there is no axis %d; there are %d", axis, sweep->axis_count);
    const struct sweep_axis *of = &sweep->axes[axis];
    *facts = (pw_sweep_axis){.name = of->name,
                             .keys = (const char *const *)of->keys,
                             .values = (const char *const *)of->values,
                             .numbers = of->numbers,
                             .units = of->numbers != NULL ? dimension_units(of->dimension) : "",
                             .key_count = of->key_count,
                             .value_count = of->value_count};
    return PW_OK;
}

int64_t case_value(const struct sweep *sweep, int64_t index, int axis)
{
    if (sweep->design != SWEEP_GRID) {
        return index;
    }
    for (int a = sweep->axis_count - 1; a > axis; a--) {
        index /= sweep->axes[a].value_count;
    }
    return index % sweep->axes[axis].value_count;
}

/* ---- one case ---------------------------------------------------------------------------------------------------- */

struct made_case {
    pw_sweep_case public; /* must stand first: what the caller has is a pointer to it */
    char *output, *name;
    char **texts; /* (count) */
    size_t count;
};

void pw_sweep_case_free(pw_sweep_case *made)
{
    struct made_case *own = (struct made_case *)made;
    if (own == NULL) {
        return;
    }
    for (size_t n = 0; own->texts != NULL && n < own->count; n++) {
        free(own->texts[n]);
    }
    PW_FREE_ALL(own->texts, own->output, own->name, own);
}

PW_RELEASES(pw_sweep_case, pw_sweep_case_free)

static pw_status case_assign(const struct sweep *sweep, int64_t index, struct made_case *made, pw_error *error)
{
    size_t most = (size_t)sweep->fixed_count;
    for (int a = 0; a < sweep->axis_count; a++) {
        most += (size_t)sweep->axes[a].key_count;
    }
    made->texts = allocate(most, sizeof *made->texts, "the values of a case", error);
    TRY_MADE(made->texts);
    bool good = true;
    for (int n = 0; n < sweep->fixed_count && good; n++) {
        made->texts[made->count] = strdup(sweep->fixed[n]);
        good = made->texts[made->count++] != NULL;
    }
    for (int a = 0; a < sweep->axis_count && good; a++) {
        const struct sweep_axis *axis = &sweep->axes[a];
        const char *value = axis->values[case_value(sweep, index, a)];
        for (int k = 0; k < axis->key_count && value != NULL && good; k++) {
            good = asprintf(&made->texts[made->count], "%s=%s", axis->keys[k], value) >= 0;
            made->texts[made->count] = good ? made->texts[made->count] : NULL;
            made->count++;
        }
    }
    return good ? PW_OK : fail(error, PW_NO_RESOURCE, "not enough memory for the values of a case");
}

pw_status pw_sweep_case_create(const pw_sweep *sweep, int64_t index, pw_sweep_case **created, pw_error *error)
{
    *created = NULL;
    FAIL_IF(index < 0 || index >= sweep->case_count, error, PW_BAD_INPUT,
            "%s: there is no case %lld; there are %lld, counted from 0", sweep->file, (long long)index,
            (long long)sweep->case_count);
    struct made_case *made = allocate(1, sizeof *made, "a case", error);
    TRY_MADE(made);
    int named = sweep->names != NULL ? asprintf(&made->name, "%s", sweep->names[index])
                                     : asprintf(&made->name, "case-%04lld", (long long)index);
    made->name = named >= 0 ? made->name : NULL;
    int placed = made->name != NULL ? asprintf(&made->output, "%s/%s.h5", sweep->folder, made->name) : -1;
    made->output = placed >= 0 ? made->output : NULL;
    pw_status status = placed >= 0 ? case_assign(sweep, index, made, error)
                                   : fail(error, PW_NO_RESOURCE, "not enough memory for a case");
    if (status != PW_OK) {
        pw_sweep_case_free(&made->public);
        return status;
    }
    made->public = (pw_sweep_case){index, made->name, made->output, (const char **)made->texts, made->count};
    *created = &made->public;
    return PW_OK;
}

pw_status case_load(const struct sweep *sweep, const pw_sweep_case *of, pw_scenario **scenario, pw_error *error)
{
    return pw_scenario_load(sweep->scenario, of->overrides, of->override_count, scenario, error);
}

/* ---- all cases --------------------------------------------------------------------------------------------------- */

/* A case that is loaded for the check, and what its scenario says, as a number. */
struct checked {
    int64_t index, value;
    uint64_t digest;
};

/* FNV-1a. */
static uint64_t text_digest(const char *text)
{
    uint64_t digest = 0xcbf29ce484222325u;
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        digest = (digest ^ *c) * 0x100000001b3u;
    }
    return digest;
}

/* `axis` -1: of cases and hypercubes, where all values stand in one case. */
static pw_status load_checked(const struct sweep *sweep, int axis, struct checked *checked, pw_error *error)
{
    OWNED_AS(pw_sweep_case) *made = NULL;
    OWNED_AS(pw_scenario) *scenario = NULL;
    pw_error reason = {""};
    TRY(pw_sweep_case_create(sweep, checked->index, &made, error));
    pw_status status = case_load(sweep, made, &scenario, &reason);
    FAIL_IF(status != PW_OK && axis >= 0 && checked->value > 0, error, status, "%s:%d: '%s', value %lld: %.800s",
            sweep->file, sweep->axes[axis].line, sweep->axes[axis].name, (long long)checked->value, reason.message);
    FAIL_IF(status != PW_OK, error, status, "%s: case %lld (%s): %.800s", sweep->file, (long long)made->index,
            made->name, reason.message);
    checked->digest = text_digest(pw_scenario_text(scenario));
    return PW_OK;
}

static int compare_checked(const void *a, const void *b)
{
    const struct checked *x = a, *y = b;
    return x->digest != y->digest ? (x->digest > y->digest) - (x->digest < y->digest)
                                  : (x->value > y->value) - (x->value < y->value);
}

/* Two values that make one scenario are a mistake: a key that another one overrides, or a case that is given twice. */
static pw_status find_twins(const struct sweep *sweep, int axis, struct checked *checked, size_t count, pw_error *error)
{
    qsort(checked, count, sizeof *checked, compare_checked);
    for (size_t n = 1; n < count; n++) {
        const struct checked *one = &checked[n - 1], *two = &checked[n];
        if (one->digest != two->digest) {
            continue;
        }
        FAIL_IF(axis < 0, error, PW_BAD_INPUT, "%s: cases %lld and %lld are the same scenario", sweep->file,
                (long long)one->index, (long long)two->index);
        const struct sweep_axis *of = &sweep->axes[axis];
        return fail(error, PW_BAD_INPUT,
                    "%s:%d: '%s': the values %.60s and %.60s make the same scenario; does another key undo this one?",
                    sweep->file, of->line, of->name, of->values[one->value], of->values[two->value]);
    }
    return PW_OK;
}

/* Case `first + n stride` has value n: along one axis of a grid with all others at their first value, or all cases. */
static pw_status check_line(const struct sweep *sweep, int axis, int64_t count, int64_t stride,
                            const pw_monitor *monitor, pw_error *error)
{
    OWNED struct checked *checked = allocate((size_t)count, sizeof *checked, "the values of a sweep", error);
    TRY_MADE(checked);
    for (int64_t n = 0; n < count; n++) {
        checked[n] = (struct checked){.index = n * stride, .value = n};
        TRY(load_checked(sweep, axis, &checked[n], error));
        TRY(pw_monitor_tell(monitor, (double)(n + 1) / (double)count, error));
    }
    return find_twins(sweep, axis, checked, (size_t)count, error);
}

pw_status pw_sweep_check(const pw_sweep *sweep, const pw_monitor *monitor, pw_error *error)
{
    if (sweep->design != SWEEP_GRID) {
        return check_line(sweep, -1, sweep->case_count, 1, monitor, error);
    }
    int64_t stride = 1;
    for (int a = sweep->axis_count - 1; a >= 0; a--) {
        int done = sweep->axis_count - 1 - a;
        pw_monitor_part part = {monitor, (double)done / sweep->axis_count, (double)(done + 1) / sweep->axis_count};
        const pw_monitor watched = pw_monitor_of_part(&part);
        TRY(check_line(sweep, a, sweep->axes[a].value_count, stride, &watched, error));
        stride *= sweep->axes[a].value_count;
    }
    return PW_OK;
}

pw_status pw_sweep_make_folder(const pw_sweep *sweep, pw_error *error)
{
    int made;
    return pw_folder_make(sweep->folder, &made, error);
}
