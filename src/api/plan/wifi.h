/* Channels of Wi-Fi: which part of the spectrum an access point sends in, so that those on others do not interfere.
 *
 *     PW_TRY(pw_wifi_channel_find(5.25e9, 36, 80e6, &channel, error));   42's 80 MHz: 5.17 to 5.25 GHz
 */
#ifndef PLANWAVE_WIFI_H
#define PLANWAVE_WIFI_H

#include "api/base.h"

PW_C_BEGIN

typedef struct pw_wifi_channel {
    int number;           /* as it was named; 0: no channel is known */
    double band;          /* Hz: 2.4e9, 5e9 or 6e9 */
    double centre, width; /* Hz: what it occupies */
} pw_wifi_channel;

/* The channel `number` of the band in which, or near which, the frequency `near` [Hz] lies; IEEE 802.11-2020, annex E.
 * `width` is 20, 40, 80 or 160 MHz, in the band of 6 GHz 320 MHz as well. Over 20 MHz the number is that of the whole
 * (42 of 80 MHz) or, up to 160 MHz, of any 20 MHz in it (36); in the band of 2.4 GHz it is the middle. PW_BAD_INPUT:
 * no such channel. */
pw_status pw_wifi_channel_find(double near, int number, double width, pw_wifi_channel *channel, pw_error *error);

/* The band of a frequency [Hz], and of 20 MHz the channel whose middle is at most 10 MHz off; number 0: none, band 0:
 * in none. */
pw_wifi_channel pw_wifi_channel_at(double frequency);

/* The band that a frequency [Hz] can stand for, from a tenth under its lower edge to a tenth over its upper one: of two
 * the one that it lies in. 0: none. */
double pw_wifi_band_near(double frequency);

/* How much of the power of `sender` a receiver on `own` takes in: the part of the sender's width that lies in its own,
 * 1 where one of them is not known. */
double pw_wifi_overlap(const pw_wifi_channel *sender, const pw_wifi_channel *own);

/* "36", "36 of 5 GHz, 80 MHz wide" or "" where none is known. */
enum { PW_WIFI_TEXT = 64 };
const char *pw_wifi_channel_text(const pw_wifi_channel *channel, char text[PW_WIFI_TEXT]);

PW_C_END

#endif
