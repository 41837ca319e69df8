/* The decay that a receiver saw itself. The guard on delays goes by the energy in the whole grid; where a receiver was
 * recorded at every step, its own power may decay more slowly than that, as in a room of metal within a house that has
 * long fallen silent. The worse of both estimates is told. */
#pragma once

#include "channel/channel.h"
#include "channel/place/place.h"

/* A band as link_band_create makes it, but with the power at the place in place of the energy in the grid: in windows
 * of a quarter of the pulse's length, or of 1/B where that is less, with at most OWN_LOOKS of them. Left empty, and
 * free of cost, where the place was not recorded. The caller frees it. */
enum { OWN_LOOKS = 512 };
pw_status own_band_create(const struct result *result, int transmitter, const struct place *place,
                          const pw_channel_options *options, struct channel_band *band, pw_error *error);

/* Raises the errors of the delays to those of this band; nothing for an empty one. `channel` after channel_transform.
 */
void own_band_doubt(const struct channel_band *own, const struct channel *channel, const struct channel_delays *delays,
                    pw_metrics *metrics);
