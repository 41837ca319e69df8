/* Siting: where do the access points go? Candidate positions and places where a signal is wanted, the level from every
 * candidate at every place, the best choice of candidates with a bound on how far it may be from the optimum, and
 * channels for it.
 *
 *     scenario -> points (pw_siting_create) -> levels (pw_siting_solve, or read from a file) -> pw_siting_choose ->
 * files
 *
 * The access points are copies of one transmitter of the scenario. Two dimensions or three, as the scenario says. */
#ifndef PLANWAVE_SITING_H
#define PLANWAVE_SITING_H

#include "planwave.h"

PW_C_BEGIN

enum {
    PW_SITING_MOST = 64,         /* access points of an answer */
    PW_SITING_CANDIDATES = 5000, /* at most */
    PW_SITING_DEMAND = 200000,   /* places at most */
    PW_SITING_AREAS = 64,        /* at most */
    PW_SITING_CHANNEL_TEXT = 24, /* of a name */
    PW_SITING_CHANNELS = 64      /* at most */
};

/* ---- the choice itself, on levels of any origin ---- */

/* What is wanted. Of the shares both are of the weight of all places. */
typedef struct pw_siting_need {
    double level;        /* dBm, of the strongest access point at a place; default -67 */
    double share;        /* 0 to 1, at least so much of the weight has it; default 0.95 */
    bool has_second;     /* the second strongest counts too; default no */
    double second_level; /* dBm; default -75 */
    double second_share; /* 0 to 1; default 0.95 */
    int best;            /* place exactly so many as well as possible; 0, the default: the fewest that meet the need */
    int most;            /* of the fewest: never more than so many; 0: PW_SITING_MOST */
    double search_time;  /* s that the proof of optimality may take; default 30; 0: heuristics and quick bounds alone */
    pw_monitor monitor;  /* told how far the search is; default: nobody */
} pw_siting_need;
pw_siting_need pw_siting_need_default(void);

/* The answer. One choice is better than another when it lacks less weight of the shares that are wanted, else when it
 * covers more weight with `level`, else when it covers more with the second level, else when the mean level of the
 * strongest over the weight, in dBm, is higher; with `best` what is lacking does not count, since nothing is. */
typedef struct pw_siting_answer {
    bool met;                             /* the need is met; always true with `best` */
    int count;                            /* access points */
    int site[PW_SITING_MOST];             /* (count): indices of candidates, ascending */
    double share, second_share;           /* of the weight that has the levels */
    double mean_level;                    /* dBm: mean over the weight of the level of the strongest */
    double most_share, most_second_share; /* with every candidate in use: no choice reaches more */
    int least_count;    /* proven: no choice of fewer candidates meets the need; with `best` the count itself. When the
                           need is not met: no fewer reach what this answer reaches, or the shares of every candidate,
                           whichever is less */
    double share_bound; /* proven: no choice of so many candidates covers a larger share with `level` */
    bool exact;         /* proven: no choice is better in the sense above */
    bool slid; /* the access points slid to places that are no candidates (pw_siting_slide): what was proven and
                  what all candidates reach is of before */
    double moved[PW_SITING_MOST]; /* (count) m: by how much; 0: it stays */
} pw_siting_answer;

/* Chooses among `candidates`; `level` (candidates, demand) [dBm], NAN or -INFINITY where nothing arrives, and `weight`
 * (demand), over zero. The search is exhaustive where the number of choices allows; else greedy and then by exchanges,
 * and GLPK bounds it by integer programming until it has an optimum or the time is up. Sources: Church and ReVelle 1974
 * (maximal covering); Nemhauser, Wolsey and Fisher 1978 (the greedy bound). PW_USAGE: numbers out of range. */
pw_status pw_siting_choose_levels(const double *level, const double *weight, int candidates, int demand,
                                  const pw_siting_need *need, pw_siting_answer *answer, pw_error *error);

/* Channels, so that access points that hear each other have different ones. */
typedef struct pw_siting_channels {
    int channel[PW_SITING_MOST]; /* (count of the answer), 0 to channels - 1 */
    double interference;         /* mean over the weight of interference over signal, linear: what is made smallest */
    double single_interference;  /* the same with all on one channel */
    bool exact;                  /* proven smallest */
    /* Signal over interference and noise [dB] where the strongest serves and all others on its channel send all the
     * time: of 5, 50 and 95 % of the weight that is worst off; and with all on one channel. */
    double sinr[3], single_sinr[3];
} pw_siting_channels;

