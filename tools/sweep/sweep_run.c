/* One case: how far it is, and from its values to its output. */
#include "sweep/sweep.h"

#include <stdio.h>

pw_status case_look(const struct sweep *sweep, const pw_sweep_case *of, const pw_scenario *scenario,
                    pw_sweep_state *state, pw_error *reason, pw_error *error)
{
    static const pw_sweep_state STATES[] = {[PW_RUN_MISSING] = PW_SWEEP_MISSING,
                                            [PW_RUN_STARTED] = PW_SWEEP_STARTED,
                                            [PW_RUN_DONE] = PW_SWEEP_DONE,
                                            [PW_RUN_OTHER] = PW_SWEEP_OTHER,
                                            [PW_RUN_DAMAGED] = PW_SWEEP_DAMAGED};
    pw_run_state found;
    TRY(pw_run_look(of->output, scenario, sweep->precision, &found, reason, error));
    *state = STATES[found];
    return PW_OK;
}

pw_status pw_sweep_case_look(const pw_sweep *sweep, int64_t index, pw_sweep_state *state, pw_error *reason,
                             pw_error *error)
{
    OWNED_AS(pw_sweep_case) *made = NULL;
    OWNED_AS(pw_scenario) *scenario = NULL;
    TRY(pw_sweep_case_create(sweep, index, &made, error));
    TRY(case_load(sweep, made, &scenario, error));
    return case_look(sweep, made, scenario, state, reason, error);
}

/* Whether there is something to do, or why not, and whether it goes on from a saved state. */
static pw_status case_begin(const struct sweep *sweep, const pw_sweep_case *of, const pw_scenario *scenario,
                            pw_run_options *options, bool *skipped, pw_error *error)
{
    pw_sweep_state state;
    pw_error reason;
    *skipped = false;
    TRY(case_look(sweep, of, scenario, &state, &reason, error));
    options->resume = state == PW_SWEEP_STARTED && !options->force;
    if (options->force || state == PW_SWEEP_MISSING || state == PW_SWEEP_STARTED) {
        return PW_OK;
    }
    if (state == PW_SWEEP_DONE) {
        pw_run_forget(of->output);
        *skipped = true;
        return PW_OK;
    }
    FAIL_IF(state == PW_SWEEP_DAMAGED, error, PW_BAD_INPUT, "%.700s; --force replaces it", reason.message);
    return fail(error, PW_BAD_INPUT, "'%s' is the output of something else: %.600s; --force replaces it", of->output,
                reason.message);
}

static pw_status case_solve(const struct sweep *sweep, const pw_sweep_case *of, const pw_scenario *scenario,
                            bool strict, const pw_run_options *options, pw_error *error)
{
    OWNED_AS(pw_setup) *setup = NULL;
    TRY(pw_setup_create(scenario, sweep->precision, strict, &setup, error));
    for (size_t w = 0; w < pw_setup_warning_count(setup) && options->note != NULL; w++) {
        char message[1200];
        snprintf(message, sizeof message, "warning: %.1100s", pw_setup_warning(setup, w));
        options->note(message, options->user);
    }
    return pw_run(setup, options, of->output, error);
}

pw_status pw_sweep_run_case(const pw_sweep *sweep, int64_t index, bool strict, const pw_run_options *options,
                            bool *skipped, pw_error *error)
{
    OWNED_AS(pw_sweep_case) *made = NULL;
    OWNED_AS(pw_scenario) *scenario = NULL;
    pw_run_options own = *options;
    *skipped = false;
    TRY(pw_sweep_case_create(sweep, index, &made, error));
    TRY(case_load(sweep, made, &scenario, error));
    TRY(case_begin(sweep, made, scenario, &own, skipped, error));
    if (!*skipped) {
        TRY(pw_sweep_make_folder(sweep, error));
        TRY(case_solve(sweep, made, scenario, strict, &own, error));
    }
    return PW_OK;
}
