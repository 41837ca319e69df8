/* A part of a cut as a problem of its own, with numbers that are all the whole grid's: coefficients, filters, drives,
 * frequencies. Sources are driven in the overlap too; receivers and points of the spectra are those at owned nodes. */
#ifndef PART_PROBLEM_H
#define PART_PROBLEM_H

#include "backend/parts/cut.h"

/* Where what a part records belongs in the whole problem. */
struct part_records {
    /* (problem.probe_count), owned: the probe, and which of its places, or -1 for all of it at once. Sums over places
     * of several parts are made of the single values. */
    struct part_probe {
        int probe, place;
    } * probes;
    int probe_count;
    /* Points of the spectra that lie one after the other here and there, ascending. */
    struct part_run {
        int64_t whole, own;
        int count;
    } * runs; /* (run_count), owned */
    int64_t run_count;
};

/* Part `box` of `whole`, into *part and, unless it is NULL, *records; both are freed by the caller, also after a
 * failure. */
pw_status part_problem_create(const struct problem *whole, const struct part_box *box, const struct cut *cut,
                              struct problem *part, struct part_records *records, pw_error *error);
void part_records_free(struct part_records *records);

/* ---- part_records.c: probes and spectra ---- */
pw_status part_probes_create(const struct problem *whole, const struct part_box *box, struct problem *part,
                             struct part_records *records, pw_error *error);
pw_status part_spectra_create(const struct problem *whole, const struct part_box *box, struct problem *part,
                              struct part_records *records, pw_error *error);

#endif
