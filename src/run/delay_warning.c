/* Energy left against the end of the run and the period of delay profiles (delay_warning.h). */
#include "run/delay_warning.h"

#include "problem/spectra/decay.h"

#include <math.h>
#include <stdlib.h>

/* Fewer frequencies have no delays: MINIMUM_FREQUENCIES of the room `channel`. */
enum { DELAY_FREQUENCIES = 8 };

/* Powers against the peak, in dB: how far the energy must have fallen, and how far the advice takes it. Points that the
 * direct path reaches feeble need some 10 dB more than the 30 dB of the profile's threshold. */
static const double ENOUGH = -40, ADVISED = -45;
/* Powers need less: what is left at -20 dB is 10 % of the field, some 0.6 dB at a point. */
static const double ENOUGH_FOR_POWERS = -20;
static const double HARDLY = -3;                  /* a run that has lost less cannot tell how long it would take */
static const double NEPERS = 0.23025850929940457; /* of power, to a dB */

/* Of a Gaussian pulse that is 10 dB down at the edges of a band B, 1/B is this many root mean squares of the time. */
static const double LENGTH_OF_SPREAD = 2.93;

struct pulse_time simulation_pulse_time(const struct simulation *simulation, int run)
{
    const struct problem *problem = &simulation->setup->problem;
    const struct source *source = &problem->sources[simulation->first + run];
    double energy = 0, moment = 0, square = 0, offset = source->sampled_at_step_end ? 1 : 0.5;
    for (int64_t n = 0; n < simulation->step; n++) {
        double weight = source->current[n] * source->current[n], at = (double)n + offset;
        energy += weight;
        moment += weight * at;
        square += weight * at * at;
    }
    double mean = energy > 0 ? moment / energy : 0, variance = energy > 0 ? square / energy - mean * mean : 0;
    return (struct pulse_time){problem->time_step * mean,
                               problem->time_step * LENGTH_OF_SPREAD * sqrt(fmax(0, variance))};
}

/* Up to two digits: what a user would write. */
static double round_up(double value)
{
    double unit = pow(10, floor(log10(value)) - 1);
    return unit * ceil(value / unit - 1e-9);
}

static void warn_of_end(const struct simulation *simulation, const char *name, const struct decay *decay,
                        pw_notes *warnings)
{
    double end = decay->time[decay->count - 1], left = decay_level(decay, end) / NEPERS;
    double until = decay_time(decay, ADVISED * NEPERS);
    char ended[PW_NUMBER_SIZE], needed[PW_NUMBER_SIZE];
    pw_number_text(end * 1e9, 3, ended);
    if (left <= ENOUGH) {
        return;
    }
    if (left > HARDLY || !isfinite(until)) {
        warn(warnings,
             "transmitter '%s': the field hardly decays: its energy is at %s dB of its peak after %s ns. Delay spreads "
             "would grow with the length of the run and are masked",
             name, pw_number_text(fmin(left, 0), 2, needed), ended);
    } else if (simulation->stop_reason != NULL && simulation->stop_reason[0] == 'd' &&
               simulation->step < simulation->setup->problem.steps) {
        warn(warnings,
             "transmitter '%s': the run ended with the energy at %.0f dB of its peak. Later echoes are missing from "
             "the delays; points where they may change a delay by more than 10 %% are masked. Set stop.decay: %.0f dB",
             name, left, ADVISED);
    } else {
        warn(warnings,
             "transmitter '%s': the run ended at %s ns with the energy at %.0f dB of its peak. Later echoes are "
             "missing from the delays; points where they may change a delay by more than 10 %% are masked. Set "
             "stop.after: %s ns",
             name, ended, left, pw_number_text(round_up(until * 1e9), 3, needed));
    }
}

