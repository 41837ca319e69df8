/* Pulses follow the band as it is evaluated (source_band.h). */
#include "discretize/source/source_band.h"
#include "base/constants.h"
#include "discretize/volume/volume.h"

#include <math.h>
#include <stdio.h>

static const double LEAST_WIDTH = 200e6; /* Hz */
static const double LEAST_SHARE = 0.5;   /* of the centre: a wider pulse would reach down to 0 Hz */
static const double WEAKEST = -30;       /* dB under the peak of the spectrum */
static const double PASSED = 1.5;        /* over the width of the pulses: from the middle of a pulse until it is over */

/* Where leapfrog is exact in time (physics.md section 2). */
static double evaluated_at(const struct scenario *scenario, double frequency, double time_step)
{
    double half = M_PI * frequency * time_step;
    return scenario->spectra.warp && half > 0 && half < 1 ? asin(half) / (M_PI * time_step) : frequency;
}

struct source_band source_band_evaluated(const struct scenario *scenario, double time_step)
{
    double half = 0.5 * scenario->band_width;
    double low = evaluated_at(scenario, scenario->band_centre - half, time_step);
    double high = evaluated_at(scenario, scenario->band_centre + half, time_step);
    return time_step > 0 ? (struct source_band){0.5 * (low + high), high - low}
                         : (struct source_band){scenario->band_centre, scenario->band_width};
}

/* Hz: the narrowest band that planwave fills with a pulse of its own. A narrower one would ring for longer than the
 * plan does, and a narrow answer comes from a wide pulse as well. */
static double source_band_least(const struct scenario *scenario)
{
    return fmin(LEAST_WIDTH, LEAST_SHARE * scenario->band_centre);
}

/* Whether planwave chooses how wide the pulse is. */
static bool is_open(const struct waveform_choice *choice)
{
    return choice->kind == WAVEFORM_MODULATED_GAUSSIAN && !(choice->width > 0);
}

double source_band_sent(const struct scenario *scenario)
{
    double width = fmax(scenario->band_width, source_band_least(scenario));
    for (int t = 0; t < scenario->transmitter_count; t++) {
        width = is_open(&scenario->transmitters[t].waveform) ? width : scenario->band_width;
    }
    return width;
}

/* The band of a pulse that planwave chooses. One whose carrier is the band's centre moves with it; one with a carrier
 * of its own is as wide as the farther edge asks for, unless no pulse is. */
static struct source_band pulse_band(const struct scenario *scenario, const struct waveform_choice *choice,
                                     double time_step)
{
    const struct source_band band = source_band_evaluated(scenario, time_step);
    const double least = band.width * fmax(1, source_band_least(scenario) / scenario->band_width);
    if (!(choice->frequency > 0) || choice->frequency == scenario->band_centre) {
        return (struct source_band){band.centre, least};
    }
    double width = band.width + 2 * fabs(choice->frequency - band.centre);
    return width < 2 * choice->frequency ? (struct source_band){choice->frequency, fmax(width, least)} : band;
}

pw_status source_waveform(const struct scenario *scenario, int transmitter, double time_step, struct waveform *waveform,
                          pw_error *error)
{
    struct waveform_choice choice = scenario->transmitters[transmitter].waveform;
    struct source_band band = source_band_evaluated(scenario, time_step);
    if (is_open(&choice)) {
        struct source_band pulse = pulse_band(scenario, &choice, time_step);
        choice.frequency = choice.frequency == scenario->band_centre ? pulse.centre : choice.frequency;
        band = pulse;
    }
    return waveform_create(&choice, band.centre, band.width, waveform, error);
}

/* The weakest of the spectrum over the band as evaluated, in dB under its peak, and where in the band as asked. */
static double weakest_level(const struct setup *setup, const struct waveform *waveform, double *frequency)
{
    enum { LOOKS = 33 };
    const struct scenario *scenario = setup->scenario;
    double weakest = 0;
    for (int k = 0; k < LOOKS; k++) {
        double asked = scenario->band_centre + ((double)k / (LOOKS - 1) - 0.5) * scenario->band_width;
        double level = waveform_spectrum_db(waveform, evaluated_at(scenario, asked, setup->problem.time_step));
        if (level < weakest) {
            weakest = level;
            *frequency = asked;
        }
    }
    return weakest;
}

