/* The field over what ends under the ceiling, from the result of the plan's second cut into that of its first. */
#include "base/file/hdf5_read.h"
#include "plan/plan_cut.h"
#include "result/result.h"
#include "run/write/result_parts.h"

enum { STEP_CHUNK = 256 };

pw_status result_write_over(hid_t file, const struct scenario *scenario, pw_error *error)
{
    struct plan_over over;
    TRY(floorplan_over(scenario, &over, error));
    if (over.height > over.from) {
        TRY(hdf5_write_number(file, "over_height", over.height, error));
        TRY(hdf5_write_number(file, "over_from", over.from, error));
    }
    return PW_OK;
}

pw_status result_copy_over(hid_t transmitters, const struct scenario *scenario, const char *path, pw_error *error)
{
    OWNED_ID hid_t from = H5I_INVALID_HID;
    uint64_t bytes = 0;
    TRY(result_file_open(path, &from, &bytes, error));
    for (int t = 0; t < scenario->transmitter_count; t++) {
        char source[NAME_SIZE + 40], target[NAME_SIZE + 40];
        snprintf(source, sizeof source, "transmitters/%s/spectra", scenario->transmitters[t].name);
        snprintf(target, sizeof target, "%s/spectra/over", scenario->transmitters[t].name);
        if (H5Ocopy(from, source, transmitters, target, H5P_DEFAULT, H5P_DEFAULT) < 0) {
            return hdf5_fail(error, PW_NO_RESOURCE, "cannot copy the field over obstacles");
        }
    }
    return PW_OK;
}

pw_status result_write_step(hid_t file, const struct medium *medium, const uint16_t *tops, pw_error *error)
{
    const hsize_t ny = (hsize_t)medium->ny, nx = (hsize_t)medium->nx;
    const struct layout layout = {
        .name = "over",
        .units = "mm",
        .long_name =
            "where what is not there at over_height ends, over the lowest floor; 0: nothing; absorber included",
        .type = H5T_STD_U16LE,
        .rank = 2,
        .extent = {ny, nx},
        .chunk = {ny < STEP_CHUNK ? ny : STEP_CHUNK, nx < STEP_CHUNK ? nx : STEP_CHUNK},
        .compress = true};
    OWNED_ID hid_t plan = hdf5_group_open(file, "plan", error);
    TRY_MADE(plan >= 0);
    return hdf5_dataset_write(plan, &layout, H5T_NATIVE_UINT16, tops, error);
}
