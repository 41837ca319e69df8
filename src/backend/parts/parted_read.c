/* See parted_read.h. */
#include "backend/parts/parted_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- energy ------------------------------------------------------------------------------------------------------ */

/* What a part has answered: one number, or the sums of its rows (part_energy). */
struct part_sums {
    double *values; /* (count), owned */
    size_t count;
};

/* Where the sums of a part belong: (planes, rows, components, blocks) of the whole, zeros so far. */
static void place_sums(const struct parted *parted, int p, const struct part_sums *answer, double *all, int blocks)
{
    const struct part_box box = cut_box(&parted->cut, p);
    const int components = problem_components(parted->problem);
    const bool divided = parted->cut.parts[0] > 1;
    const int first = divided ? box.own[0] / CUT_ENERGY_COLUMNS : 0;
    const int own = divided ? (box.own_end[0] - box.own[0] + CUT_ENERGY_COLUMNS - 1) / CUT_ENERGY_COLUMNS : 1;
    const double *sums = answer->values;
    for (int k = box.own[2]; k < box.own_end[2]; k++) {
        for (int j = box.own[1]; j < box.own_end[1]; j++) {
            for (int c = 0; c < components; c++) {
                size_t row = ((size_t)k * (size_t)parted->cut.grid[1] + (size_t)j) * (size_t)components + (size_t)c;
                if (answer->count == 1) { /* as if all were in the first row */
                    all[row * (size_t)blocks + (size_t)first] = *sums;
                    return;
                }
                memcpy(all + row * (size_t)blocks + first, sums, (size_t)own * sizeof *sums);
                sums += own;
            }
        }
    }
}

/* All parts look at once. Each is heard, also after one has failed. Whether all have answered one number. */
static pw_status gather_sums(struct parted *parted, int run, struct part_sums *answers, bool *single, pw_error *error)
{
    pw_status status = PW_OK;
    *single = true;
    for (int p = 0; p < cut_count(&parted->cut); p++) {
        const struct part_command command = {.verb = PART_ENERGY, .part = p, .run = run};
        parted_say(parted, &command, NULL);
    }
    for (int p = 0; p < cut_count(&parted->cut); p++) {
        const struct part_command command = {.verb = PART_ENERGY, .part = p, .run = run};
        pw_error own = {{0}};
        void *values;
        size_t size = 0;
        pw_status heard = parted_take(parted, &command, NULL, &values, &size, &own);
        if (status == PW_OK && heard != PW_OK) {
            status = fail(error, heard, "%s", own.message);
        }
        answers[p] = (struct part_sums){values, size / sizeof(double)};
        *single = *single && answers[p].count == 1;
    }
    return status;
}

/* In the order of energy_order.h: blocks to rows, rows to planes, planes. */
static double add_in_order(const double *all, const int count[3])
{
    double energy = 0;
    for (int k = 0; k < count[2]; k++) {
        double plane = 0;
        for (int r = 0; r < count[1]; r++) {
            double row = 0;
            for (int b = 0; b < count[0]; b++) {
                row += *all++;
            }
            plane += row;
        }
        energy += plane;
    }
    return energy;
}

/* Of parts that have answered one number each: those beside each other along x are the blocks of a row, and so on. */
static pw_status add_parts(const struct parted *parted, const struct part_sums *answers, double *energy,
                           pw_error *error)
{
    const int count = cut_count(&parted->cut);
    OWNED double *all = allocate((size_t)count, sizeof *all, "sums of the energy", error);
    TRY_MADE(all);
    for (int p = 0; p < count; p++) {
        all[p] = answers[p].values[0];
    }
    *energy = add_in_order(all, parted->cut.parts);
    return PW_OK;
}

static pw_status add_rows(const struct parted *parted, const struct part_sums *answers, double *energy, pw_error *error)
{
    const int *grid = parted->cut.grid;
    const int blocks = parted->cut.parts[0] > 1 ? (grid[0] + CUT_ENERGY_COLUMNS - 1) / CUT_ENERGY_COLUMNS : 1;
    const int count[3] = {blocks, grid[1] * problem_components(parted->problem), grid[2]};
    OWNED double *all =
        allocate((size_t)count[2] * (size_t)count[1] * (size_t)blocks, sizeof *all, "sums of the energy", error);
    TRY_MADE(all);
    for (int p = 0; p < cut_count(&parted->cut); p++) {
        place_sums(parted, p, &answers[p], all, blocks);
    }
    *energy = add_in_order(all, count);
    return PW_OK;
}

pw_status parted_sum_energy(struct parted *parted, int run, double *energy, pw_error *error)
{
    const int count = cut_count(&parted->cut);
    bool single;
    OWNED struct part_sums *answers = allocate((size_t)count, sizeof *answers, "sums of the energy", error);
    TRY_MADE(answers);
    pw_status status = gather_sums(parted, run, answers, &single, error);
    *energy = 0;
    if (status == PW_OK) {
        status = single ? add_parts(parted, answers, energy, error) : add_rows(parted, answers, energy, error);
    }
    for (int p = 0; p < count; p++) {
        free(answers[p].values);
    }
    return status;
}