static void warn_of_period(const struct simulation *simulation, const char *name, const struct decay *decay,
                           double pulse_centre, pw_notes *warnings)
{
    const struct setup *setup = simulation->setup;
    int count = setup->frequency_count;
    double spacing = (setup->frequency[count - 1] - setup->frequency[0]) / (count - 1), period = 1 / spacing;
    double needed = decay_time(decay, ADVISED * NEPERS) - pulse_centre;
    double end = decay->time[decay->count - 1] - pulse_centre;
    if (end <= period || decay_level(decay, pulse_centre + period) / NEPERS <= ENOUGH) {
        return;
    }
    double there = decay_level(decay, pulse_centre + period) / NEPERS;
    char repeats[PW_NUMBER_SIZE], level[PW_NUMBER_SIZE];
    pw_number_text(period * 1e9, 3, repeats);
    if (there > HARDLY || !isfinite(needed)) {
        warn(warnings,
             "transmitter '%s': delay profiles of %d frequencies repeat every %s ns, when the energy is still at %s dB "
             "of its peak. Later echoes fold back to early delays; points where they may change a delay by more than "
             "10 %% are masked. Set a larger spectra.count: %.0f for the length of this run",
             name, count, repeats, pw_number_text(fmin(there, 0), 2, level), ceil(end * spacing * (count - 1)) + 1);
        return;
    }
    warn(warnings,
         "transmitter '%s': delay profiles of %d frequencies repeat every %s ns, when the energy is at %.0f dB of its "
         "peak. Later echoes fold back to early delays; points where they may change a delay by more than 10 %% are "
         "masked. Set spectra.count: %.0f",
         name, count, repeats, there, ceil(needed * spacing * (count - 1)) + 1);
}

/* Whether a pulse was cut off by the end of the run: within the last period [steps] of the band's centre its current
 * was still over 1 % of the largest. */
static bool pulse_is_cut(const struct source *source, int64_t steps, double period)
{
    double largest = 0, last = 0;
    for (int64_t n = 0; n < steps; n++) {
        largest = fmax(largest, fabs(source->current[n]));
        last = (double)(steps - n) <= period + 1 ? fmax(last, fabs(source->current[n])) : 0;
    }
    return last > 0.01 * largest;
}

static bool run_has_channels(const struct simulation *simulation, int run)
{
    const struct problem *problem = &simulation->setup->problem;
    return !problem->sources[simulation->first + run].hard &&
           (problem->spectra.frequency_count > 0 || problem->probe_count > 0);
}

void power_warn(const struct simulation *simulation, int run, pw_notes *warnings)
{
    const struct setup *setup = simulation->setup;
    const struct transmitter_choice *transmitter = &setup->scenario->transmitters[simulation->first + run];
    const struct source *source = &setup->problem.sources[simulation->first + run];
    const struct energy_history *history = simulation->history != NULL ? &simulation->history[run] : NULL;
    const double dt = setup->problem.time_step, end = (double)simulation->step * dt;
    char ended[PW_NUMBER_SIZE], level[PW_NUMBER_SIZE];
    pw_number_text(end * 1e9, 3, ended);
    if (!run_has_channels(simulation, run) || waveform_rule(transmitter->waveform.kind)->ramp) {
        return; /* what has a ramp lasts */
    }
    if (pulse_is_cut(source, simulation->step, 1 / (setup->scenario->band_centre * dt))) {
        warn(warnings,
             "transmitter '%s': the run ended at %s ns, before its pulse was over, so powers, transfer functions and "
             "delays are wrong. Set a larger stop.after, or leave it out",
             transmitter->name, ended);
    } else if (history != NULL && history->count > 0 && simulation->peak_energy[run] > 0) {
        double left = 10 * log10(history->energy[history->count - 1] / simulation->peak_energy[run]);
        if (left > ENOUGH_FOR_POWERS) {
            warn(warnings,
                 "transmitter '%s': the run ended at %s ns with the energy at %s dB of its peak. Later echoes are "
                 "missing from powers and transfer functions. Places that the wave had hardly reached have far too "
                 "little power. Set a larger stop.after",
                 transmitter->name, ended, pw_number_text(fmin(left, 0), 2, level));
        }
    }
}

pw_status delay_warn(const struct simulation *simulation, int run, pw_notes *warnings, pw_error *error)
{
    const struct setup *setup = simulation->setup;
    const struct problem *problem = &setup->problem;
    const struct energy_history *history = simulation->history != NULL ? &simulation->history[run] : NULL;
    if (history == NULL || history->count == 0 || !run_has_channels(simulation, run) ||
        setup->frequency_count < DELAY_FREQUENCIES || problem->source_end >= problem->steps ||
        !(simulation->peak_energy[run] > 0)) {
        return PW_OK;
    }
    double *time = allocate((size_t)history->count, sizeof *time, "the decay of the energy", error);
    TRY_MADE(time);
    for (int n = 0; n < history->count; n++) {
        time[n] = history->step[n] * problem->time_step;
    }
    struct decay decay;
    pw_status status = decay_create(history->count, time, history->energy, &decay, error);
    free(time);
    TRY(status);
    const char *name = setup->scenario->transmitters[simulation->first + run].name;
    warn_of_end(simulation, name, &decay, warnings);
    warn_of_period(simulation, name, &decay, simulation_pulse_time(simulation, run).centre, warnings);
    decay_free(&decay);
    return PW_OK;
}
