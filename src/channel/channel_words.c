/* Names of options of channels (channel_words.h). */
#include "channel/channel_words.h"

#include "api/channel.h"

#include <math.h>
#include <stdio.h>

const char *pw_spreading_name(pw_spreading spreading)
{
    static const char *const names[] = {
        [PW_SPREADING_NONE] = "none",     [PW_SPREADING_DISTANCE] = "distance", [PW_SPREADING_DELAY] = "delay",
        [PW_SPREADING_STOREY] = "storey", [PW_SPREADING_DIFFUSE] = "diffuse",   [PW_SPREADING_AUTO] = "auto",
    };
    return names[spreading];
}

const char *pw_spreading_text(int dimensions, pw_spreading spreading)
{
    static const char *const texts[] = {
        [PW_SPREADING_NONE] = "none: as solved in two dimensions",
        [PW_SPREADING_DISTANCE] = "distance: power times 1 m/d, d along the straight line",
        [PW_SPREADING_DELAY] = "delay: power of each delay bin times 1 m/(c tau)",
        [PW_SPREADING_STOREY] = "storey: floor and ceiling by images of each delay",
        [PW_SPREADING_DIFFUSE] = "diffuse: distance, and what floor and ceiling scatter",
    };
    if (dimensions == 3) {
        return "none: solved in three dimensions";
    }
    return texts[spreading == PW_SPREADING_AUTO ? PW_SPREADING_DELAY : spreading];
}

size_t pw_metrics_note(const pw_metrics *metrics, char *text, size_t size)
{
    static const char *const causes[] = {
        [PW_DELAY_SOUND] = "",
        [PW_DELAY_RUN_SHORT] = "the run ended before the field here had decayed; " CHANNEL_RUN_LONGER,
        [PW_DELAY_SPECTRA_FEW] = "the delay profile repeats before the field here has decayed; set a larger "
                                 "spectra.count",
    };
    int length = 0;
    text[0] = '\0';
    if (metrics->delay_cause != PW_DELAY_SOUND && isinf(metrics->rms_error)) {
        length = snprintf(text, size, "the delays are not resolved: %s", causes[metrics->delay_cause]);
    } else if (metrics->delay_cause != PW_DELAY_SOUND) {
        length = snprintf(text, size, "the RMS delay spread may be wrong by %.0f %%: %s", 100.0 * metrics->rms_error,
                          causes[metrics->delay_cause]);
    } else if (metrics->rms_delay_spread < metrics->delay_resolution) {
        char least[PW_NUMBER_SIZE], wider[PW_WIDER_SIZE];
        length = snprintf(text, size, "the RMS delay spread is below the resolution of %s ns; %s",
                          pw_number_text(1e9 * metrics->delay_resolution, 2, least),
                          pw_wider_text(metrics->delay_resolution, wider));
    }
    return (size_t)length;
}

const char *pw_wider_text(double resolution, char text[PW_WIDER_SIZE])
{
    char width[PW_NUMBER_SIZE], least[PW_NUMBER_SIZE];
    snprintf(text, PW_WIDER_SIZE, "a band.width of %s MHz would resolve %s ns",
             pw_number_text(2e-6 / resolution, 3, width), pw_number_text(0.5e9 * resolution, 2, least));
    return text;
}

const char *pw_delay_text(double delay, double resolution, char text[PW_NUMBER_SIZE])
{
    char number[PW_NUMBER_SIZE];
    if (isnan(delay)) {
        snprintf(text, PW_NUMBER_SIZE, "not defined");
    } else if (delay < resolution) {
        snprintf(text, PW_NUMBER_SIZE, "< %s ns", pw_number_text(1e9 * resolution, 2, number));
    } else {
        snprintf(text, PW_NUMBER_SIZE, "%.2f ns", 1e9 * delay);
    }
    return text;
}

const char *pw_coherence_text(double bandwidth, double resolution, char text[PW_NUMBER_SIZE])
{
    char number[PW_NUMBER_SIZE];
    if (!isnan(bandwidth)) {
        snprintf(text, PW_NUMBER_SIZE, "%.2f MHz", 1e-6 * bandwidth);
    } else if (resolution > 0.0) {
        snprintf(text, PW_NUMBER_SIZE, "> %s MHz", pw_number_text(0.5e-6 / resolution, 2, number));
    } else {
        snprintf(text, PW_NUMBER_SIZE, "not defined");
    }
    return text;
}

const char *channel_window_name(pw_window window)
{
    static const char *const names[] = {"Hann", "rect", "Kaiser"};
    return names[window];
}