/* `noise` [dBm] of the receiver. `level` and `weight` as above. PW_USAGE: no channels or more than PW_SITING_CHANNELS.
 */
pw_status pw_siting_channels_levels(const double *level, const double *weight, int demand,
                                    const pw_siting_answer *answer, int channels, double noise,
                                    pw_siting_channels *assigned, pw_error *error);

/* ---- points on a plan ---- */

/* A candidate, or a place where a signal is wanted. */
typedef struct pw_site {
    double x, y;      /* m */
    double height;    /* m over the lowest floor; NAN: of candidates that of the access point, of places the options' */
    double weight;    /* of places, 0: 1; of candidates not looked at */
    const char *name; /* of candidates; owned by the siting when it comes from there; NULL: numbered */
} pw_site;

/* A part of the floor that has demand. */
typedef struct pw_siting_area {
    const char *name;
    bool inside;           /* the inside of the building, and not the box */
    double x0, y0, x1, y1; /* m, two corners */
    double weight;         /* of each place in it, over zero */
} pw_siting_area;

typedef enum pw_siting_runs {
    PW_SITING_AUTO, /* whichever needs fewer runs; candidates where their antennas have directions */
    PW_SITING_CANDIDATES_SEND,
    PW_SITING_PLACES_SEND /* by reciprocity; PW_USAGE with antennas that have directions */
} pw_siting_runs;

typedef struct pw_siting_options {
    const char *model; /* the transmitter of the scenario that is the access point; NULL: the first */
    /* Candidates: a list, or the points of a CSV, or a grid over the inside of the building or the box. */
    const pw_site *candidates; /* (candidate_count), or NULL */
    int candidate_count;
    const char *candidate_path; /* NULL: none */
    double candidate_spacing;   /* m, of the grid; default 2 */
    bool has_candidate_box;
    double candidate_box[4]; /* m: x0, y0, x1, y1 */
    /* Demand: a list, or the points of a CSV, or a grid over areas; later areas lie over earlier ones. */
    const pw_site *places; /* (place_count), or NULL */
    int place_count;
    const char *place_path;      /* NULL: none */
    double place_spacing;        /* m; default 0.5 */
    const pw_siting_area *areas; /* (area_count); none: the inside of the building with weight 1 */
    int area_count;
    double place_height;  /* m over the lowest floor; NAN, the default: 1.5 */
    double receiver_gain; /* dBi; default 0 */
    double mean_width;    /* m: levels are means of the power over a square of this side; 0: a wavelength; under 0: at
                             points of the running spectra */
    pw_spreading spreading;
    pw_siting_runs runs;
    pw_compute compute; /* of all runs together */
    bool keep_accuracy; /* the end of the run and the number of frequencies as `run` would choose them; default: shorter
                           and fewer, which changed levels by 0.02 dB (root mean square) in the flat */
    pw_monitor monitor; /* default: nobody */
} pw_siting_options;
pw_siting_options pw_siting_options_default(void);

typedef struct pw_siting pw_siting;

/* Finds candidates and places; nothing is solved. Those inside walls are left out, which a note says. The scenario must
 * outlive the siting, which the caller frees. PW_BAD_INPUT: no such transmitter, a hard source, files that cannot be
 * read, points outside the plan, no candidate or no place left. */
pw_status pw_siting_create(const pw_scenario *scenario, const pw_siting_options *options, pw_siting **siting,
                           pw_error *error);
/* NULL is allowed. */
void pw_siting_free(pw_siting *siting);
void pw_siting_release(pw_siting **owner); /* of PW_OWNED_AS */

typedef struct pw_siting_facts {
    int candidate_count, place_count;
    bool places_send;    /* runs are by reciprocity: powers are means around the candidates, not around the places */
    int runs;            /* one transmitter each */
    double total_weight; /* of all places */
    double local_mean_error; /* dB: the forecast of a run, root mean square */
    double mean_width;       /* m: side of the square; under 0: none */
    double power;            /* dBm: EIRP of the access point */
    const char *floor;       /* what demand without areas covers, as pw_floor has it; "" where it was not asked for */
    const char *why;         /* who sends, and why; owned by the siting */
    int note_count;          /* what was left out, and other things to know */
    pw_facts setup;          /* of a run */
} pw_siting_facts;
pw_siting_facts pw_siting_describe(const pw_siting *siting);
/* "" for an index that is not there. */
const char *pw_siting_note(const pw_siting *siting, int index);

