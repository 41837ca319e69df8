/* Heights of links in two dimensions, and what outputs say of them (heights.h). */
#include "channel/slant/heights.h"

#include "api/scenario.h"
#include "channel/storey/storey.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

pw_status heights_check(int dimensions, const pw_channel_options *options, pw_error *error)
{
    const double heights[2] = {options->receiver_height, options->transmitter_height};
    static const char *const names[2] = {"receiver", "transmitter"};
    for (int n = 0; n < 2; n++) {
        FAIL_IF(isinf(heights[n]), error, PW_USAGE, "the %s height is %g m; allowed: any finite height", names[n],
                heights[n]);
        FAIL_IF(dimensions == 3 && !isnan(heights[n]), error, PW_USAGE,
                "a %s height of %g m takes a result from two dimensions to three, but this one was solved in "
                "three, where every height is solved for; --height chooses a plane",
                names[n], heights[n]);
    }
    return PW_OK;
}

pw_status heights_check_transmitter(const struct result *result, const struct result_transmitter *from,
                                    const pw_channel_options *options, pw_error *error)
{
    return result->dimensions == 2 && !isnan(options->receiver_height) && isnan(height_of_transmitter(from, options))
               ? fail(
                     error, PW_USAGE,
                     "a receiver height of %g m cannot count, since transmitter '%s' of %s has no height: give it one, "
                     "height: in its scenario or --tx-height",
                     options->receiver_height, from->name, result->path)
               : PW_OK;
}

/* Between floor and ceiling everything has a height. */
static double height_or(double own, const pw_channel_options *options)
{
    return isnan(own) && options->spreading == PW_SPREADING_STOREY ? PW_TERMINAL_HEIGHT : own;
}

double height_of_transmitter(const struct result_transmitter *from, const pw_channel_options *options)
{
    return height_or(isnan(from->height) ? options->transmitter_height : from->height, options);
}

double height_of_receiver(double own, const pw_channel_options *options)
{
    return height_or(isnan(own) ? options->receiver_height : own, options);
}

struct slant slant_between(const struct result *result, const struct result_transmitter *from,
                           const struct slant_end *to, const pw_channel_options *options)
{
    struct slant slant = {0};
    if (result->dimensions == 3) {
        return slant;
    }
    slant.heights[0] = height_of_transmitter(from, options);
    slant.heights[1] = height_of_receiver(to->height, options);
    double rise = slant.heights[1] - slant.heights[0], length = hypot(to->x - from->x, to->y - from->y);
    slant.place[0] = to->x;
    slant.place[1] = to->y;
    slant.rise = isnan(rise) ? 0.0 : rise;
    slant.departure = from->antenna;
    slant.arrival = to->antenna;
    if (length > 0.0) {
        slant.along[0] = (to->x - from->x) / length;
        slant.along[1] = (to->y - from->y) / length;
    }
    return slant;
}

/* Whether heights of this transmitter's links count at all. */
static bool counts(const struct result *result, const struct result_transmitter *from,
                   const pw_channel_options *options)
{
    return result->dimensions == 2 && options->spreading != PW_SPREADING_NONE &&
           !isnan(height_of_transmitter(from, options));
}

/* "ap1 at 2.6 m, ap2 at none", as far as it fits; *known: one of them has a height. */
static void transmitters_list(const struct result *result, const pw_channel_options *options, bool *known, char *text,
                              size_t size)
{
    size_t used = 0;
    *known = false;
    text[0] = '\0';
    for (int t = 0; t < result->transmitter_count; t++) {
        const struct result_transmitter *from = &result->transmitters[t];
        char height[32] = "level";
        if (counts(result, from, options)) {
            snprintf(height, sizeof height, "at %.4g m", height_of_transmitter(from, options));
            *known = true;
        }
        int more = snprintf(text + used, size - used, "%s%.20s %s", t > 0 ? ", " : "", from->name, height);
        if (more < 0 || used + (size_t)more >= size - 4) {
            memcpy(text + (used < size - 4 ? used : size - 4), "...", 4);
            return;
        }
        used += (size_t)more;
    }
}

