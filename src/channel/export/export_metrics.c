/* The metrics of a link as CSV, each with its definition. */
#include "channel/export/exporter.h"

#include "channel/export/export_text.h"

#include <math.h>

static void file_print(const struct channel_link *link, FILE *file)
{
    const pw_metrics *metrics = &link->metrics;
    const pw_channel_options *options = &link->band.options;
    const struct {
        const char *name, *unit, *definition;
        double value;
    } rows[] = {
        {"distance", "m", "along the straight line", metrics->distance},
        {"path_gain", "dB", "mean |G|^2 over the band, 2D to 3D applied, relative to free space at 1 m",
         metrics->path_gain_db},
        {"path_loss", "dB", "between isotropic antennas: -(path gain + 20 lg(c/(4 pi fc 1 m)))", metrics->path_loss_db},
        {"received_power", "dBm", "EIRP + receiver gain + 20 lg(c/(4 pi fc 1 m)) + path gain",
         metrics->received_power_dbm},
        {"mean_excess_delay", "s", "first moment of the PDP over the threshold - first arrival",
         metrics->mean_excess_delay},
        {"rms_delay_spread", "s", "root of the second central moment of the PDP over the threshold",
         metrics->rms_delay_spread},
        {"maximum_excess_delay", "s", "last - first local maximum over the threshold", metrics->maximum_excess_delay},
        {"rician_k", "dB", "moment method over the band", metrics->rician_k_db},
        {"coherence_bandwidth_0.5", "Hz", "autocorrelation of G falls to 0.5", metrics->coherence_bandwidth_50},
        {"coherence_bandwidth_0.9", "Hz", "autocorrelation of G falls to 0.9", metrics->coherence_bandwidth_90},
        {"delay_resolution", "s", "1/B: a smaller spread may be that of a single path", metrics->delay_resolution},
        {"rms_delay_spread_error", "1", "estimated relative error: of the tail behind the run's end or folded back",
         metrics->rms_error},
        {"mean_excess_delay_error", "1", "the same, of the mean excess delay or the resolution, if that is more",
         metrics->mean_error},
        {"first_arrival", "s", "since emission", link->delays.first_arrival},
        {"noise_floor", "dB", "median of the last quarter of the PDP", 10.0 * log10(link->delays.noise_floor)},
        {"threshold", "dB", "of the PDP", 10.0 * log10(link->delays.threshold)},
        {"cross_polar_ratio", "dB", "power of E across the component that is taken over its own",
         metrics->cross_polar_db},
    };
    export_impulse_head(file, link);
    fprintf(file,
            "# threshold: %g dB below the peak or %g dB above the noise floor, whichever is higher\n"
            "# nan: not defined. Formulas and sources: planwave help metrics\nquantity,value,unit,definition\n",
            options->threshold_db, options->noise_margin_db);
    size_t count = sizeof rows / sizeof *rows - (link->band.dimensions == 2 ? 1 : 0); /* the last in three alone */
    for (size_t n = 0; n < count; n++) {
        pw_csv_write(file, "%s,%.9g,%s,\"%s\"\n", rows[n].name, rows[n].value, rows[n].unit, rows[n].definition);
    }
}

const struct exporter exporter_metrics = {.name = "metrics",
                                          .file = "metrics.csv",
                                          .description = "path gain, delays, Rician K, coherence bandwidths, CSV",
                                          .title = "metrics",
                                          .print = file_print};
