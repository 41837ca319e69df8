/* Where a channel passes floor and ceiling (channel.h). */
#include "channel/channel.h"

#include "base/constants.h"

#include <math.h>

pw_status channel_band_storey(struct channel_band *band, const struct storey *storey, bool horizontal, pw_error *error)
{
    const struct storey_axis axis = {band->frequency, band->frequency_count, horizontal};
    return storey_band_create(storey, &axis, &band->storey, error);
}

void channel_pass_storey(const struct channel_band *band, struct channel *channel)
{
    double least = fmax(channel->over_plan, SPEED_OF_LIGHT / (2.0 * M_PI * band->centre));
    if (band->over != NULL) {
        result_over_field(band->over, band->transmitter, channel->ends.place, channel->over);
        channel_divide(band, channel->over, 1, channel->over);
    }
    channel->storey_gain = storey_apply(band->storey, channel->storey, least, &channel->ends, band->usable,
                                        band->over != NULL ? channel->over : NULL, channel->transfer);
    channel->distance = slant_distance(&channel->ends, channel->over_plan);
}
