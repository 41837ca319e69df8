/* Names of options of channels (channel_words.h). */
#include "channel/channel_words.h"

const char *channel_spreading_text(pw_spreading spreading)
{
    static const char *const texts[] = {
        "none: as solved in two dimensions",
        "distance: power times 1 m/d, d along the straight line",
        "delay: power of each delay bin times 1 m/(c tau)",
    };
    return texts[spreading];
}

const char *channel_window_name(pw_window window)
{
    static const char *const names[] = {"Hann", "rect", "Kaiser"};
    return names[window];
}
