/* The public list of what a scenario can choose from (pw_choice_describe), read from the tables of the rooms to the
 * left. Leaves out backends, which have a list of their own. */
#include "api/choices.h"

#include "api/plan/picture.h"
#include "scenario/plan/scenario_drawing.h"
#include "scenario/scenario.h"

static pw_choice scheme_choice(size_t index)
{
    if (index >= SCHEME_COUNT) {
        return (pw_choice){0};
    }
    enum scheme scheme = (enum scheme)index;
    return (pw_choice){scheme_name(scheme), scheme_description(scheme), index == DEFAULT_SCHEME};
}

static pw_choice averaging_choice(size_t index)
{
    if (index >= AVERAGING_COUNT) {
        return (pw_choice){0};
    }
    enum averaging averaging = (enum averaging)index;
    const struct averaging_rule *rule = averaging_rule(averaging);
    return (pw_choice){rule->name, rule->description, averaging == averaging_default((enum scheme)DEFAULT_SCHEME)};
}

static pw_choice absorber_choice(size_t index)
{
    const struct absorber_model *model = absorber_listed(index);
    return model != NULL ? (pw_choice){model->name, model->description, index == 0} : (pw_choice){0};
}

static pw_choice waveform_choice(size_t index)
{
    if (index >= WAVEFORM_COUNT) {
        return (pw_choice){0};
    }
    const struct waveform_rule *rule = waveform_rule((enum waveform_kind)index);
    return (pw_choice){rule->name, rule->description, index == DEFAULT_WAVEFORM};
}

static pw_choice picture_format_choice(size_t index)
{
    const pw_picture_format *format = pw_picture_format_listed(index);
    return format != NULL ? (pw_choice){format->name, format->description, false} : (pw_choice){0};
}

static pw_choice drawing_format_choice(size_t index)
{
    const pw_drawing_reader *reader = drawing_reader();
    return reader != NULL ? reader->format(index) : (pw_choice){0};
}

pw_choice pw_choice_describe(pw_choice_kind kind, size_t index)
{
    static pw_choice (*const CHOICES[])(size_t index) = {[PW_SCHEMES] = scheme_choice,
                                                         [PW_AVERAGINGS] = averaging_choice,
                                                         [PW_ABSORBERS] = absorber_choice,
                                                         [PW_WAVEFORMS] = waveform_choice,
                                                         [PW_PLAN_FORMATS] = picture_format_choice,
                                                         [PW_DRAWING_FORMATS] = drawing_format_choice};
    return (size_t)kind < sizeof CHOICES / sizeof *CHOICES ? CHOICES[kind](index) : (pw_choice){0};
}
