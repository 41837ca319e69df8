/* Any text as a scenario: refused with a sentence, or one whose resolved text reads back to itself. */
#include <string.h>

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = malloc(size + 1);
    FUZZ_MUST(text != NULL);
    memcpy(text, bytes, size);
    text[size] = '\0';
    pw_scenario *scenario = NULL, *again = NULL;
    pw_error error = {""};
    pw_status status = pw_scenario_parse("fuzz", text, NULL, 0, &scenario, &error);
    fuzz_check(status, &error);
    if (status == PW_OK) {
        status = pw_scenario_parse("resolved", pw_scenario_text(scenario), NULL, 0, &again, &error);
        if (status != PW_OK) {
            fprintf(stderr, "%s\n%s\n", error.message, pw_scenario_text(scenario));
        }
        FUZZ_MUST(status == PW_OK);
        FUZZ_MUST(strcmp(pw_scenario_text(scenario), pw_scenario_text(again)) == 0);
        pw_scenario_free(again);
        pw_scenario_free(scenario);
    }
    /* The same bytes once more as an override of a scenario that is good. */
    static const char GOOD[] = "plan: {size: [1 m, 1 m]}\ngrid: {cell: 1 cm}\nband: {centre: 1 GHz, width: 100 MHz}\n"
                               "transmitters: [{name: a, at: [0.5 m, 0.5 m]}]\nstop: {steps: 10}\n";
    const char *override = text;
    scenario = NULL;
    status = pw_scenario_parse("override", GOOD, &override, 1, &scenario, &error);
    fuzz_check(status, &error);
    if (status == PW_OK) {
        pw_scenario_free(scenario);
    }
    free(text);
    return 0;
}
