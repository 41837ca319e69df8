/* Channels as frequencies (wifi_channel.h). */
#include "drawing/json/wifi_channel.h"

#include <math.h>

double wifi_band_frequency(enum wifi_band band)
{
    switch (band) {
    case WIFI_BAND_TWO:
        return 2.44e9;
    case WIFI_BAND_FIVE:
        return 5.5e9;
    case WIFI_BAND_SIX:
        return 6.5e9;
    case WIFI_BAND_NONE:
        break;
    }
    return NAN;
}

double wifi_channel_frequency(enum wifi_band band, double channel)
{
    if (!(channel >= 1 && channel <= 233 && channel == floor(channel))) {
        return NAN;
    }
    if (band == WIFI_BAND_NONE) {
        band = channel <= 14 ? WIFI_BAND_TWO : WIFI_BAND_FIVE;
    }
    switch (band) {
    case WIFI_BAND_TWO:
        return channel == 14 ? 2.484e9 : channel < 14 ? (2407 + 5 * channel) * 1e6 : NAN;
    case WIFI_BAND_FIVE:
        return channel >= 32 && channel <= 177 ? (5000 + 5 * channel) * 1e6 : NAN;
    default:
        return (5950 + 5 * channel) * 1e6;
    }
}
