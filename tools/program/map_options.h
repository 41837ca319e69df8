/* What commands about the whole floor share: quantities by name, levels with their unit, the receiver, the local mean,
 * which sheet of a result in three dimensions is meant, and points as users write them. */
#pragma once

#include "program/tool.h"

/* `map` points to pw_map_options; --mean implies --local-mean, once all are read. */
#define MEAN_OPTIONS(map)                                                                                              \
    {.name = "local-mean", .kind = OPTION_FLAG, .value = &(map)->local_mean},                                          \
    {                                                                                                                  \
        .name = "mean", .kind = OPTION_LENGTH, .value = &(map)->mean_width                                             \
    }
#define RECEIVER_OPTIONS(map)                                                                                          \
    {.name = "gain", .kind = OPTION_TAKEN, .value = &(map)->receiver_gain, .take = take_gain},                         \
        {.name = "noise-figure", .kind = OPTION_TAKEN, .value = &(map)->noise_figure, .take = take_decibels},          \
    {                                                                                                                  \
        .name = "bandwidth", .kind = OPTION_FREQUENCY, .value = &(map)->noise_bandwidth                                \
    }
/* What summaries and coverage count. */
#define FLOOR_OPTION(map)                                                                                              \
    {                                                                                                                  \
        .name = "whole-plan", .kind = OPTION_FLAG, .value = &(map)->whole_plan                                         \
    }
#define FLOOR_HELP                                                                                                     \
    "+     --whole-plan        count the whole plan; default: the inside of the building, if the plan\n"               \
    "+                         shows where that is\n"
#define MEAN_HELP                                                                                                      \
    "      --local-mean        average the power over a square of one wavelength (recommended)\n"                      \
    "+     --mean WIDTH        average over a square of this width instead, e.g. 0.5m\n"
#define RECEIVER_HELP                                                                                                  \
    "+     --gain DBI          gain of the receiver; default 0 dBi\n"                                                  \
    "+     --noise-figure DB   noise figure of the receiver; default 7 dB (snr, sinr)\n"                               \
    "+     --bandwidth HZ      noise bandwidth of the receiver; default 20 MHz (snr, sinr)\n"

/* `choice` points to pw_sheet_choice. */
#define SHEET_OPTIONS(choice)                                                                                          \
    {.name = "height", .kind = OPTION_TAKEN, .value = &(choice)->height, .take = take_height},                         \
        {.name = "cut", .kind = OPTION_INTEGER, .value = &(choice)->cut, .least = 1, .most = 1000},                    \
    {                                                                                                                  \
        .name = "component", .kind = OPTION_WORD, .value = &(choice)->component, .words = COMPONENT_WORDS              \
    }
#define SHEET_HELP                                                                                                     \
    "      --height H          three dimensions: the stored plane nearest to this height [m]; default:\n"              \
    "                          the first plane\n"                                                                      \
    "+     --cut N             three dimensions: vertical cut number N, as planwave info lists them\n"

/* Names of all quantities in the order of pw_quantity, NULL terminated. */
extern const char *const QUANTITY_NAMES[];

/* "-67", "-67dBm", "-67 dBm": a finite number, and behind it nothing or `unit`; another unit is an error that says
 * which is meant. */
pw_status read_level(const struct option_line *line, const char *name, const char *text, const char *unit,
                     double *value);

/* Levels with commas between, "-60,-67", of an option that may be repeated. */
enum { LEVEL_LIMIT = 64 };
struct level_list {
    const char *example;
    int most, count;
    const char *texts[LEVEL_LIMIT]; /* argv's; their unit may be known only when all options are */
    double values[LEVEL_LIMIT];     /* of levels_read */
};
pw_status take_levels(const struct option_line *line, const struct option_entry *entry, char *texts);
pw_status levels_read(const struct option_line *line, const char *name, const char *unit, struct level_list *list);

/* For the tables above: a gain in dBi, whatever is in dB, a received power in dBm. */
pw_status take_received(const struct option_line *line, const struct option_entry *entry, char *text);
pw_status take_gain(const struct option_line *line, const struct option_entry *entry, char *text);
pw_status take_decibels(const struct option_line *line, const struct option_entry *entry, char *text);

/* Rectangles with names, "lab=2,2,8,7"; the value of the option is the list. */
enum { AREA_LIMIT = 64 };
struct area_list {
    pw_area areas[AREA_LIMIT];
    int count;
};
pw_status take_named_area(const struct option_line *line, const struct option_entry *entry, char *text);

/* Names of the components in the order of pw_component, NULL terminated. */
extern const char *const COMPONENT_WORDS[];

/* "x,y" or "x,y,z" [m]. */
bool point_take(const char *text, pw_place *place);

/* One line of a CSV of points, which it cuts up: x,y or x,y,name or x,y,z,name, and x,y,z where *has_heights, which the
 * heading of a file sets. `first`: no line has been read but comments. *none: a comment, a blank line, or the heading.
 * False: not a point. */
bool point_read_line(char *text, bool first, bool *has_heights, pw_place *place, bool *none);
