/* The table of large-scale parameters as CSV and JSON (api/parameters.h). */
#include "map/parameters/parameters.h"

#include "base/file/atomic_file.h"
#include "result/result.h"

#include <string.h>

static const char *const NAMES[PW_LARGE_COUNT] = {
    [PW_LARGE_EXPONENT] = "path_loss_exponent",
    [PW_LARGE_INTERCEPT] = "path_loss_1m_dB",
    [PW_LARGE_SHADOW] = "sf_std_dB",
    [PW_LARGE_REACH] = "sf_correlation_distance_m",
    [PW_LARGE_FREE_EXPONENT] = "close_in_exponent",
    [PW_LARGE_FREE_SHADOW] = "close_in_std_dB",
    [PW_LARGE_DELAY_MEAN] = "lg_ds_mean",
    [PW_LARGE_DELAY_DEVIATION] = "lg_ds_std",
    [PW_LARGE_ANGLE_MEAN] = "lg_asa_mean",
    [PW_LARGE_ANGLE_DEVIATION] = "lg_asa_std",
    [PW_LARGE_K_MEAN] = "k_mean_dB",
    [PW_LARGE_K_DEVIATION] = "k_std_dB",
    [PW_LARGE_CLUSTERS_MEAN] = "clusters_mean",
    [PW_LARGE_CLUSTERS_DEVIATION] = "clusters_std",
    [PW_LARGE_CLUSTER_SPREAD] = "cluster_ds_ns",
    [PW_LARGE_ANGLE_DELAY] = "asa_vs_ds",
    [PW_LARGE_ANGLE_SHADOW] = "asa_vs_sf",
    [PW_LARGE_DELAY_SHADOW] = "ds_vs_sf",
    [PW_LARGE_DELAY_K] = "ds_vs_k",
    [PW_LARGE_ANGLE_K] = "asa_vs_k",
    [PW_LARGE_SHADOW_K] = "sf_vs_k",
};

const char *pw_large_scale_name(int parameter)
{
    return parameter >= 0 && parameter < PW_LARGE_COUNT ? NAMES[parameter] : NULL;
}

static const char *area_name(const pw_parameters_options *options, int area)
{
    return area < 0 ? "floor" : options->areas[area].name;
}

static void csv_write(const struct result *result, const pw_parameters_options *options, const pw_parameters_row *rows,
                      FILE *file)
{
    fprintf(file, "# planwave %s: large-scale parameters of %s at %.9g GHz, as 3GPP TR 38.901 defines them\n",
            PW_VERSION, result->path, 1e-9 * result->band_centre);
    fputs(
        "# lg of delay spreads in s and of azimuth spreads in degrees; sf is positive where more is received than the "
        "path loss says; low and high: 95 %; nan: not known\n"
        "# clusters: in time, whose paths are peaks of the profile; one ends where no path comes for longer than "
        "cluster_gap\n"
        "area,condition,samples,ds_samples,asa_samples,k_samples,cluster_samples,nearest_m,farthest_m",
        file);
    for (int p = 0; p < PW_LARGE_COUNT; p++) {
        fprintf(file, ",%s,%s_low,%s_high", NAMES[p], NAMES[p], NAMES[p]);
    }
    fputc('\n', file);
    for (int n = 0; n < 2 * (1 + options->area_count); n++) {
        const pw_parameters *found = &rows[n].parameters;
        pw_csv_write(file, "%s,%s,%d,%d,%d,%d,%d,%.6g,%.6g", area_name(options, rows[n].area),
                     rows[n].sight ? "LOS" : "NLOS", found->samples, found->delay_samples, found->angle_samples,
                     found->k_samples, found->cluster_samples, found->nearest, found->farthest);
        for (int p = 0; p < PW_LARGE_COUNT; p++) {
            const pw_estimate *one = &found->estimate[p];
            pw_csv_write(file, ",%.6g,%.6g,%.6g", one->value, one->low, one->high);
        }
        fputc('\n', file);
    }
}

static void json_row(const pw_parameters_options *options, const pw_parameters_row *row, FILE *file)
{
    const pw_parameters *found = &row->parameters;
    pw_json_write(file,
                  "    {\"area\": %s, \"condition\": %s, \"samples\": %d, \"ds_samples\": %d, \"asa_samples\": %d, "
                  "\"k_samples\": %d, \"cluster_samples\": %d, \"nearest_m\": %g, \"farthest_m\": %g",
                  area_name(options, row->area), row->sight ? "LOS" : "NLOS", found->samples, found->delay_samples,
                  found->angle_samples, found->k_samples, found->cluster_samples, found->nearest, found->farthest);
    for (int p = 0; p < PW_LARGE_COUNT; p++) {
        const pw_estimate *one = &found->estimate[p];
        pw_json_write(file, ",\n     %s: {\"value\": %g, \"low\": %g, \"high\": %g}", NAMES[p], one->value, one->low,
                      one->high);
    }
    fputc('}', file);
}

static void json_write(const struct result *result, const pw_parameters_options *options, const pw_parameters_row *rows,
                       FILE *file)
{
    pw_json_write(file, "{\"planwave\": %s, \"result\": %s, \"frequency_Hz\": %g,\n  \"rows\": [\n", PW_VERSION,
                  result->path, result->band_centre);
    for (int n = 0; n < 2 * (1 + options->area_count); n++) {
        fputs(n > 0 ? ",\n" : "", file);
        json_row(options, &rows[n], file);
    }
    fputs("\n]}\n", file);
}

pw_status pw_parameters_write(const pw_result *result, const pw_parameters_options *options,
                              const pw_parameters_row *rows, const char *path, pw_error *error)
{
    const size_t length = strlen(path);
    FILE *file = disk_create(path, error);
    TRY_MADE(file);
    if (length > 5 && strcmp(path + length - 5, ".json") == 0) {
        json_write(result, options, rows, file);
    } else {
        csv_write(result, options, rows, file);
    }
    return disk_conclude(file, path, PW_OK, error);
}