/* Candidates and places with their heights filled in: (candidate_count), (place_count), owned by the siting. */
const pw_site *pw_siting_candidates(const pw_siting *siting);
const pw_site *pw_siting_places(const pw_siting *siting);

/* Runs the scenario for every candidate, or for every place, and fills the levels. */
pw_status pw_siting_solve(pw_siting *siting, pw_error *error);

/* About how long pw_siting_solve takes [s], as timed on a small box just now. */
pw_status pw_siting_forecast(const pw_siting *siting, double *seconds, pw_error *error);

/* (candidate_count, place_count) [dBm], NAN where not defined; owned by the siting. NULL before they are known. */
const double *pw_siting_levels(const pw_siting *siting);

/* Writes the levels with their points as CSV; reads them back in place of runs. PW_BAD_INPUT: a file of other points,
 * another access point or another band; the message says which. */
pw_status pw_siting_levels_write(const pw_siting *siting, const char *path, pw_error *error);
pw_status pw_siting_levels_read(pw_siting *siting, const char *path, pw_error *error);

/* As the functions on levels above. PW_USAGE: the levels are not known. */
pw_status pw_siting_choose(const pw_siting *siting, const pw_siting_need *need, pw_siting_answer *answer,
                           pw_error *error);
/* The receiver takes in noise k 290 K over `bandwidth` [Hz], times `figure` [dB] (ITU-R P.372). */
pw_status pw_siting_assign(const pw_siting *siting, const pw_siting_answer *answer, int channels, double bandwidth,
                           double figure, pw_siting_channels *assigned, pw_error *error);

/* How access points slid from the candidates that were chosen. */
typedef struct pw_siting_slid {
    double share_before, share; /* of the weight that has the level, where they began and where they are */
    double mean_before, mean;   /* dBm, of the strongest */
    int runs;                   /* one transmitter each */
} pw_siting_slid;

/* Slides the access points of an answer uphill, at most by half the distance between candidates, never into a wall: the
 * slope of what is wanted is told by two runs for each, and runs of where they began and of where they end say whether
 * that is better in the sense of pw_siting_answer; else they stay. The siting then has the new places and levels of
 * these candidates, and the answer what it is worth; what was proven is about the candidates. By how far they slid and
 * what it won is printed to `report` (may be NULL) and stands in *slid (may be NULL). */
pw_status pw_siting_slide(pw_siting *siting, const pw_siting_need *need, pw_siting_answer *answer, FILE *report,
                          pw_siting_slid *slid, pw_error *error);

/* Names for so many channels that do not overlap: in a band of Wi-Fi its channels of 20 MHz, as 1, 6, 11 at 2.4 GHz and
 * 36, 40, ... at 5 GHz; else 1, 2, ... PW_USAGE: the band has not so many. */
pw_status pw_siting_name_channels(const pw_siting *siting, int count, char (*names)[PW_SITING_CHANNEL_TEXT],
                                  pw_error *error);
/* PW_USAGE: two of the names are channels of Wi-Fi that overlap. */
pw_status pw_siting_check_channels(const pw_siting *siting, const char *const *names, int count, pw_error *error);

/* ---- files ---- */

/* What is told of an answer. */
typedef struct pw_siting_story {
    const pw_siting_need *need;
    const pw_siting_answer *answer;
    const pw_siting_channels *channels; /* NULL: none were assigned */
    const char *const *channel_names;   /* as many as there are channels; NULL: 1, 2, ... */
    int channel_count;
} pw_siting_story;

/* Prints the answer as a table. */
pw_status pw_siting_report(const pw_siting *siting, const pw_siting_story *story, FILE *report, pw_error *error);
/* Writes it as JSON. */
pw_status pw_siting_json_write(const pw_siting *siting, const pw_siting_story *story, const char *path,
                               pw_error *error);
/* Writes the scenario with the chosen access points, ap1, ap2, ..., in place of its transmitters, on the channels of
 * the story that are ones of Wi-Fi. */
pw_status pw_siting_scenario_write(const pw_siting *siting, const pw_siting_story *story, const char *path,
                                   pw_error *error);
/* Solves the answer and writes the map of the strongest access point (PNG, SVG or PDF), with its numbers beside it as
 * .csv and .npy. */
pw_status pw_siting_picture_write(const pw_siting *siting, const pw_siting_story *story, const char *path, FILE *report,
                                  pw_error *error);

PW_C_END

#endif
