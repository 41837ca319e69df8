/* Spectra of a link by azimuth (link_angles.h), and the public function that hands them over. */
#include "channel/angles/link_angles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double degree = 0.017453292519943295;

/* A place that was solved with no plan to look at, as in three dimensions, has none of it read. */
static pw_status spectra_fill(const struct channel_link *link, struct link_angles *made, pw_error *error)
{
    const struct result *result = link->result;
    const int transmitter = (int)(link->transmitter - result->transmitters);
    const double at[2] = {link->place.x, link->place.y},
                 factor = link->channel.spreading_gain * link->channel.storey_gain;
    struct angle_ground ground = {NULL};
    if (result->dimensions == 2 && !result->horizontal) {
        TRY(angle_ground_create(result, &ground, error));
    }
    pw_status status = angles_of_arrival(result, &ground, transmitter, at, &link->band, factor, &made->arrival, error);
    if (status == PW_OK) {
        status =
            angles_of_departure(result, &ground, transmitter, at, &link->band.options, factor, &made->departure, error);
    }
    angle_ground_free(&ground);
    return status;
}

static pw_status angles_make(const struct channel_link *link, struct link_angles **made, pw_error *error)
{
    *made = allocate(1, sizeof **made, "the angles of a link", error);
    pw_status status = *made != NULL ? spectra_fill(link, *made, error) : PW_NO_RESOURCE;
    if (status != PW_OK) {
        free(*made);
        *made = NULL;
    }
    return status;
}

pw_status link_angles_take(const struct channel_link *link, struct link_angles **made,
                           const struct link_angles **angles, pw_error *error)
{
    *made = NULL;
    *angles = link->angles;
    if (link->angles == NULL) {
        TRY(angles_make(link, made, error));
        *angles = *made;
    }
    return PW_OK;
}

pw_status link_angles_keep(struct channel_link *link, pw_error *error)
{
    return angles_make(link, &link->angles, error);
}

double angle_degrees(double azimuth)
{
    double turned = fmod(azimuth / degree, 360.0);
    return turned < 0.0 ? turned + 360.0 : turned;
}

double angle_bearing(double azimuth)
{
    return angle_degrees(90.0 * degree - azimuth);
}

pw_status pw_channel_angles(const pw_channel *channel, pw_link_end end, pw_angles *facts, double *power,
                            pw_error *error)
{
    FAIL_IF(channel == NULL || facts == NULL || end < PW_END_RECEIVER || end > PW_END_TRANSMITTER, error, PW_USAGE,
            "pw_channel_angles: no %s given",
            channel == NULL ? "channel"
            : facts == NULL ? "place for facts"
                            : "end of the link");
    struct link_angles *made;
    const struct link_angles *angles;
    TRY(link_angles_take(channel, &made, &angles, error));
    const struct angle_spectrum *spectrum = end == PW_END_RECEIVER ? &angles->arrival : &angles->departure;
    *facts = (pw_angles){.known = spectrum->reason[0] == '\0',
                         .radius = spectrum->radius,
                         .beam_width = spectrum->beam_width / degree,
                         .residual = spectrum->residual,
                         .peak_count = spectrum->peak_count};
    memcpy(facts->reason, spectrum->reason, sizeof facts->reason);
    for (int n = 0; n < spectrum->peak_count; n++) {
        facts->peak_azimuth[n] = angle_degrees(spectrum->peaks[n].azimuth);
        facts->peak_power[n] = spectrum->peaks[n].power;
    }
    for (int n = 0; power != NULL && n < ANGLE_COUNT; n++) {
        power[n] = facts->known ? spectrum->power[n] : (double)NAN;
    }
    free(made);
    return PW_OK;
}
