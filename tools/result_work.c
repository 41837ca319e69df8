/* What commands that make something of a result have in common: open it, look at the names, work, complain. */
#include "tools/tool.h"

static pw_status check_names(const struct result_task *task)
{
    pw_status status = PW_OK;
    if (task->output == NULL) {
        return PW_OK;
    }
    if (task->also != NULL) {
        status = check_output(task->output, task->also, task->force);
    }
    if (status != PW_OK) {
        return status;
    }
    return task->kind == OUTPUT_MAP ? check_picture(task->output, task->result, task->force, true)
                                    : check_output(task->output, task->result, task->force);
}

void warn_user(const char *message, void *user)
{
    (void)user;
    complain("warning: %s", message);
}

pw_status result_work(const struct result_task *task)
{
    pw_error error = {{0}};
    pw_result *result = NULL;
    pw_status status = pw_result_open(task->result, &result, &error);
    if (status != PW_OK) {
        return complain_error(status, &error);
    }
    status = check_names(task);
    if (status == PW_OK) {
        status = task->work(result, task->request, task->verbosity < 0 ? NULL : stdout, &error);
        if (status != PW_OK && error.message[0] != '\0') { /* else the work has complained itself */
            complain_error(status, &error);
        }
    }
    pw_result_close(result);
    return status;
}
