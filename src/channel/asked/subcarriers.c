/* Subcarriers by how many and how far apart, or by the name of a signal (api/pairs.h). */
#include "api/pairs.h"
#include "base/status.h"
#include "base/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUBCARRIERS_MOST = 1 << 20 };

/* Equally spaced subcarriers `first` to `last` on both sides of the middle of each of `parts` parts of a channel, whose
 * middles are `shift` subcarriers apart. */
struct shape {
    double spacing; /* Hz */
    int first, last, parts, shift;
};

/* All subcarriers that carry something, pilots too. IEEE 802.11-2020, tables 19-6 and 21-5 (n and ac: HT and VHT);
 * IEEE 802.11ax-2021, section 27.3.10 (HE, one user over the whole channel); IEEE 802.11be-2024, section 36.3.2. */
static const struct wifi {
    const char *name;
    struct shape shape;
} WIFI[] = {{"wifi-20", {312.5e3, 1, 28, 1, 0}},       {"wifi-40", {312.5e3, 2, 58, 1, 0}},
            {"wifi-80", {312.5e3, 2, 122, 1, 0}},      {"wifi-160", {312.5e3, 2, 122, 2, 256}},
            {"wifi6-20", {78.125e3, 2, 122, 1, 0}},    {"wifi6-40", {78.125e3, 3, 244, 1, 0}},
            {"wifi6-80", {78.125e3, 3, 500, 1, 0}},    {"wifi6-160", {78.125e3, 3, 500, 2, 1024}},
            {"wifi7-320", {78.125e3, 3, 500, 4, 1024}}};
enum { WIFI_COUNT = sizeof WIFI / sizeof *WIFI };

/* Resource blocks of 12 subcarriers by channel width [MHz] and subcarrier spacing [kHz]: 3GPP TS 38.101-1 and 38.101-2
 * (frequency ranges 1 and 2), table 5.3.2-1. Subcarrier k lies (k - 6 blocks) spacings from the carrier: TS 38.211
 * section 5.3.1. */
static const struct nr {
    int width, spacing, blocks;
} NR[] = {{5, 15, 25},     {10, 15, 52},   {15, 15, 79},   {20, 15, 106},  {25, 15, 133}, {30, 15, 160},
          {40, 15, 216},   {50, 15, 270},  {5, 30, 11},    {10, 30, 24},   {15, 30, 38},  {20, 30, 51},
          {25, 30, 65},    {30, 30, 78},   {40, 30, 106},  {50, 30, 133},  {60, 30, 162}, {70, 30, 189},
          {80, 30, 217},   {90, 30, 245},  {100, 30, 273}, {10, 60, 11},   {15, 60, 18},  {20, 60, 24},
          {25, 60, 31},    {30, 60, 38},   {40, 60, 51},   {50, 60, 65},   {60, 60, 79},  {70, 60, 93},
          {80, 60, 107},   {90, 60, 121},  {100, 60, 135}, {200, 60, 264}, {50, 120, 32}, {100, 120, 66},
          {200, 120, 132}, {400, 120, 264}};
enum { NR_COUNT = sizeof NR / sizeof *NR };

const char *pw_subcarriers_names(void)
{
    return "wifi-20, -40, -80, -160 (802.11n, ac); wifi6-20, -40, -80, -160 (ax); wifi7-320 (be); nr-20MHz-15kHz, "
           "nr-100MHz-30kHz, ... (5G)";
}

static void add(double middle, double spacing, int index, double *frequency, int *count)
{
    if (frequency != NULL) {
        frequency[*count] = middle + index * spacing;
    }
    ++*count;
}

static void shape_fill(const struct shape *shape, double centre, double *frequency, int *count)
{
    for (int part = 0; part < shape->parts; part++) {
        const double middle = centre + (part - 0.5 * (shape->parts - 1)) * shape->shift * shape->spacing;
        for (int k = -shape->last; k <= shape->last; k++) {
            if (abs(k) >= shape->first) {
                add(middle, shape->spacing, k, frequency, count);
            }
        }
    }
}

/* "nr-100MHz-30kHz". */
static const struct nr *nr_find(const char *name)
{
    char known[32];
    for (int n = 0; n < NR_COUNT; n++) {
        snprintf(known, sizeof known, "nr-%dMHz-%dkHz", NR[n].width, NR[n].spacing);
        if (strcmp(known, name) == 0) {
            return &NR[n];
        }
    }
    return NULL;
}

/* "64x312.5kHz": an even number as an inverse Fourier transform has them, -32 to 31. */
static pw_status plain_fill(const char *name, double centre, double *frequency, int *count, pw_error *error)
{
    char *rest;
    const long number = strtol(name, &rest, 10);
    double spacing;
    pw_error reason;
    FAIL_IF(rest == name || *rest != 'x' ||
                quantity_parse(rest + 1, PW_DIMENSION_FREQUENCY, &spacing, &reason) != PW_OK || number < 1 ||
                number > SUBCARRIERS_MOST || !(spacing > 0.0),
            error, PW_USAGE, "subcarriers '%.60s': give 1 to %d and their spacing, as in 64x312.5kHz, or a name: %s",
            name, SUBCARRIERS_MOST, pw_subcarriers_names());
    for (long n = 0; n < number; n++) {
        add(centre, spacing, (int)(n - number / 2), frequency, count);
    }
    return PW_OK;
}

pw_status pw_subcarriers(const char *text, double centre, double *frequency, int *count, pw_error *error)
{
    char name[64];
    FAIL_IF(text == NULL || count == NULL || strlen(text) >= sizeof name, error, PW_USAGE,
            "subcarriers '%.60s': none are called so; known: %s", text != NULL ? text : "", pw_subcarriers_names());
    strcpy(name, text);
    char *at = strchr(name, '@');
    *count = 0;
    if (at != NULL) {
        *at = '\0';
        TRY(quantity_parse(at + 1, PW_DIMENSION_FREQUENCY, &centre, error));
    }
    for (int n = 0; n < WIFI_COUNT; n++) {
        if (strcmp(WIFI[n].name, name) == 0) {
            shape_fill(&WIFI[n].shape, centre, frequency, count);
            return PW_OK;
        }
    }
    const struct nr *nr = nr_find(name);
    for (int k = 0; nr != NULL && k < 12 * nr->blocks; k++) {
        add(centre, 1e3 * nr->spacing, k - 6 * nr->blocks, frequency, count);
    }
    return nr != NULL ? PW_OK : plain_fill(name, centre, frequency, count, error);
}
