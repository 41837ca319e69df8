/* Values that something else has reckoned, on the cells of a map (api/map.h). */
#include "map/map.h"
#include "map/map_plane.h"

/* A map of the values, and the options that it is drawn with. */
static pw_status values_place(const pw_result *result, const pw_map_options *options, const pw_map_values *values,
                              struct map *map, pw_map_options *drawn, pw_error *error)
{
    FAIL_IF(result == NULL || options == NULL || values == NULL || values->values == NULL, error, PW_USAGE,
            "values on a map: result, options and values must not be NULL");
    *drawn = *options;
    drawn->monitor = (pw_monitor){0};
    drawn->minimum = values->minimum;
    drawn->maximum = values->maximum;
    TRY(map_prepare(result, drawn, map, error));
    map->centre = result->band_centre;
    map->mean_width = map_mean_width(drawn, map->centre);
    map->name = values->name != NULL ? values->name : map->name;
    map->unit = values->unit != NULL ? values->unit : map->unit;
    map->value = (double *)values->values; /* it is only read */
    return PW_OK;
}

pw_status pw_map_values_range(const pw_result *result, const pw_map_options *options, const pw_map_values *values,
                              double *low, double *high, pw_error *error)
{
    struct map map;
    pw_map_options drawn;
    TRY(values_place(result, options, values, &map, &drawn, error));
    map_range(&map, &drawn, low, high);
    return PW_OK;
}

pw_status pw_map_values_write(const pw_result *result, const pw_map_options *options, const pw_map_values *values,
                              const char *picture, const char *npy, pw_error *error)
{
    struct map map;
    pw_map_options drawn;
    TRY(values_place(result, options, values, &map, &drawn, error));
    pw_status status = npy != NULL ? map_write_npy(&map, npy, error) : PW_OK;
    return status == PW_OK && picture != NULL ? map_write_plot(&map, result, &drawn, picture, error) : status;
}
