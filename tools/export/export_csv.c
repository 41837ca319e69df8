/* Transmitters as a table of access points, with the columns that planning programs show for them: where, how high, how
 * strong, at which frequency. Lengths are m from the plan's lower left corner, heights over the floor. */
#include "export/plan_export.h"
#include "export/wifi.h"

#include <math.h>

static pw_status csv_write(const struct exported_plan *plan, FILE *file, pw_error *error)
{
    (void)error;
    const pw_scenario_facts *scenario = &plan->scenario;
    struct wifi_place wifi = wifi_place_of(scenario->band_centre);
    fputs("Name,Floor,X [m],Y [m],Height [m],Power [dBm],Frequency [MHz],Channel\n", file);
    for (int t = 0; t < scenario->transmitter_count; t++) {
        const pw_scenario_transmitter transmitter = pw_scenario_describe_transmitter(plan->whole, t);
        double height = NAN;
        int storey = transmitter_storey(plan, &transmitter, &height);
        if (storey < plan->first || storey > plan->last) {
            continue;
        }
        pw_csv_write(file, "%s,\"%s\",% .10g,% .10g,% .10g,% .10g,% .10g,% .10g\n", transmitter.name,
                     storey_name(plan, storey), transmitter.x, transmitter.y, height, transmitter.power,
                     scenario->band_centre * 1e-6, wifi.channel > 0 ? (double)wifi.channel : (double)NAN);
    }
    return PW_OK;
}

const struct plan_exporter plan_exporter_csv = {
    .name = "CSV", .ending = ".csv", .description = "the access points as a table", .write = csv_write};
