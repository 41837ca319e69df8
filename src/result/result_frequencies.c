/* A result at other frequencies than those of its running spectra: the spectrum of what drives a transmitter, and so
 * the fields of receivers that were recorded at every step. */
#include "result/result_reading.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the transform is taken for the frequency [Hz]: where the result's own were, warped or not. */
static double omega_of(const struct result *result, double frequency)
{
    const double plain = 2.0 * M_PI * result->frequency[0], half = 0.5 * result->time_step;
    const bool warped = fabs(result->omega[0] - plain) > fabs(result->omega[0] - asin(plain * half) / half);
    return warped ? asin(2.0 * M_PI * frequency * half) / half : 2.0 * M_PI * frequency;
}

/* As pw_simulation_source_spectrum has it at the result's own. */
static pw_status current_transform(const struct result *result, int transmitter, const struct result *view,
                                   double *spectrum, pw_error *error)
{
    const struct result_transmitter *from = &result->transmitters[transmitter];
    char path[NAME_SIZE + 40];
    const hsize_t count = (hsize_t)from->samples;
    const struct stored what = {path, ELEMENT_REAL, 1, false};
    const double offset = from->sampled_at_step_end ? 1.0 : 0.5;
    double *current = allocate((size_t)count, sizeof *current, "a waveform", error);
    TRY_MADE(current);
    snprintf(path, sizeof path, "transmitters/%s/waveform", from->name);
    pw_status status = reading_stored(result, &what, (hsize_t[]){0}, &count, current, error);
#pragma omp parallel for schedule(static)
    for (int f = 0; f < (status == PW_OK ? view->frequency_count : 0); f++) {
        double re = 0.0, im = 0.0;
        for (int64_t n = 0; n < from->samples; n++) {
            if (current[n] != 0.0) {
                const double phase = fmod(view->omega[f] * ((double)n + offset) * result->time_step, 2.0 * M_PI);
                re += current[n] * cos(phase);
                im -= current[n] * sin(phase);
            }
        }
        spectrum[2 * f] = re * result->time_step;
        spectrum[2 * f + 1] = im * result->time_step;
    }
    free(current);
    return status;
}

pw_status result_at_frequencies(const struct result *result, int transmitter, const double *frequency, int count,
                                struct result *view, pw_error *error)
{
    *view = *result;
    view->frequency_count = count;
    view->frequency = allocate((size_t)count, sizeof *view->frequency, "frequencies", error);
    view->omega = allocate((size_t)count, sizeof *view->omega, "frequencies", error);
    view->transmitters = allocate((size_t)result->transmitter_count, sizeof *view->transmitters, "a result", error);
    double *spectrum = allocate(2 * (size_t)count, sizeof *spectrum, "a spectrum", error);
    pw_status status = view->frequency != NULL && view->omega != NULL && view->transmitters != NULL && spectrum != NULL
                           ? PW_OK
                           : PW_NO_RESOURCE;
    if (status == PW_OK) {
        memcpy(view->frequency, frequency, (size_t)count * sizeof *frequency);
        memcpy(view->transmitters, result->transmitters,
               (size_t)result->transmitter_count * sizeof *view->transmitters);
        for (int f = 0; f < count; f++) {
            view->omega[f] = omega_of(result, frequency[f]);
        }
        status = current_transform(result, transmitter, view, spectrum, error);
        view->transmitters[transmitter].spectrum = spectrum;
        spectrum = NULL;
    }
    free(spectrum);
    if (status != PW_OK) {
        result_at_frequencies_free(view, transmitter);
    }
    return status;
}

void result_at_frequencies_free(struct result *view, int transmitter)
{
    if (view->transmitters != NULL) {
        free(view->transmitters[transmitter].spectrum);
    }
    FREE_ALL(view->transmitters, view->frequency, view->omega);
    *view = (struct result){0};
}
