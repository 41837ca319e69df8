/* Where a channel passes floor and ceiling (channel.h). */
#include "channel/channel.h"
#include "channel/place/grid_phase.h"

#include "base/constants.h"

#include <math.h>

pw_status channel_band_storey(struct channel_band *band, const struct storey *storey, bool horizontal, pw_error *error)
{
    const struct storey_axis axis = {band->frequency, band->frequency_count, horizontal};
    return storey_band_create(storey, &axis, &band->storey, error);
}

/* Finds where the straight line from the transmitter passes what is lower than the storey with least room over it. */
static void crossing_find(const struct channel_band *band, double length, struct slant *ends)
{
    const struct result *result = band->over;
    const struct result_transmitter *from = &result->transmitters[band->transmitter];
    const struct storey *storey = storey_of_band(band->storey);
    const int steps = (int)ceil(length / result->cell);
    double least = INFINITY;
    ends->crossing = ends->top = 0.0;
    for (int n = 1; n < steps; n++) {
        const double along = (double)n / steps;
        const double top = result_over_top(result, from->x + along * (ends->place[0] - from->x),
                                           from->y + along * (ends->place[1] - from->y));
        if (top > 0.0) {
            const struct storey_path path = {length, ends->heights[0] - storey->floor,
                                             ends->heights[1] - ends->heights[0], along, top};
            const double room = cabs(storey_share(storey, STOREY_OVER, SPEED_OF_LIGHT / band->centre, &path));
            if (room < least) {
                ends->crossing = along;
                ends->top = top;
                least = room;
            }
        }
    }
}

void channel_pass_storey(const struct channel_band *band, struct channel *channel)
{
    double least = fmax(channel->over_plan, SPEED_OF_LIGHT / (2.0 * M_PI * band->centre));
    if (band->over != NULL) {
        result_over_field(band->over, band->transmitter, channel->ends.place, channel->over);
        if (channel->ends.exact) {
            const struct grid_phase phase = grid_phase_find(band->over);
            const struct place place = {.x = channel->ends.place[0], .y = channel->ends.place[1], .height = NAN};
            grid_phase_remove(&phase, band->over, &band->over->transmitters[band->transmitter], &place, 1,
                              channel->over);
        }
        channel_divide(band, channel->over, 1, channel->over);
        crossing_find(band, least, &channel->ends);
    }
    channel->storey_gain = storey_apply(band->storey, channel->storey, least, &channel->ends, band->usable,
                                        band->over != NULL ? channel->over : NULL, channel->transfer);
    channel->distance = slant_distance(&channel->ends, channel->over_plan);
}
