/* Any file as a result: refused with a sentence, or everything in it is read and printed, and it compares with itself.
 */
#include "result/result.h"
#include "tests/fuzz/fuzz.h"

/* Larger arrays than a file of a fuzzer's size can honestly hold are the reader's to refuse. */
static double *room(double count)
{
    FUZZ_MUST(count >= 0 && count < 1e8);
    double *values = malloc(((size_t)count + 1) * sizeof *values);
    FUZZ_MUST(values != NULL);
    return values;
}

static void read_transmitter(const pw_result *result, int t)
{
    const struct result_transmitter *transmitter = &result->transmitters[t];
    pw_error error = {""};
    for (int r = 0; r < transmitter->receiver_count; r++) {
        double *ez = room((double)transmitter->samples);
        fuzz_check(result_read_receiver(result, t, r, ez, &error), &error);
        free(ez);
    }
    if (transmitter->rows > 0) {
        double *spectra = room(2.0 * result->frequency_count * transmitter->rows * transmitter->columns);
        fuzz_check(result_read_spectra(result, t, 0, transmitter->rows, 0, transmitter->columns, spectra, &error),
                   &error);
        free(spectra);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static FILE *nowhere;
    if (nowhere == NULL) {
        nowhere = fopen("/dev/null", "w");
        FUZZ_MUST(nowhere != NULL);
    }
    char path[64];
    fuzz_file(bytes, size, path);
    pw_result *result = NULL;
    pw_error error = {""};
    pw_status status = pw_result_open(path, &result, &error);
    fuzz_check(status, &error);
    if (status == PW_OK) {
        fuzz_check(pw_result_print(result, true, nowhere, &error), &error);
        fuzz_check(pw_result_print(result, false, nowhere, &error), &error);
        double *permittivity = room((double)result->nx * result->ny);
        fuzz_check(result_read_permittivity(result, permittivity, &error), &error);
        free(permittivity);
        for (int t = 0; t < result->transmitter_count; t++) {
            read_transmitter(result, t);
        }
        pw_result_close(result);
    }
    fuzz_check(pw_compare(path, path, 0, false, nowhere, &error), &error);
    unlink(path);
    return 0;
}
