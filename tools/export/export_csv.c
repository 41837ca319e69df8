/* Transmitters as a table of access points, with the columns that planning programs show for them: where, how high, how
 * strong, at which frequency. Lengths are m from the plan's lower left corner, heights over the floor. */
#include "export/plan_export.h"

#include <math.h>

static pw_status csv_write(const struct exported_plan *plan, FILE *file, pw_error *error)
{
    (void)error;
    const pw_scenario_facts *scenario = &plan->scenario;
    const pw_wifi_channel usual = pw_wifi_channel_at(scenario->band_centre);
    fputs("Name,Floor,X [m],Y [m],Height [m],Power [dBm],Frequency [MHz],Channel\n", file);
    for (int t = 0; t < scenario->transmitter_count; t++) {
        const pw_scenario_transmitter transmitter = pw_scenario_describe_transmitter(plan->whole, t);
        double height = NAN;
        int storey = transmitter_storey(plan, &transmitter, &height);
        if (storey < plan->first || storey > plan->last) {
            continue;
        }
        const pw_wifi_channel *channel = transmitter.channel.number > 0 ? &transmitter.channel : &usual;
        const double centre = transmitter.channel.number > 0 ? channel->centre : scenario->band_centre;
        pw_csv_write(file, "%s,\"%s\",% .10g,% .10g,% .10g,% .10g,% .10g,% .10g\n", transmitter.name,
                     storey_name(plan, storey), transmitter.x, transmitter.y, height, transmitter.power, centre * 1e-6,
                     channel->number > 0 ? (double)channel->number : (double)NAN);
    }
    return PW_OK;
}

const struct plan_exporter plan_exporter_csv = {
    .name = "CSV", .ending = ".csv", .description = "the access points as a table", .write = csv_write};
