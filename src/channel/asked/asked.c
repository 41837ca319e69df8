/* Between the frequencies of a lattice (asked.h). */
#include "channel/asked/asked.h"

#include "base/numbers/prediction.h"

#include <math.h>
#include <string.h>

enum { DELAYS = 512, MORE_MOST = 256 };
static const double ERROR_MOST = 0.1, ERROR_SMALL = 0.01; /* relative: refused; of the number that is advised */
static const double ON_LATTICE = 1e-6;                    /* of the spacing: the same frequency */

/* The power that is expected by delay. */
struct prior {
    double first, step; /* s */
    double power[DELAYS];
};

static struct prior prior_make(const struct channel_band *observed)
{
    const double width = 1.0 / (observed->bin * observed->options.padding), period = 1.0 / observed->spacing;
    const double end = observed->observed && isfinite(observed->run_end) ? observed->run_end : period;
    struct prior prior = {.first = -2.0 / width}; /* what the pulse spreads to earlier delays */
    prior.step = (fmax(end, 4.0 / width) - prior.first) / DELAYS;
    for (int n = 0; n < DELAYS; n++) {
        const double bin = fmax(0.0, prior.first + (n + 0.5) * prior.step) / observed->bin;
        prior.power[n] = observed->observed ? observed->energy[(int)fmin(bin, observed->energy_count - 1)] : 1.0;
    }
    return prior;
}

/* The mean of H(f + apart) conj H(f). */
static double complex covariance(const struct prior *prior, double apart)
{
    double complex sum = 0.0, turn = cexp(-2.0 * M_PI * I * apart * prior->step);
    double complex phasor = cexp(-2.0 * M_PI * I * apart * (prior->first + 0.5 * prior->step));
    for (int n = 0; n < DELAYS; n++) {
        sum += prior->power[n] * phasor;
        phasor *= turn;
    }
    return sum;
}

static struct prediction prediction_of(const struct prior *prior, double spacing, int points)
{
    double complex between[PREDICTION_MOST];
    for (int k = 0; k < points; k++) {
        between[k] = covariance(prior, k * spacing);
    }
    return prediction_make(points, between);
}

/* The mean square error at `x` points from the first. */
static double weights_at(const struct prior *prior, const struct prediction *prediction, double spacing, double x,
                         double complex *weight)
{
    double complex toward[PREDICTION_MOST];
    for (int k = 0; k < prediction->count; k++) {
        toward[k] = covariance(prior, (x - k) * spacing);
    }
    return prediction_weights(prediction, toward, weight);
}

/* Too few frequencies: how many would do. */
static pw_status few_fail(const struct channel_band *lattice, const struct prior *prior, double relative,
                          pw_error *error)
{
    double complex weight[PREDICTION_MOST];
    int more = 2;
    for (; more < MORE_MOST; more *= 2) {
        const double spacing = lattice->spacing / more;
        const struct prediction prediction = prediction_of(prior, spacing, PREDICTION_MOST);
        if (weights_at(prior, &prediction, spacing, PREDICTION_MOST / 2 - 0.5, weight) < ERROR_SMALL * ERROR_SMALL) {
            break;
        }
    }
    return fail(
        error, PW_BAD_INPUT,
        "between frequencies of the spectra %.6g MHz apart the response of this building is not known: the "
        "estimated error is %.0f %%, allowed are %.0f %%. spectra.count: %d would do, or a receiver with record: "
        "steps, which has every frequency",
        1e-6 * lattice->spacing, 100.0 * relative, 100.0 * ERROR_MOST, more * lattice->frequency_count);
}

pw_status asked_check(const struct channel_band *band, const double *frequency, int count, int ends[2], pw_error *error)
{
    ends[0] = 0;
    ends[1] = band->frequency_count - 1;
    while (ends[0] < ends[1] && !band->usable[ends[0]]) {
        ends[0]++;
    }
    while (ends[1] > ends[0] && !band->usable[ends[1]]) {
        ends[1]--;
    }
    const double low = band->frequency[ends[0]], high = band->frequency[ends[1]], near = ON_LATTICE * band->spacing;
    for (int n = 0; n < count; n++) {
        FAIL_IF(!(frequency[n] >= low - near && frequency[n] <= high + near), error, PW_BAD_INPUT,
                "%.9g MHz is outside the frequencies that were solved, %.9g to %.9g MHz: a larger band.width, "
                "or another middle, as in 64x312.5kHz@5.25GHz",
                1e-6 * frequency[n], 1e-6 * low, 1e-6 * high);
    }
    return PW_OK;
}

static pw_status asked_fill(const struct channel_band *lattice, const struct prior *prior, const double *frequency,
                            struct asked *asked, pw_error *error)
{
    int ends[2];
    TRY(asked_check(lattice, frequency, asked->count, ends, error));
    const int points = (int)fmin(PREDICTION_MOST, ends[1] - ends[0] + 1);
    const struct prediction prediction = prediction_of(prior, lattice->spacing, points);
    double sum = 0.0;
    asked->points = points;
    for (int n = 0; n < asked->count; n++) {
        double complex *weight = asked->weight + (size_t)n * PREDICTION_MOST;
        const double x = (frequency[n] - lattice->frequency[0]) / lattice->spacing;
        int first = (int)fmin(fmax(floor(x) - points / 2 + 1, ends[0]), ends[1] - points + 1);
        asked->first[n] = first;
        if (fabs(x - round(x)) <= ON_LATTICE) {
            weight[(int)round(x) - first] = 1.0;
        } else {
            sum += weights_at(prior, &prediction, lattice->spacing, x - first, weight);
        }
    }
    asked->error = sqrt(sum / asked->count);
    return asked->error > ERROR_MOST ? few_fail(lattice, prior, asked->error, error) : PW_OK;
}

pw_status asked_create(const struct channel_band *lattice, const struct channel_band *observed, const double *frequency,
                       int count, struct asked *asked, pw_error *error)
{
    *asked = (struct asked){.count = count};
    FAIL_IF(lattice->tap_count == 0, error, PW_BAD_INPUT,
            "%d frequencies were solved; at least %d are needed to know those between them", lattice->frequency_count,
            MINIMUM_FREQUENCIES);
    asked->first = allocate((size_t)count, sizeof *asked->first, "frequencies", error);
    asked->weight = allocate((size_t)count * PREDICTION_MOST, sizeof *asked->weight, "frequencies", error);
    pw_status status = asked->first != NULL && asked->weight != NULL ? PW_OK : PW_NO_RESOURCE;
    if (status == PW_OK) {
        const struct prior prior = prior_make(observed);
        status = asked_fill(lattice, &prior, frequency, asked, error);
    }
    if (status != PW_OK) {
        asked_free(asked);
    }
    return status;
}

void asked_free(struct asked *asked)
{
    FREE_ALL(asked->first, asked->weight);
    *asked = (struct asked){0};
}

void asked_take(const struct asked *asked, const double *response, double *out)
{
    for (int n = 0; n < asked->count; n++) {
        const double complex *weight = asked->weight + (size_t)n * PREDICTION_MOST;
        double complex sum = 0.0;
        for (int k = 0; k < asked->points; k++) {
            const double *value = response + 2 * (size_t)(asked->first[n] + k);
            sum += weight[k] != 0.0 ? weight[k] * (value[0] + I * value[1]) : 0.0; /* not a product with zero */
        }
        out[2 * n] = creal(sum);
        out[2 * n + 1] = cimag(sum);
    }
}
