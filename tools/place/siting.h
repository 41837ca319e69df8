/* Where do the access points go? (planwave_place.h) A siting holds candidates and places on a plan and the levels
 * between them.
 *
 * siting.c goes from a scenario to points and to a scenario of runs; points.c has grids, lists and files of points,
 * plan_ground.c the walls that they keep out of. gains.c makes the runs and reads levels from maps of them;
 * levels_file.c writes levels and reads them back. choice/ chooses by levels alone, slide.c goes on from
 * there. answer.c, answer_files.c and
 * answer_picture.c tell of the answer. */
#pragma once

#include "place/planwave_place.h"
#include "tools/ground.h"

/* The plan as far as points are concerned. */
struct ground {
    pw_map_shape shape; /* of the nodes, in the plane of the places */
    uint8_t *walls;     /* (shape.rows, shape.columns), owned: not 0 in walls */
    uint8_t *inside;    /* the same, owned: 1 in the building, walls included */
    pw_floor_kind kind;
    double width, height; /* m, of the plan */
};
/* `height` [m]: of the plane in three dimensions. */
pw_status ground_create(const pw_setup *setup, double height, struct ground *ground, pw_error *error);
void ground_free(struct ground *ground);
bool ground_in_plan(const struct ground *ground, double x, double y);
bool ground_in_wall(const struct ground *ground, double x, double y);
bool ground_inside(const struct ground *ground, double x, double y);

struct site_list {
    pw_site *site;              /* (count), owned; their names point into `name` */
    char (*name)[PW_NAME_SIZE]; /* (count), owned */
    int count;
    size_t room, name_room;
};
void site_list_free(struct site_list *list);

struct pw_siting {
    const pw_scenario *scenario; /* borrowed */
    pw_scenario_facts asked;     /* what it says */
    pw_siting_options options;   /* without its lists, and with no text of the caller after creation */
    char backend[PW_NAME_SIZE];  /* as options.compute names it */
    int model;                   /* the transmitter that is the access point */
    struct site_list candidates, places;
    double *weight; /* (places), owned */
    double total_weight;
    const char *floor;
    pw_siting_area areas[PW_SITING_AREAS]; /* (area_count): those of the options */
    char area_name[PW_SITING_AREAS][PW_NAME_SIZE];
    int area_count;
    bool places_send;
    char why[160];
    char *text; /* of the scenario of all runs, owned: a transmitter for each that sends */
    pw_facts facts;
    double *level; /* (candidates, places) [dBm], owned; NULL: not known */
    pw_notes notes;
};

/* Candidates and places, as the options say. */
pw_status candidates_find(struct pw_siting *siting, const struct ground *ground, pw_error *error);
pw_status places_find(struct pw_siting *siting, const struct ground *ground, pw_error *error);

/* The list that sends, and the one where fields are taken. */
static inline const struct site_list *siting_senders(const struct pw_siting *siting)
{
    return siting->places_send ? &siting->places : &siting->candidates;
}
static inline const struct site_list *siting_takers(const struct pw_siting *siting)
{
    return siting->places_send ? &siting->candidates : &siting->places;
}

/* The access point, number siting->model of the scenario as it was asked. */
static inline pw_scenario_transmitter siting_model(const struct pw_siting *siting)
{
    return pw_scenario_describe_transmitter(siting->scenario, siting->model);
}

/* Puts a transmitter like number `model` of the scenario at each of the sites, `prefix`1, `prefix`2, ..., in place of
 * all it has; step 1 takes each site, 2 every other one. */
pw_status transmitters_put(pw_scenario *scenario, int model, const struct site_list *sites, const char *prefix,
                           int step, pw_error *error);

/* Options of the maps that levels are read from, for points at this height. */
pw_map_options siting_map(const struct pw_siting *siting, double height);

/* "m", "cm" and the like are for people: what a site is called, its name or its number. */
const char *site_label(const struct site_list *list, int index, char text[PW_NAME_SIZE]);
