/* Tapped delay lines (taps.h), and taps whose sum is the transfer function (channel.h). */
#include "channel/taps.h"

#include "base/constants.h"

#include <complex.h>
#include <fftw3.h>
#include <math.h>

int channel_taps(const struct channel_link *link, struct channel_tap *taps, int limit)
{
    const struct channel_band *band = &link->band;
    const double *power = link->channel.power;
    int count = 0, n = 0, taps_end = band->tap_count;
    double total = 0.0;
    for (int k = 0; k < taps_end; k++) {
        total += power[k] >= link->delays.threshold ? power[k] : 0.0;
    }
    while (n < taps_end) {
        if (!(power[n] >= link->delays.threshold)) {
            n++;
            continue;
        }
        /* Up a slope and down again; the bin of the minimum belongs to what follows. */
        double sum = 0.0, moment = 0.0;
        bool falling = false;
        for (int first = n; n < taps_end && power[n] >= link->delays.threshold; n++) {
            if (n > first && power[n] > power[n - 1] && falling) {
                break;
            }
            falling = n > first && power[n] < power[n - 1];
            sum += power[n];
            moment += power[n] * channel_arrival(&link->channel, channel_delay(band, n));
        }
        if (count < limit) {
            taps[count] = (struct channel_tap){.delay = moment / sum, .power = sum / total};
        }
        count++;
    }
    return count;
}

/* Takes the direct path out of the transfer function that was transformed last; the taps of the rest go to `circular`.
 * Returns its amplitude, with the phase at the lower band edge. */
static double complex rest_transform(const struct channel_band *band, struct channel *channel)
{
    const double turn = 2.0 * M_PI * band->spacing * channel->distance / SPEED_OF_LIGHT;
    const int count = band->frequency_count;
    double complex *values = (double complex *)channel->padded, direct = 0.0;
    double weights = 0.0;
    for (int f = 0; f < count; f++) {
        const double weight = band->usable[f] ? 1.0 - cos(2.0 * M_PI * (f + 0.5) / count) : 0.0; /* Hann */
        direct += weight * values[f] * cexp(I * turn * f);
        weights += weight;
    }
    direct *= weights > 0.0 ? 1.0 / weights : 0.0;
    for (int f = 0; f < count; f++) {
        values[f] -= band->usable[f] ? direct * cexp(-I * turn * f) : 0.0;
    }
    fftw_execute_dft(band->plan, (fftw_complex *)channel->padded, (fftw_complex *)channel->circular);
    return direct * band->usable_count;
}

/* From the lower band edge, where the transform counts from, to the middle. */
static double complex to_middle(const struct channel_band *band, double delay)
{
    return cexp(-2.0 * I * M_PI * (band->centre - band->frequency[0]) * delay);
}

/* Taps by delay. With heights delays are no longer equally spaced, and taps of one path would not add up to it: then
 * the direct path has a tap of its own, at its own delay. */
static void taps_by_delay(const struct channel_band *band, struct channel *channel, double complex *taps, double *delay)
{
    const double nearest = SPEED_OF_LIGHT / (2.0 * M_PI * band->centre), arrival = channel->distance / SPEED_OF_LIGHT;
    const bool slanted = slant_counts(&channel->slant), moved = channel->slant.rise != 0.0;
    const double factor = slanted ? channel->direct.factor : 1.0 / fmax(channel->distance, nearest),
                 share = (double)band->usable_count / band->frequency_count; /* masked frequencies stay zero */
    const double complex direct = rest_transform(band, channel);
    for (int n = 0; n < band->tap_count; n++) {
        const double solved = channel_delay(band, n);
        const int at = 2 * (n < band->guard ? n - band->guard + band->tap_count : n - band->guard);
        const double own = solved <= arrival ? factor
                           : slanted         ? channel->slanted[n]
                                             : fmin(band->spreading[n], factor);
        const double complex all = channel->impulse[2 * n] + I * channel->impulse[2 * n + 1],
                             rest = channel->circular[at] + I * channel->circular[at + 1];
        taps[n] = share * to_middle(band, solved) *
                  (moved ? sqrt(own) * rest : sqrt(factor) * all + (sqrt(own) - sqrt(factor)) * rest);
        delay[n] = channel_arrival(channel, solved);
    }
    if (moved) {
        const int at = (int)fmin(round(arrival / band->bin) + band->guard, band->tap_count - 1);
        taps[at] += sqrt(factor) * to_middle(band, arrival) * direct;
        delay[at] = channel_arrival(channel, arrival);
    }
}

void channel_taps_fill(const struct channel_band *band, struct channel *channel, double *taps, double *delay)
{
    if (band->options.spreading == PW_SPREADING_DELAY && band->tap_count > 0) {
        taps_by_delay(band, channel, (double complex *)taps, delay);
        return;
    }
    const double share = (double)band->usable_count / band->frequency_count;
    for (int n = 0; n < band->tap_count; n++) {
        const double solved = channel_delay(band, n);
        delay[n] = channel_arrival(channel, solved);
        channel_coefficient(band, channel, n, solved, &taps[2 * n], &taps[2 * n + 1]);
        taps[2 * n] *= share;
        taps[2 * n + 1] *= share;
    }
}
