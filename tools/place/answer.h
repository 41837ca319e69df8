/* What is told of an answer, on paper and in files (siting.h). */
#pragma once

#include "place/siting.h"

/* Of one access point of an answer. */
struct serving {
    double share; /* of the weight, where it is the strongest */
    double alone; /* of the weight, that has the level by it and by no other */
    double mean;  /* dBm: mean over the weight that it serves; NAN: none */
};

/* Fills `serving` (answer->count). */
void answer_serving(const pw_siting *siting, const pw_siting_story *story, struct serving *serving);

/* "6", by the names of the story or by number; "" where no channels were assigned. */
enum { CHANNEL_TEXT = PW_SITING_CHANNEL_TEXT };
const char *answer_channel(const pw_siting_story *story, int n, char text[CHANNEL_TEXT]);

/* The sites of the answer in one list, whose names and sites are to be freed. */
pw_status answer_sites(const pw_siting *siting, const pw_siting_answer *answer, struct site_list *list,
                       pw_error *error);

/* Gives the access points of the scenario, in the order of the answer, the channels that are ones of Wi-Fi. */
pw_status answer_channels_set(const pw_siting *siting, const pw_siting_story *story, pw_scenario *answer,
                              pw_error *error);

pw_status answer_check(const pw_siting *siting, const pw_siting_story *story, pw_error *error);

/* The sentences of a report: "met", what is proven, in `text`. */
enum { ANSWER_TEXT = 400 };
const char *answer_verdict(const pw_siting *siting, const pw_siting_story *story, char text[ANSWER_TEXT]);
