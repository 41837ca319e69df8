/* Channels of Wi-Fi (api/plan/wifi.h) and the key `channel` of a transmitter. Numbers and middles: IEEE 802.11-2020,
 * annex E; those of 6 GHz IEEE 802.11ax-2021, of 320 MHz IEEE 802.11be-2024. */
#include <math.h>
#include <stdio.h>

#include "api/plan/wifi.h"
#include "scenario/scenario_read.h"

static const double MEGAHERTZ = 1e6;
enum { CHANNEL_14 = 14, MIDDLE_14 = 2484 };

/* Channel n lies at base + 5 n MHz. Wide channels are made of whole ones of 20 MHz from the first one on. */
static const struct segment {
    double band, low, high, base; /* band GHz, the others MHz: of a band with a gap both parts reach to its middle */
    int first, last, between;
    const char *allowed;
} SEGMENTS[] = {{2.4, 2400, 2500, 2407, 1, 13, 1, "1 to 14"},
                {5, 5150, 5410, 5000, 36, 64, 4, "36, 40, ... 64, 100, ... 144, 149, ... 177"},
                {5, 5410, 5732.5, 5000, 100, 144, 4, NULL},
                {5, 5732.5, 5925, 5000, 149, 177, 4, NULL},
                {6, 5925, 7125, 5950, 1, 233, 4, "1, 5, 9, ... 233"}};
enum { SEGMENT_COUNT = sizeof SEGMENTS / sizeof SEGMENTS[0] };

static const struct segment *band_words(double band)
{
    const struct segment *segment = SEGMENTS;
    while (segment->band * 1e9 != band) {
        segment++;
    }
    return segment;
}

double pw_wifi_band_near(double frequency)
{
    const double at = frequency / MEGAHERTZ;
    double near = 0;
    for (int s = 0; s < SEGMENT_COUNT; s++) {
        const struct segment *segment = &SEGMENTS[s];
        if (at >= segment->low && at <= segment->high) {
            return segment->band * 1e9;
        }
        near = at >= 0.9 * segment->low && at <= 1.1 * segment->high && near == 0 ? segment->band * 1e9 : near;
    }
    return near;
}

pw_wifi_channel pw_wifi_channel_at(double frequency)
{
    const double at = frequency / MEGAHERTZ;
    for (int s = 0; s < SEGMENT_COUNT; s++) {
        const struct segment *segment = &SEGMENTS[s];
        if (at >= segment->low && at <= segment->high) {
            const double step = 5.0 * segment->between;
            const int steps = (int)round((at - segment->base - 5.0 * segment->first) / step);
            const int number = segment->first + segment->between * steps;
            const double centre = segment->base + 5.0 * number;
            const bool is = number >= segment->first && number <= segment->last && fabs(at - centre) <= 10;
            return (pw_wifi_channel){.number = is ? number : 0,
                                     .band = segment->band * 1e9,
                                     .centre = is ? centre * MEGAHERTZ : frequency,
                                     .width = 20 * MEGAHERTZ};
        }
    }
    return (pw_wifi_channel){0};
}

/* The middle [MHz] of the channel; 0: the segment has none. */
static double middle(const struct segment *segment, int number, double width)
{
    if (segment->between == 1) {
        const bool is = number >= 1 && number <= segment->last;
        return number == CHANNEL_14 && width == 20  ? MIDDLE_14
               : is && (width == 20 || width == 40) ? segment->base + 5.0 * number
                                                    : 0;
    }
    /* Of 320 MHz there are two rows, half a channel apart, so that only the number of the whole says which. */
    const int span = (int)(width / 5), row = width == 320 ? span / 2 : span;
    const int whole = segment->first - 2; /* the lower edge of the first, in numbers */
    if (number < segment->first || number > segment->last || (width > 160 && segment->band != 6)) {
        return 0;
    }
    const int block = width == 320 ? (number - whole - span / 2) / row : (number - whole) / span;
    const int centre = whole + block * row + span / 2;
    const bool part = width <= 160 && (number - segment->first) % segment->between == 0;
    const bool fits = centre + span / 2 <= segment->last + 2;
    return fits && (number == centre || part) ? segment->base + 5.0 * centre : 0;
}

