/* Tapped delay lines (taps.h). */
#include "channel/taps.h"

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
