/* What a scenario holds, told through the interface, and the changes that it takes there (api/scenario.h). */
#include "scenario/scenario.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

pw_scenario_facts pw_scenario_describe(const pw_scenario *scenario)
{
    return (pw_scenario_facts){.file = scenario->file,
                               .title = scenario->title,
                               .dimensions = scenario->dimensions,
                               .horizontal = scenario->horizontal,
                               .band_centre = scenario->band_centre,
                               .band_width = scenario->band_width,
                               .transmitter_count = scenario->transmitter_count};
}

pw_scenario_transmitter pw_scenario_describe_transmitter(const pw_scenario *scenario, int transmitter)
{
    const struct transmitter_choice *choice = &scenario->transmitters[transmitter];
    return (pw_scenario_transmitter){
        .name = choice->name, .x = choice->at.x, .y = choice->at.y, .height = choice->height, .power = choice->power};
}

int pw_scenario_find_transmitter(const pw_scenario *scenario, const char *name)
{
    int index = scenario->transmitter_count - 1;
    while (index >= 0 && strcmp(scenario->transmitters[index].name, name) != 0) {
        index--;
    }
    return index;
}

void pw_scenario_move_transmitter(pw_scenario *scenario, int transmitter, double dx, double dy)
{
    struct transmitter_choice *choice = &scenario->transmitters[transmitter];
    choice->at.x += dx;
    choice->to.x += dx;
    choice->at.y += dy;
    choice->to.y += dy;
}

void pw_scenario_add_power(pw_scenario *scenario, int transmitter, double decibels)
{
    scenario->transmitters[transmitter].power += decibels;
    scenario->transmitters[transmitter].conducted += decibels;
}

/* Where `wanted` stands in a list; -1: not there. */
static int index_of(const int *list, int count, int wanted)
{
    int n = count - 1;
    while (n >= 0 && list[n] != wanted) {
        n--;
    }
    return n;
}

pw_status pw_scenario_keep_transmitters(pw_scenario *scenario, const int *kept, int count, pw_error *error)
{
    int total = scenario->transmitter_count;
    for (int n = 0; n < count; n++) {
        if (kept[n] < 0 || kept[n] >= total || index_of(kept, n, kept[n]) >= 0) {
            return fail(error, PW_USAGE, "transmitter %d cannot be kept: there are 0 to %d, each to be kept once",
                        kept[n], total - 1);
        }
    }
    if (count < 1) {
        return fail(error, PW_USAGE, "a scenario keeps at least one transmitter");
    }
    struct transmitter_choice *ordered = allocate((size_t)total, sizeof *ordered, "transmitters", error);
    if (ordered == NULL) {
        return PW_NO_RESOURCE;
    }
    for (int t = 0; t < total; t++) {
        int at = index_of(kept, count, t);
        if (at >= 0) {
            ordered[at] = scenario->transmitters[t];
        } else {
            free(scenario->transmitters[t].waveform.file);
        }
    }
    free(scenario->transmitters);
    scenario->transmitters = ordered; /* behind the last it is zero */
    scenario->transmitter_count = count;
    return PW_OK;
}

void pw_scenario_scale_cell(pw_scenario *scenario, double factor)
{
    scenario->grid.cell *= factor;
    scenario->spectra.spacing = (int)fmax(1.0, floor(scenario->spectra.spacing / factor));
}

void pw_scenario_confine_spectra(pw_scenario *scenario, double x0, double y0, double x1, double y1)
{
    struct spectra_choice *spectra = &scenario->spectra;
    spectra->from = (struct point){fmax(x0, 0.0), fmax(y0, 0.0)};
    spectra->to = (struct point){x1, y1};
    if (scenario->plan.width > 0.0) {
        spectra->to = (struct point){fmin(x1, scenario->plan.width), fmin(y1, scenario->plan.height)};
        spectra->has_region = true;
    }
    spectra->cut_count = spectra->height_count > 0 ? 0 : spectra->cut_count;
}

void pw_scenario_open_steps(pw_scenario *scenario, double time_step)
{
    scenario->grid.courant = 0;
    scenario->spectra.every = 0;
    if (scenario->stop.steps > 0) {
        double lasted = (double)scenario->stop.steps * time_step;
        scenario->stop.after = scenario->stop.after > 0 ? fmin(scenario->stop.after, lasted) : lasted;
        scenario->stop.steps = 0;
    }
}
