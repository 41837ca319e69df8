/* What the cases of measured floors share: tables of measurements to readings that calibrate takes, and rules of thumb
 * fitted to the same cells, held out in the same blocks, with as many numbers as the prediction beside them. */
#ifndef MEASURED_FLOOR_H
#define MEASURED_FLOOR_H

#include "calibrate/planwave_calibrate.h"
#include "validation/support/case.h"

/* Fields of a CSV line, cut at commas in place. Returns their number. */
enum { FLOOR_FIELDS = 32 };
int floor_cut(char *line, char *fields[FLOOR_FIELDS]);
/* Cuts a line of residuals. Whether it is a cell that was fitted, and predicted without its block as well. */
bool floor_crossed(char *line, char *fields[FLOOR_FIELDS]);

/* A cell as calibrate wrote it with --residuals, and what lies between it and its transmitter. */
struct floor_cell {
    int station;
    double x, y, level, distance; /* m, dBm, m */
    double walls, depth;          /* number of walls on the straight line, and metres inside them */
    int fold;                     /* -1: not held out in turn */
    bool fitted;
    double frequency; /* Hz */
};

struct floor_cells {
    struct floor_cell *cells; /* (count), owned */
    int count, stations;
};

/* Reads residuals; walls are counted in the plan of `result`, between places and transmitters, whose heights count
 * where the result has them and receivers stand at `height` [m]. */
void floor_cells_read(const char *residuals, const pw_result *result, double height, struct floor_cells *cells);

/* What a rule is made of besides an offset for each transmitter. */
struct floor_rule {
    const char *name;
    bool exponent_fixed; /* power falls with `exponent` x 10 lg d; else the exponent is fitted */
    double exponent;
    bool exponent_each; /* fitted for each transmitter */
    bool walls;         /* a loss for each wall on the way */
    bool depth;         /* a loss for each metre inside walls */
    bool walls_root;    /* and one by the root of their number: that each further wall costs less, as in COST 231 */
};

/* Scores of a rule in the fit, in blocks held out, and on cells that are not fitted. */
struct floor_scores {
    int numbers; /* that were fitted, offsets included */
    pw_calibration_score fitted, crossed, scored;
};
struct floor_scores floor_rule_score(const struct floor_cells *cells, const struct floor_rule *rule);

/* A line of the report's table. */
void floor_tell(struct validation *validation, const char *name, int numbers, pw_calibration_score fitted,
                pw_calibration_score crossed, pw_calibration_score scored);

#endif
