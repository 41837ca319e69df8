/* Any bytes as a far-field file: refused with a sentence, or a field that is 1 at most and sums to something. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/antenna/antenna_field.h"
#include "scenario/antenna/field_file.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const struct field_axes AXES = {0, 2};
    struct antenna_pattern pattern;
    pw_error error = {""};
    char *text = calloc(size + 1, 1);
    FUZZ_MUST(text != NULL);
    memcpy(text, bytes, size);
    const bool cst = memchr(text, '/', size) != NULL;
    pw_status status = field_text_read(cst ? "fuzz.ffs" : "fuzz.ffe", text, &AXES, 1e9, &pattern, &error);
    fuzz_check(status, &error);
    if (status == PW_OK) {
        const double power = antenna_own_power(&pattern, (const double[]){0.6, 0, 0.8});
        FUZZ_MUST(power >= 0 && power < 10 && !isnan(pattern.gain));
        antenna_pattern_free(&pattern);
    }
    free(text);
    return 0;
}
