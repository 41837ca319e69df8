/* Export of plans (plan_export.h): the table of formats, and what they are given. */
#include "export/plan_export.h"

#include <string.h>
#include <strings.h>

#define PLAN_EXPORTER_ENTRY(name) &plan_exporter_##name,
static const struct plan_exporter *const EXPORTERS[] = {PLAN_EXPORTERS(PLAN_EXPORTER_ENTRY)};
enum { EXPORTER_COUNT = sizeof EXPORTERS / sizeof EXPORTERS[0] };

pw_plan_export_format pw_plan_export_describe(size_t index)
{
    return index < EXPORTER_COUNT ? (pw_plan_export_format){EXPORTERS[index]->name, EXPORTERS[index]->ending,
                                                            EXPORTERS[index]->description}
                                  : (pw_plan_export_format){0};
}

/* The format of a name's ending; NULL, and a message with all endings, when there is none. */
static const struct plan_exporter *exporter_of(const char *path, pw_error *error)
{
    char endings[200] = "";
    size_t used = 0, length = strlen(path);
    for (size_t e = 0; e < EXPORTER_COUNT; e++) {
        size_t tail = strlen(EXPORTERS[e]->ending);
        if (length > tail && strcasecmp(path + length - tail, EXPORTERS[e]->ending) == 0) {
            return EXPORTERS[e];
        }
        const char *before = e == 0 ? "" : e + 1 < EXPORTER_COUNT ? ", " : " and ";
        used += (size_t)snprintf(endings + used, sizeof endings - used, "%s%s", before, EXPORTERS[e]->ending);
    }
    (void)fail(error, PW_BAD_INPUT, "'%s' has no known ending; allowed endings are %s", path, endings);
    return NULL;
}

/* ---- writing ---- */

static pw_status plan_check(const struct exported_plan *plan, const struct plan_exporter *exporter, pw_error *error)
{
    const pw_plan_facts *facts = &plan->facts;
    FAIL_IF(exporter->walls && facts->image != NULL, error, PW_BAD_INPUT,
            "%s: the walls of this plan are pixels of '%s', which %s cannot hold: it is written from shapes. "
            "`planwave import` makes shapes of a picture",
            plan->scenario.file, facts->image, exporter->name);
    FAIL_IF(exporter->one_storey && plan->first != plan->last, error, PW_BAD_INPUT,
            "%s: %s holds one storey, and the plan has %d: say which, as in --storey '%s'", plan->scenario.file,
            exporter->name, facts->storey_count, pw_scenario_describe_storey(plan->whole, 0).name);
    return PW_OK;
}

pw_status pw_plan_export(const pw_scenario *scenario, const char *storey, const char *path, FILE *report,
                         pw_error *error)
{
    FAIL_IF(scenario == NULL || path == NULL, error, PW_USAGE, "%s: no %s", __func__,
            path == NULL ? "path" : "scenario");
    const struct plan_exporter *exporter = exporter_of(path, error);
    OWNED_BY(exported_plan_free) struct exported_plan plan = {0};
    if (exporter == NULL) {
        return PW_BAD_INPUT;
    }
    TRY(exported_plan_make(scenario, storey, &plan, error));
    plan.report = report;
    TRY(plan_check(&plan, exporter, error));
    FILE *file = pw_file_create(path, error);
    TRY_MADE(file);
    return pw_file_conclude(file, path, exporter->write(&plan, file, error), error);
}