/* Said once for all transmitters of one pulse, at the first of them. */
static void say_wider(struct setup *setup, int transmitter, const struct waveform *waveform)
{
    const struct transmitter_choice *all = setup->scenario->transmitters, *first = &all[transmitter];
    int alike = 0;
    for (int t = 0; t < setup->scenario->transmitter_count; t++) {
        const bool same = is_open(&all[t].waveform) && all[t].waveform.frequency == first->waveform.frequency;
        if (same && t < transmitter) {
            return;
        }
        alike += same;
    }
    char others[32] = "";
    if (alike > 1) {
        snprintf(others, sizeof others, " and %d like it", alike - 1);
    }
    struct source_band band = source_band_evaluated(setup->scenario, setup->problem.time_step);
    struct source_band pulse = pulse_band(setup->scenario, &first->waveform, setup->problem.time_step);
    if (pulse.width > 1.001 * band.width) {
        warn(&setup->choices,
             "transmitter '%s'%s: the pulse is %.3g MHz wide around %.4g GHz, for a band of %.3g MHz. A narrower pulse "
             "would make the run longer or miss frequencies",
             first->name, others, 1e-6 * pulse.width, 1e-9 * waveform->choice.frequency,
             1e-6 * setup->scenario->band_width);
    }
}

pw_status source_check(struct setup *setup, int transmitter, const struct waveform *waveform, pw_error *error)
{
    const struct scenario *scenario = setup->scenario;
    const struct transmitter_choice *choice = &scenario->transmitters[transmitter];
    if (is_open(&choice->waveform) && setup->choices.count > 0) { /* not of a scenario with every choice written */
        say_wider(setup, transmitter, waveform);
    }
    double frequency = 0, level = weakest_level(setup, waveform, &frequency);
    if (!(level < WEAKEST) || choice->waveform.centre_alone) {
        return PW_OK;
    }
    char text[480];
    snprintf(text, sizeof text,
             "transmitter '%s': its pulse (%s) is too weak at %.6g GHz: %.0f dB below its peak; at most %.0f dB are "
             "allowed anywhere in the band of %.6g to %.6g GHz. Leave out 'width' and 'frequency' of the waveform, so "
             "that planwave chooses them, or set a narrower band",
             choice->name, waveform_rule(waveform->choice.kind)->name, 1e-9 * frequency, -level, -WEAKEST,
             1e-9 * (scenario->band_centre - 0.5 * scenario->band_width),
             1e-9 * (scenario->band_centre + 0.5 * scenario->band_width));
    FAIL_IF(scenario->spectra.enabled, error, PW_BAD_INPUT, "%s:%d: %s", scenario->file, choice->line, text);
    warn(&setup->warnings, "%s", text);
    return PW_OK;
}

/* From one end of a transmitter to the farthest corner of the building. */
static double farthest_corner(const struct setup *setup, struct point at, double height)
{
    const double own = volume_level(setup, height);
    double x = fmax(at.x, setup->plan.width - at.x), y = fmax(at.y, setup->plan.height - at.y),
           z = fmax(own - setup->building.low, setup->building.high - own);
    return sqrt(x * x + y * y + z * z);
}

void source_extend_crossing(struct setup *setup, int transmitter, const struct waveform *waveform)
{
    const struct transmitter_choice *choice = &setup->scenario->transmitters[transmitter];
    struct problem *problem = &setup->problem;
    if (!(problem->decay > 0) || !isfinite(waveform->end)) {
        return;
    }
    double way =
        fmax(farthest_corner(setup, choice->at, choice->height), farthest_corner(setup, choice->to, choice->to_height));
    double sent = waveform->choice.kind == WAVEFORM_SAMPLES
                      ? waveform->end
                      : fmin(waveform->end, waveform->choice.delay + PASSED / source_band_sent(setup->scenario));
    double step = fmin(ceil((sent + way / SPEED_OF_LIGHT) / problem->time_step), (double)problem->steps);
    problem->decay_from = (int64_t)fmax((double)problem->decay_from, step);
    setup->expected_end = fmax(setup->expected_end, step * problem->time_step);
}
