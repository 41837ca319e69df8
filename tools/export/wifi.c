/* Bands and channels of IEEE 802.11 (wifi.h), after IEEE 802.11-2020, annex E. */
#include "export/wifi.h"

#include <math.h>
#include <stddef.h>

static const struct {
    const char *name;
    double low, high;         /* MHz: the band's edges */
    double base;              /* MHz: channel n lies at base + 5 n */
    int first, last, between; /* channels of 20 MHz */
} BANDS[] = {{"FREQ_2.4GHZ", 2400, 2500, 2407, 1, 13, 1},
             {"FREQ_5GHZ", 5150, 5350, 5000, 36, 64, 4},
             {"FREQ_5GHZ", 5470, 5730, 5000, 100, 144, 4},
             {"FREQ_5GHZ", 5730, 5925, 5000, 149, 177, 4},
             {"FREQ_6GHZ", 5925, 7125, 5950, 1, 233, 4}};

struct wifi_place wifi_place_of(double frequency)
{
    struct wifi_place place = {NULL, 0};
    double megahertz = frequency * 1e-6;
    for (size_t b = 0; b < sizeof BANDS / sizeof BANDS[0] && place.band == NULL; b++) {
        if (megahertz >= BANDS[b].low && megahertz <= BANDS[b].high) {
            double step = 5.0 * BANDS[b].between;
            double steps = round((megahertz - BANDS[b].base - 5.0 * BANDS[b].first) / step);
            int channel = BANDS[b].first + BANDS[b].between * (int)steps;
            double off = fabs(megahertz - BANDS[b].base - 5.0 * channel);
            place.band = BANDS[b].name;
            place.channel = channel >= BANDS[b].first && channel <= BANDS[b].last && off <= 10 ? channel : 0;
        }
    }
    return place;
}
