/* What a scenario holds, told through the interface, and the changes that it takes there (api/scenario.h, api/plan.h).
 */
#include "api/plan.h"
#include "scenario/scenario.h"

#include <math.h>
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

pw_plan_facts pw_scenario_describe_plan(const pw_scenario *scenario)
{
    const struct plan_choice *plan = &scenario->plan;
    return (pw_plan_facts){.width = plan->width,
                           .height = plan->height,
                           .image = plan->image,
                           .storey_count = plan->storey_count,
                           .shape_count = plan->shape_count};
}

pw_storey pw_scenario_describe_storey(const pw_scenario *scenario, int storey)
{
    const struct storey_choice *choice = &scenario->plan.storeys[storey];
    return (pw_storey){choice->name, storey_floor(&scenario->plan, storey), choice->height};
}

int pw_scenario_storey_at(const pw_scenario *scenario, double height)
{
    return storey_at(&scenario->plan, height);
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
