/* Channels of an answer as those of Wi-Fi (planwave_place.h). Two of them count as apart, so they must not overlap. */
#include "place/answer.h"

#include <stdio.h>
#include <stdlib.h>

static const double WIDTH = 20e6; /* Hz */

/* The channel that a name stands for in the band of the scenario; number 0: none. */
static pw_wifi_channel channel_named(const pw_siting *siting, const char *name)
{
    char *end;
    const long number = strtol(name, &end, 10);
    pw_wifi_channel channel = {0};
    const double band = pw_wifi_channel_at(siting->asked.band_centre).band;
    const bool is = *end == '\0' && end != name && number > 0 && number < 1000 && band > 0 &&
                    pw_wifi_channel_find(band, (int)number, WIDTH, &channel, NULL) == PW_OK;
    return is ? channel : (pw_wifi_channel){0};
}

pw_status pw_siting_name_channels(const pw_siting *siting, int count, char (*names)[PW_SITING_CHANNEL_TEXT],
                                  pw_error *error)
{
    static const int THREE[] = {1, 6, 11}, FOUR[] = {1, 5, 9, 13};
    const double band = pw_wifi_channel_at(siting->asked.band_centre).band;
    FAIL_IF(count < 1 || count > PW_SITING_CHANNELS, error, PW_USAGE, "%d channels; allowed are 1 to %d", count,
            PW_SITING_CHANNELS);
    int named = 0;
    for (int number = 1; number < 1000 && named < count; number++) {
        char name[PW_SITING_CHANNEL_TEXT];
        snprintf(name, sizeof name, "%d", number);
        const bool listed = band != 2.4e9 || number == (count <= 3 ? THREE[named] : FOUR[named < 4 ? named : 3]);
        if (band == 0 || (listed && channel_named(siting, name).number > 0)) {
            snprintf(names[named++], PW_SITING_CHANNEL_TEXT, "%d", number);
        }
    }
    return named == count
               ? PW_OK
               : fail(error, PW_USAGE, "%d channels: the band of %g GHz has %d of 20 MHz that do not overlap", count,
                      band * 1e-9, named);
}

pw_status pw_siting_check_channels(const pw_siting *siting, const char *const *names, int count, pw_error *error)
{
    for (int n = 0; n < count; n++) {
        for (int m = 0; m < n; m++) {
            const pw_wifi_channel a = channel_named(siting, names[n]), b = channel_named(siting, names[m]);
            FAIL_IF(a.number > 0 && b.number > 0 && pw_wifi_overlap(&a, &b) > 0, error, PW_USAGE,
                    "channels %s and %s of %g GHz overlap, and a plan takes its channels as apart; allowed: "
                    "such as 1,6,11 or 1,5,9,13 at 2.4 GHz, 36,40,44 at 5 GHz",
                    names[m], names[n], a.band * 1e-9);
        }
    }
    return PW_OK;
}

pw_status answer_channels_set(const pw_siting *siting, const pw_siting_story *story, pw_scenario *answer,
                              pw_error *error)
{
    char name[CHANNEL_TEXT];
    for (int n = 0; story->channels != NULL && n < story->answer->count; n++) {
        const pw_wifi_channel channel = channel_named(siting, answer_channel(story, n, name));
        if (channel.number > 0) {
            TRY(pw_scenario_set_channel(answer, n, channel.number, channel.width, error));
        }
    }
    return PW_OK;
}