pw_status pw_wifi_channel_find(double near, int number, double width, pw_wifi_channel *channel, pw_error *error)
{
    static const double WIDTHS[] = {20, 40, 80, 160, 320};
    const double band = pw_wifi_band_near(near), wide = width / MEGAHERTZ;
    bool known = false;
    FAIL_IF(band == 0, error, PW_BAD_INPUT, "%.6g MHz is in no band of Wi-Fi; allowed: 2.4, 5 and 6 GHz",
            near / MEGAHERTZ);
    for (size_t n = 0; n < sizeof WIDTHS / sizeof *WIDTHS; n++) {
        known = known || fabs(wide - WIDTHS[n]) < 1e-6;
    }
    for (int s = 0; s < SEGMENT_COUNT && known; s++) {
        const double centre = SEGMENTS[s].band * 1e9 == band ? middle(&SEGMENTS[s], number, round(wide)) : 0;
        if (centre > 0) {
            *channel = (pw_wifi_channel){number, band, centre * MEGAHERTZ, round(wide) * MEGAHERTZ};
            return PW_OK;
        }
    }
    return fail(error, PW_BAD_INPUT, "channel %d of %g MHz is not in the band of %g GHz; allowed: %s of 20 MHz%s",
                number, wide, band * 1e-9, band_words(band)->allowed,
                band < 5e9 ? ", 1 to 13 of 40 MHz" : ", and what is made of them: 40, 80, 160 MHz, at 6 GHz 320 MHz");
}

/* The spectrum of OFDM is flat over its width, and the filter of a receiver is as wide as its channel. So the integral
 * of one over the other is their shared bandwidth: the I-factor of Mishra, Shrivastava, Banerjee, Arbaugh, "Partially
 * overlapped channels not considered harmful", SIGMETRICS 2006. */
double pw_wifi_overlap(const pw_wifi_channel *sender, const pw_wifi_channel *own)
{
    if (sender->number == 0 || own->number == 0) {
        return 1.0;
    }
    const double low = fmax(sender->centre - 0.5 * sender->width, own->centre - 0.5 * own->width);
    const double high = fmin(sender->centre + 0.5 * sender->width, own->centre + 0.5 * own->width);
    return fmax(0.0, high - low) / sender->width;
}

const char *pw_wifi_channel_text(const pw_wifi_channel *channel, char text[PW_WIFI_TEXT])
{
    text[0] = '\0';
    if (channel->number > 0) {
        snprintf(text, PW_WIFI_TEXT, "%d", channel->number);
    }
    if (channel->number > 0 && channel->width != 20 * MEGAHERTZ) {
        snprintf(text, PW_WIFI_TEXT, "%d of %g GHz, %g MHz wide", channel->number, channel->band * 1e-9,
                 channel->width / MEGAHERTZ);
    }
    return text;
}

/* ---- the key ---- */

/* "channel: 36", or {band: 5 GHz, number: 36, width: 80 MHz}. A band that is not said is that of the scenario, and one
 * that is must be near it: levels are those of the band that is solved. */
pw_status channel_read(const struct node *map, const struct scenario *scenario, pw_wifi_channel *channel,
                       pw_error *error)
{
    static const char *const KEYS[] = {"band", "number", "width", NULL};
    static const pw_range WIDTHS = {20e6, 320e6, false, false};
    const struct node *node = node_find(map, "channel");
    int64_t number = 0;
    double band = pw_wifi_band_near(scenario->band_centre), width = 20 * MEGAHERTZ;
    pw_error reason;
    if (node == NULL || node_is_empty(node)) {
        return PW_OK;
    }
    if (node_scalar(node, "a number", &reason) == PW_OK) {
        TRY(read_integer(map, "channel", PW_DIMENSION_NUMBER, 1, 233, &number, error));
    } else {
        const struct node *said;
        TRY(read_map(node, KEYS, error));
        TRY(read_required(node, "number", "the channel, as in {number: 36, width: 80 MHz}", &said, error));
        TRY(read_integer(node, "number", PW_DIMENSION_NUMBER, 1, 233, &number, error));
        TRY(read_quantity(node, "band", PW_DIMENSION_FREQUENCY, FREQUENCIES, &band, error));
        TRY(read_quantity(node, "width", PW_DIMENSION_FREQUENCY, WIDTHS, &width, error));
    }
    NODE_FAIL_IF(band == 0, node, error, "the band of the scenario, %.6g MHz, is none of Wi-Fi: 2.4, 5 or 6 GHz",
                 scenario->band_centre / MEGAHERTZ);
    NODE_FAIL_IF(pw_wifi_channel_find(band, (int)number, width, channel, &reason) != PW_OK, node, error, "%s",
                 reason.message);
    NODE_FAIL_IF(!channel_suits(channel, scenario->band_centre), node, error,
                 "the band of %g GHz is not that of the scenario, %.6g MHz", channel->band * 1e-9,
                 scenario->band_centre / MEGAHERTZ);
    return PW_OK;
}

bool channel_suits(const pw_wifi_channel *channel, double centre)
{
    for (int s = 0; s < SEGMENT_COUNT; s++) {
        const struct segment *segment = &SEGMENTS[s];
        const double at = centre / MEGAHERTZ;
        if (segment->band * 1e9 == channel->band && at >= 0.9 * segment->low && at <= 1.1 * segment->high) {
            return true;
        }
    }
    return false;
}