/* Which storey it is that paths are reflected in. */
static int storey_append(const struct result *result, const pw_channel_options *options, char *text, int used)
{
    struct storey storey;
    char words[STOREY_TEXT];
    if ((options->spreading == PW_SPREADING_STOREY || options->spreading == PW_SPREADING_DIFFUSE) &&
        result->dimensions == 2 && storey_of_result(result, &storey, NULL) == PW_OK) {
        used += snprintf(text + used, HEIGHTS_TEXT - (size_t)used, ", %s", storey_text(&storey, words));
    }
    if (result->over_height > result->over_from) {
        used += snprintf(text + used, HEIGHTS_TEXT - (size_t)used,
                         options->spreading == PW_SPREADING_STOREY
                             ? ", over what ends at %.4g m"
                             : "; what ends at %.4g m taken as high as the storey (--spreading storey passes over it)",
                         result->over_from);
    }
    return used;
}

const char *heights_spreading_text(const struct result *result, int transmitter, double height,
                                   const pw_channel_options *options, char text[HEIGHTS_TEXT])
{
    char from[HEIGHTS_TEXT / 2], to[64] = "at heights of their own";
    bool known;
    height = height_of_receiver(height, options);
    if (isfinite(height)) {
        snprintf(to, sizeof to, "at %.4g m", height);
    }
    int used = snprintf(text, HEIGHTS_TEXT, "%s", pw_spreading_text(result->dimensions, options->spreading));
    used = storey_append(result, options, text, used);
    if (transmitter >= 0) {
        known = counts(result, &result->transmitters[transmitter], options);
        snprintf(from, sizeof from, "at %.4g m", height_of_transmitter(&result->transmitters[transmitter], options));
    } else {
        transmitters_list(result, options, &known, from, sizeof from);
    }
    if (known && !isnan(height)) {
        snprintf(text + used, HEIGHTS_TEXT - (size_t)used, "; %stransmitter %s, receiver %s",
                 options->spreading == PW_SPREADING_STOREY ? "" : "slanted paths: ", from, to);
    }
    return text;
}

const char *heights_spreading_words(const struct result *result, int transmitter, double height,
                                    const pw_channel_options *options, char text[HEIGHTS_TEXT])
{
    static const char *const words[] = {
        [PW_SPREADING_NONE] = "2D, not spread to 3D", [PW_SPREADING_DISTANCE] = "2D to 3D by distance",
        [PW_SPREADING_DELAY] = "2D to 3D by delay",   [PW_SPREADING_STOREY] = "2D to 3D by a storey",
        [PW_SPREADING_DIFFUSE] = "2D to 3D, diffuse", [PW_SPREADING_AUTO] = "2D to 3D by delay",
    };
    bool one = transmitter >= 0 || result->transmitter_count == 1, any = false, alike = true;
    const struct result_transmitter *first = &result->transmitters[transmitter >= 0 ? transmitter : 0];
    double from = height_of_transmitter(first, options);
    for (int t = 0; t < result->transmitter_count; t++) {
        const struct result_transmitter *other = &result->transmitters[one ? first - result->transmitters : t];
        any = any || counts(result, other, options);
        alike = alike && height_of_transmitter(other, options) == from;
    }
    int used = snprintf(text, HEIGHTS_TEXT, "%s", words[options->spreading]);
    height = height_of_receiver(height, options);
    if (any && !isnan(height)) {
        used += snprintf(text + used, HEIGHTS_TEXT - (size_t)used, alike ? ", %.4g m to " : ", own heights to ", from);
        snprintf(text + used, HEIGHTS_TEXT - (size_t)used, "%.4g m", height);
    }
    return text;
}

INTERFACE_NAME(pw_channel_spreading_text, heights_spreading_text);