/* ---- probes ------------------------------------------------------------------------------------------------------ */

/* Values of the places of probes that several parts have: (places of all such probes, steps). */
struct shared_places {
    int64_t *first; /* (probe_count), owned: of a probe's places, -1 when one part has it */
    int64_t count;
    double *values; /* (count, steps), owned */
};

static pw_status find_shared(const struct parted *parted, int64_t steps, struct shared_places *shared, pw_error *error)
{
    const struct problem *problem = parted->problem;
    *shared = (struct shared_places){0};
    shared->first = allocate((size_t)problem->probe_count, sizeof *shared->first, "the receivers' samples", error);
    TRY_MADE(shared->first);
    for (int p = 0; p < problem->probe_count; p++) {
        shared->first[p] = -1;
    }
    for (int part = 0; part < cut_count(&parted->cut); part++) {
        const struct part_records *records = &parted->records[part];
        for (int n = 0; n < records->probe_count; n++) {
            int probe = records->probes[n].probe;
            if (records->probes[n].place >= 0 && shared->first[probe] < 0) {
                shared->first[probe] = shared->count;
                shared->count += problem->probes[probe].count;
            }
        }
    }
    shared->values =
        allocate((size_t)shared->count * (size_t)steps, sizeof *shared->values, "the receivers' samples", error);
    return shared->values != NULL ? PW_OK : PW_NO_RESOURCE;
}

static void free_shared(struct shared_places *shared)
{
    free(shared->first);
    free(shared->values);
}

/* What a part recorded, to the probes that it has alone or to the places that it shares. */
static void place_probes(const struct parted *parted, int part, const double *own, struct shared_places *shared,
                         double *values)
{
    const struct part_records *records = &parted->records[part];
    const size_t probes = (size_t)parted->problem->probe_count, count = (size_t)records->probe_count;
    for (size_t step = 0; step < (size_t)parted->step; step++) {
        for (size_t n = 0; n < count; n++) {
            const struct part_probe *probe = &records->probes[n];
            double value = own[step * count + n];
            if (probe->place < 0) {
                values[step * probes + (size_t)probe->probe] = value;
            } else {
                size_t place = (size_t)(shared->first[probe->probe] + probe->place);
                shared->values[place * (size_t)parted->step + step] = value;
            }
        }
    }
}

/* As cell_probe_add has it, in the precision of the problem. */
static double add_place(const struct problem *problem, double sum, double weight, double value)
{
    return problem->precision == PW_SINGLE ? (double)fmaf((float)weight, (float)value, (float)sum)
                                           : fma(weight, value, sum);
}

static void sum_shared(const struct parted *parted, const struct shared_places *shared, double *values)
{
    const struct problem *problem = parted->problem;
    const size_t steps = (size_t)parted->step;
    for (int p = 0; p < problem->probe_count; p++) {
        for (size_t step = 0; shared->first[p] >= 0 && step < steps; step++) {
            double sum = 0;
            for (int n = 0; n < problem->probes[p].count; n++) {
                size_t place = (size_t)(shared->first[p] + n);
                sum = add_place(problem, sum, problem->probes[p].weight[n], shared->values[place * steps + step]);
            }
            values[step * (size_t)problem->probe_count + (size_t)p] = sum;
        }
    }
}

pw_status parted_gather_probes(struct parted *parted, int run, double *values, pw_error *error)
{
    struct shared_places shared;
    pw_status status = find_shared(parted, parted->step, &shared, error);
    for (int part = 0; part < cut_count(&parted->cut) && status == PW_OK; part++) {
        const struct part_command command = {.verb = PART_PROBES, .part = part, .run = run, .steps = parted->step};
        void *own = NULL;
        if (parted->records[part].probe_count == 0) {
            continue;
        }
        status = parted_ask(parted, &command, NULL, &own, error);
        if (status == PW_OK) {
            place_probes(parted, part, own, &shared, values);
        }
        free(own);
    }
    if (status == PW_OK) {
        sum_shared(parted, &shared, values);
    }
    if (status == PW_OK && parted->history[run] != NULL) {
        size_t loaded = (size_t)parted->history_steps * (size_t)parted->problem->probe_count;
        memcpy(values, parted->history[run], loaded * sizeof *values);
    }
    free_shared(&shared);
    return status;
}

pw_status parted_keep_history(struct parted *parted, int run, const struct run_state *from, pw_error *error)
{
    const size_t count = (size_t)from->step * (size_t)parted->problem->probe_count;
    free(parted->history[run]);
    parted->history[run] = NULL;
    parted->history_steps = from->step;
    if (from->probes == NULL || count == 0) {
        return PW_OK;
    }
    parted->history[run] = allocate(count, sizeof(double), "the receivers' samples", error);
    TRY_MADE(parted->history[run]);
    memcpy(parted->history[run], from->probes, count * sizeof(double));
    return PW_OK;
}

/* ---- spectra and samples ----------------------------------------------------------------------------------------- */

/* Values of a point in one plane: both parts of a sum, or a sample. */
static size_t values_per_point(enum part_verb verb)
{
    return verb == PART_SPECTRA ? 2 : 1;
}

