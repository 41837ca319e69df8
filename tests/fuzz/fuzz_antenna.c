/* Any bytes as a pattern in the Planet format: refused with a sentence, or two cuts of levels of 0 or less. */
#include <math.h>

#include "scenario/antenna/planet_file.h"
#include "tests/fuzz/fuzz.h"

static void check_cut(const struct antenna_cut *cut)
{
    FUZZ_MUST(cut->count >= 8 && cut->count <= CUT_LIMIT);
    for (int n = 0; n < cut->count; n++) {
        FUZZ_MUST(cut->level[n] <= 0 && cut->level[n] >= -300);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct antenna_pattern pattern;
    pw_error error = {""};
    pw_status status = planet_text_read("fuzz.msi", (const char *)bytes, size, &pattern, &error);
    fuzz_check(status, &error);
    if (status == PW_OK) {
        FUZZ_MUST(pattern.name[0] == '\0' || name_is_good(pattern.name));
        check_cut(&pattern.azimuth);
        check_cut(&pattern.elevation);
        const struct antenna antenna = {.kind = ANTENNA_PATTERN, .pattern = &pattern, .bearing = 1, .downtilt = 0.1};
        double level = antenna_level(&antenna, (const double[]){0.3, -2, 1});
        FUZZ_MUST(level <= 0 && level >= -300);
        antenna_pattern_free(&pattern);
    }
    return 0;
}
