/* Channels of IEEE 802.11 as frequencies. */
#pragma once

/* The frequency bands of wireless networks, by the number that people call them: 2 (2.4 GHz), 5 and 6. */
enum wifi_band { WIFI_BAND_NONE = 0, WIFI_BAND_TWO = 2, WIFI_BAND_FIVE = 5, WIFI_BAND_SIX = 6 };

/* Hz at the middle of a band, where losses of walls are stated for a band; NAN for none. */
double wifi_band_frequency(enum wifi_band band);

/* Centre frequency [Hz] of a channel of 20 MHz (IEEE 802.11-2020, 15.4.4, 17.3.8.4 and 802.11ax-2021, 27.3.23); without
 * a band that of 2.4 or 5 GHz which has the channel. NAN where none has. */
double wifi_channel_frequency(enum wifi_band band, double channel);
