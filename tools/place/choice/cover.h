/* Choosing candidates by levels: what a choice is worth, the searches for a good one and for the best one, and bounds
 * that tell how far off it may be.
 *
 * A choice S covers a place when its strongest candidate there has `need`, and doubly when its second strongest has
 * `second`. Two choices are compared by what lacks of the weight that is wanted, by the weight that is covered, by the
 * weight that is doubly covered, and by the mean level of the strongest, in this order (cover_better). */
#pragma once

#include "place/planwave_place.h"
#include "tools/ground.h"

/* A level that stands for none at all, in dBm: so far down that the mean of levels tells a place without signal. */
#define COVER_NOTHING (-300.0)

struct cover {
    int candidates, demand;
    const double *level;  /* (candidates, demand) [dBm], none under COVER_NOTHING; borrowed */
    const double *weight; /* (demand), borrowed */
    double total;         /* of the weight */
    double slack;         /* weights that differ by less are equal */
    double need, second;  /* dBm */
    bool has_second;
    double want, want_second; /* weight that is to have them; 0: as much as can be had */
    const pw_monitor *monitor;
};

struct cover_score {
    double lacking;          /* weight, of both wants together */
    double covered, doubled; /* weight */
    double mean;             /* dBm */
};

struct cover_set {
    int count, site[PW_SITING_MOST];
};

/* Levels of the strongest and of the second strongest of a set at each place. */
struct cover_state {
    double *best, *second; /* (demand) */
};
pw_status cover_state_create(const struct cover *cover, struct cover_state *state, pw_error *error);
void cover_state_free(struct cover_state *state);
/* `to` may be `from`. */
void cover_state_add(const struct cover *cover, const struct cover_state *from, int candidate, struct cover_state *to);
/* The members of the set but number `without` (-1: all). */
void cover_state_of(const struct cover *cover, const struct cover_set *set, int without, struct cover_state *state);

/* Of a state with one candidate more (-1: as it is). */
struct cover_score cover_score(const struct cover *cover, const struct cover_state *state, int candidate);
bool cover_better(const struct cover *cover, const struct cover_score *a, const struct cover_score *b);
bool cover_lacks(const struct cover *cover, const struct cover_score *score);

/* ---- searches ---- */

/* Adds candidates one by one, each time the best, until nothing lacks or there are `most`. */
pw_status cover_greedy(const struct cover *cover, int most, struct cover_set *set, struct cover_score *score,
                       pw_error *error);

/* Exchanges a member for another candidate while that is better; then again from other beginnings, as often as a budget
 * of looks allows. The set keeps its size. */
pw_status cover_exchange(const struct cover *cover, struct cover_set *set, struct cover_score *score, pw_error *error);

/* The best set of `count` by trying all. It takes cover_choices() looks of `demand` places. */
pw_status cover_exhaust(const struct cover *cover, int count, struct cover_set *set, struct cover_score *score,
                        pw_error *error);
/* Whether they are few enough. */
bool cover_exhaustible(const struct cover *cover, int count);

/* ---- bounds ---- */

/* No set of fewer covers what is wanted: the largest covers added up. */
int cover_least_quick(const struct cover *cover);
/* No set of `count` covers more weight: the cover of `set` and the largest gains over it, since gains only fall as sets
 * grow (Nemhauser, Wolsey and Fisher 1978). */
pw_status cover_most_quick(const struct cover *cover, const struct cover_set *set, int count, double *most,
                           pw_error *error);

/* The same by integer programming, for at most `seconds`, with `set` to begin with. `set` is replaced where a better
 * one is found. */
pw_status cover_least_proven(const struct cover *cover, double seconds, struct cover_set *set, int *least,
                             pw_error *error);
pw_status cover_most_proven(const struct cover *cover, double seconds, struct cover_set *set, double *most,
                            pw_error *error);
