/* One measured floor from its tables to its scores: solved, fitted with offsets alone and with parameters, and rules of
 * thumb beside. */
#ifndef MEASURED_SURVEY_H
#define MEASURED_SURVEY_H

#include "validation/support/measured/floor.h"

struct survey {
    const char *scenario, *measured; /* files of the repository */
    const char *other;               /* measurements that are scored alone; NULL: none */
    /* Writes the readings of a table of measurements as calibrate takes them. */
    void (*convert)(const char *from, const char *to);
    const char *const *coarse; /* (coarse_count): overrides of the quick subset */
    int coarse_count;
    double receiver_height;    /* m, for the rules of thumb */
    double gather, blocks;     /* m */
    int least;                 /* readings of a cell */
    const char *const *levels; /* (level_count): parameters that take no re-runs */
    int level_count;
    const char *const *parameters; /* (parameter_count): all of them */
    int parameter_count;
    int rounds;          /* of re-runs, at most */
    double itu_exponent; /* of 10 lg d: ITU-R P.1238's, for such a place */
};

struct survey_scores {
    pw_joint guessed, levelled, calibrated; /* offsets alone; levels too; all parameters (not in the quick subset) */
    pw_joint scattered, scattered_levelled; /* the first two with what floor and ceiling scatter (likewise) */
    struct floor_scores distance, distance_one, itu, walls, walls_most;
};

/* Argument `other.csv` of a program, behind those of every case; NULL: none. */
const char *survey_other(int argc, char **argv);

void survey_run(struct validation *validation, const struct survey *survey, struct survey_scores *scores);
void survey_free(struct survey_scores *scores);

#endif
