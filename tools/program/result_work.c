/* What commands that make something of a result have in common: open it, look at the names, work, complain. */
#include "program/tool.h"

#include <math.h>

static pw_status check_names(const struct result_task *task)
{
    if (task->output == NULL) {
        return PW_OK;
    }
    return task->kind == OUTPUT_MAP ? check_picture(task->output, task->force, true)
                                    : check_output(task->output, task->force);
}

void warn_user(const char *message, void *user)
{
    (void)user;
    complain("warning: %s", message);
}

/* A height that was not kept: which plane stands for it. */
static void tell_height(const pw_result *result, int sheet, double height)
{
    pw_sheet plane;
    pw_error ignored;
    const double same = 0.005; /* m */
    if (!isnan(height) && pw_result_sheet_describe(result, sheet, &plane, &ignored) == PW_OK &&
        fabs(plane.asked - height) > same) {
        complain("warning: no plane was kept at a height of %.4g m: this is the one at %.4g m", height, plane.asked);
    }
}

static pw_status sheet_choose(pw_result *result, const pw_sheet_choice *choice, pw_error *error)
{
    int sheet;
    pw_status status = pw_result_sheet_find(result, choice, &sheet, error);
    if (status == PW_OK && sheet != pw_result_sheet_chosen(result)) {
        status = pw_result_sheet_choose(result, sheet, error);
    }
    if (status == PW_OK) {
        tell_height(result, sheet, choice->height);
    }
    return status == PW_OK ? PW_OK : complain_error(status, error);
}

pw_status result_work(const struct result_task *task)
{
    pw_error error = {{0}};
    PW_OWNED_AS(pw_result) *result = NULL;
    pw_status status = pw_result_open(task->result, &result, &error);
    if (status != PW_OK) {
        return complain_error(status, &error);
    }
    PW_TRY(check_names(task));
    PW_TRY(task->sheet != NULL ? sheet_choose(result, task->sheet, &error) : PW_OK);
    pw_result_doubts(result, warn_user, NULL);
    error = (pw_error){{0}};
    status = task->work(result, task->request, task->verbosity < 0 ? NULL : stdout, &error);
    if (status != PW_OK && error.message[0] != '\0') { /* else the work has complained itself */
        complain_error(status, &error);
    }
    return status;
}
