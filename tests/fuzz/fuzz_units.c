/* Any text as a quantity of any dimension: refused with a sentence, or a finite number that is written and read back to
 * the same bits. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = malloc(size + 1);
    FUZZ_MUST(text != NULL);
    memcpy(text, bytes, size);
    text[size] = '\0';
    for (int d = PW_DIMENSION_NUMBER; d <= PW_DIMENSION_ANGLE; d++) {
        pw_dimension dimension = (pw_dimension)d;
        double value = 0, again = 0;
        char written[QUANTITY_SIZE];
        pw_error error = {""};
        pw_status status = quantity_parse(text, dimension, &value, &error);
        fuzz_check(status, &error);
        if (status == PW_OK) {
            FUZZ_MUST(isfinite(value));
            quantity_format(value, dimension, written);
            FUZZ_MUST(quantity_parse(written, dimension, &again, &error) == PW_OK);
            FUZZ_MUST(memcmp(&value, &again, sizeof value) == 0);
        }
    }
    free(text);
    return 0;
}