/* Frequencies, or samples that wait. */
static size_t planes_of(const struct parted *parted, enum part_verb verb)
{
    const struct spectra *spectra = &parted->problem->spectra;
    return verb == PART_SPECTRA ? (size_t)spectra->frequency_count : (size_t)spectra_waiting(spectra, parted->step);
}

/* A stretch of a part's points that lies among the points [from, to) of the whole. */
struct stretch {
    int64_t from, to, first, last; /* points first .. last-1 of the part */
    int64_t run_first, run_last;
};

static struct stretch stretch_between(const struct part_records *records, int64_t from, int64_t to)
{
    struct stretch s = {.from = from, .to = to};
    for (; s.run_first < records->run_count; s.run_first++) {
        const struct part_run *run = &records->runs[s.run_first];
        if (run->whole + run->count > from) {
            s.first = run->own + (from > run->whole ? from - run->whole : 0);
            break;
        }
    }
    s.last = s.first;
    for (s.run_last = s.run_first; s.run_last < records->run_count; s.run_last++) {
        const struct part_run *run = &records->runs[s.run_last];
        if (run->whole >= to) {
            break;
        }
        s.last = run->own + (to - run->whole < run->count ? to - run->whole : run->count);
    }
    return s;
}

/* Copies planes of points between a part (`own`) and the stretch's points of the whole. */
static void copy_stretch(const struct part_records *records, const struct stretch *stretch, size_t planes,
                         size_t per_point, double *own, double *whole, bool to_whole)
{
    const int64_t points = stretch->to - stretch->from, own_points = stretch->last - stretch->first;
    for (int64_t r = stretch->run_first; r < stretch->run_last; r++) {
        const struct part_run *run = &records->runs[r];
        int64_t begin = run->whole > stretch->from ? run->whole : stretch->from;
        int64_t end = run->whole + run->count < stretch->to ? run->whole + run->count : stretch->to;
        int64_t own_begin = run->own + begin - run->whole - stretch->first;
        for (int64_t plane = 0; plane < (int64_t)planes && begin < end; plane++) {
            double *there = whole + (size_t)(plane * points + begin - stretch->from) * per_point;
            double *here = own + (size_t)(plane * own_points + own_begin) * per_point;
            size_t bytes = (size_t)(end - begin) * per_point * sizeof(double);
            memcpy(to_whole ? there : here, to_whole ? here : there, bytes);
        }
    }
}

/* Points of a row of the part: in maxwell3d a row is a point. */
static int64_t row_points(const struct parted *parted, const struct part_records *records)
{
    return parted->problem->formulation == FORMULATION_MAXWELL3D ? 1 : records->runs[0].count;
}

pw_status parted_gather_rows(struct parted *parted, const struct rows_read *read, double *out, pw_error *error)
{
    const int64_t columns = parted->problem->spectra.columns, from = read->row_first * columns;
    const size_t planes = planes_of(parted, read->verb);
    for (int part = 0; part < cut_count(&parted->cut); part++) {
        const struct part_records *records = &parted->records[part];
        const struct stretch stretch = stretch_between(records, from, from + read->row_count * columns);
        if (stretch.last == stretch.first || planes == 0) {
            continue;
        }
        const int64_t row = row_points(parted, records);
        const struct part_command command = {.verb = read->verb,
                                             .part = part,
                                             .run = read->run,
                                             .row_first = (int)(stretch.first / row),
                                             .row_count = (int)((stretch.last - stretch.first) / row),
                                             .steps = parted->step};
        void *own;
        TRY(parted_ask(parted, &command, NULL, &own, error));
        copy_stretch(records, &stretch, planes, values_per_point(read->verb), own, out, true);
        free(own);
    }
    return PW_OK;
}

pw_status parted_load_records(struct parted *parted, int run, int part, const struct run_state *from, pw_error *error)
{
    const struct spectra *spectra = &parted->problem->spectra;
    const struct part_records *records = &parted->records[part];
    const struct stretch all = stretch_between(records, 0, (int64_t)spectra->rows * spectra->columns);
    const size_t points = (size_t)(all.last - all.first), frequencies = (size_t)spectra->frequency_count;
    const size_t waiting = (size_t)spectra_waiting(spectra, from->step);
    const bool there = from->spectra != NULL && from->samples != NULL && points > 0;
    /* The solver of the part looks at a whole group of samples. */
    const size_t values = there ? points * (2 * frequencies + (size_t)spectra_group(spectra)) : 0;
    OWNED double *own = allocate(values, sizeof *own, "a part of a saved state", error);
    OWNED void *answer = NULL;
    TRY_MADE(own);
    if (there) {
        copy_stretch(records, &all, frequencies, 2, own, from->spectra, false);
        copy_stretch(records, &all, waiting, 1, own + 2 * frequencies * points, from->samples, false);
    }
    const struct part_command command = {
        .verb = PART_LOAD, .part = part, .run = run, .steps = from->step, .bytes = values * sizeof *own};
    return parted_ask(parted, &command, own, &answer, error);
}
