/* Which band and channel of IEEE 802.11 a frequency lies in. */
#ifndef WIFI_H
#define WIFI_H

struct wifi_place {
    const char *band; /* as OpenIntent writes it, "FREQ_5GHZ"; NULL: in none */
    int channel;      /* the one of 20 MHz whose middle is nearest, at most 10 MHz off; 0: none */
};

struct wifi_place wifi_place_of(double frequency); /* Hz */

#endif
