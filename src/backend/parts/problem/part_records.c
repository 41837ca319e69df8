/* What a part records: probes and points of the spectra at its own nodes, and where they belong in the whole. */
#include "backend/parts/problem/part_place.h"
#include "backend/parts/problem/part_problem.h"

#include <stdlib.h>
#include <string.h>

/* ---- probes ------------------------------------------------------------------------------------------------------ */

/* Places of a probe; a node alone is one. */
static int places_of(const struct probe *probe)
{
    return probe->count > 0 ? probe->count : 1;
}

static struct node_at probe_place(const struct problem *whole, const struct probe *probe, int place)
{
    struct node_at node = node_of(whole, probe->count > 0 ? probe->place[place] : probe->node);
    node.component = probe->count > 0 ? node.component : 0; /* a node's number has none */
    return node;
}

/* How many places of the probe the part owns. */
static int places_owned(const struct problem *whole, const struct probe *probe, const struct part_box *box)
{
    int owned = 0;
    for (int n = 0; n < places_of(probe); n++) {
        struct node_at node = probe_place(whole, probe, n);
        owned += node_in(&node, box->own, box->own_end);
    }
    return owned;
}

/* Room for the probes of the part: all of a probe as one, or each of its places that the part owns. */
static pw_status allocate_probes(const struct problem *whole, const struct part_box *box, struct problem *part,
                                 struct part_records *records, pw_error *error)
{
    size_t probes = 0, places = 0;
    for (int p = 0; p < whole->probe_count; p++) {
        int owned = places_owned(whole, &whole->probes[p], box);
        probes += (size_t)owned;
        places += (size_t)owned;
    }
    part->probes = allocate(probes, sizeof *part->probes, "the receivers of a part of the grid", error);
    part->probe_places = allocate(places, sizeof *part->probe_places, "the receivers of a part of the grid", error);
    part->probe_weights = allocate(places, sizeof *part->probe_weights, "the receivers of a part of the grid", error);
    records->probes = allocate(probes, sizeof *records->probes, "the receivers of a part of the grid", error);
    return part->probes != NULL && part->probe_places != NULL && part->probe_weights != NULL && records->probes != NULL
               ? PW_OK
               : PW_NO_RESOURCE;
}

/* A sum over places, all of which the part owns. */
static void take_sum(const struct problem *whole, const struct part_box *box, int p, struct problem *part,
                     struct part_records *records, int64_t *used)
{
    const struct probe *probe = &whole->probes[p];
    struct probe *own = &part->probes[part->probe_count];
    *own = (struct probe){.component = probe->component,
                          .count = probe->count,
                          .place = part->probe_places + *used,
                          .weight = part->probe_weights + *used};
    for (int n = 0; n < probe->count; n++) {
        struct node_at node = probe_place(whole, probe, n);
        part->probe_places[*used] = place_in_part(part, box, &node);
        part->probe_weights[(*used)++] = probe->weight[n];
    }
    records->probes[part->probe_count++] = (struct part_probe){p, -1};
}

/* Single values: a probe that is one, or the places of a sum over several parts. */
static void take_values(const struct problem *whole, const struct part_box *box, int p, struct problem *part,
                        struct part_records *records)
{
    const struct probe *probe = &whole->probes[p];
    for (int n = 0; n < places_of(probe); n++) {
        struct node_at node = probe_place(whole, probe, n);
        if (!node_in(&node, box->own, box->own_end)) {
            continue;
        }
        enum component component = probe->count > 0 ? (enum component)node.component : probe->component;
        node.component = 0;
        part->probes[part->probe_count] =
            (struct probe){.component = component, .node = place_in_part(part, box, &node)};
        records->probes[part->probe_count++] = (struct part_probe){p, probe->count > 0 ? n : -1};
    }
}

pw_status part_probes_create(const struct problem *whole, const struct part_box *box, struct problem *part,
                             struct part_records *records, pw_error *error)
{
    int64_t used = 0;
    TRY(allocate_probes(whole, box, part, records, error));
    for (int p = 0; p < whole->probe_count; p++) {
        const struct probe *probe = &whole->probes[p];
        if (probe->count > 0 && places_owned(whole, probe, box) == probe->count) {
            take_sum(whole, box, p, part, records, &used);
        } else {
            take_values(whole, box, p, part, records);
        }
    }
    records->probe_count = part->probe_count;
    return PW_OK;
}

/* ---- spectra ----------------------------------------------------------------------------------------------------- */

/* Those of `count` points first, first + step, ... that lie within [own, own_end): the first of them, and how many. */
static int points_within(int first, int step, int count, int own, int own_end, int *begin)
{
    int last = count; /* one after the last */
    *begin = 0;
    if (step == 0) {
        return first >= own && first < own_end ? count : 0;
    }
    for (; *begin < last && first + *begin * step < own; ++*begin) {
    }
    for (; last > *begin && first + (last - 1) * step >= own_end; last--) {
    }
    return last - *begin;
}

static void add_runs(struct part_records *records, int64_t whole, int64_t whole_stride, int64_t own, int columns,
                     int rows)
{
    for (int r = 0; r < rows; r++) {
        records->runs[records->run_count++] =
            (struct part_run){whole + r * whole_stride, own + (int64_t)r * columns, columns};
    }
}

static void take_lattice(const struct problem *whole, const struct part_box *box, struct problem *part,
                         struct part_records *records)
{
    const struct spectra *from = &whole->spectra;
    struct spectra *spectra = &part->spectra;
    int column, row;
    spectra->columns = points_within(from->x0, from->spacing, from->columns, box->own[0], box->own_end[0], &column);
    spectra->rows = points_within(from->y0, from->spacing, from->rows, box->own[1], box->own_end[1], &row);
    spectra->x0 = from->x0 + column * from->spacing - box->first[0];
    spectra->y0 = from->y0 + row * from->spacing - box->first[1];
    if (spectra->columns > 0 && spectra->rows > 0) {
        add_runs(records, (int64_t)row * from->columns + column, from->columns, 0, spectra->columns, spectra->rows);
    }
}

/* Places from one point of a sheet to the next along a line of `count`: how far along each axis. */
static void line_steps(const struct problem *whole, int64_t first, int64_t stride, int count, int step[3])
{
    struct node_at from = node_of(whole, first), to = node_of(whole, count > 1 ? first + stride : first);
    for (int a = 0; a < 3; a++) {
        step[a] = to.at[a] - from.at[a];
    }
}

/* Those points of a line that the part owns, as points_within; the steps are along one axis at most. */
static int line_within(const struct node_at *first, const int step[3], int count, const struct part_box *box,
                       int *begin)
{
    int kept = count;
    *begin = 0;
    for (int a = 0; a < 3 && kept > 0; a++) {
        int own_begin, own = points_within(first->at[a], step[a], count, box->own[a], box->own_end[a], &own_begin);
        if (step[a] != 0) {
            *begin = own_begin;
            kept = own;
        }
    }
    return kept;
}

static int64_t stride_in(const struct problem *part, const int step[3])
{
    return step[0] + (int64_t)part->axis[0].count * (step[1] + (int64_t)part->axis[1].count * step[2]);
}

static void take_sheet(const struct problem *whole, const struct part_box *box, const struct spectra_sheet *sheet,
                       int64_t whole_first, struct problem *part, struct part_records *records)
{
    int across[3], along[3], column, row;
    struct spectra *spectra = &part->spectra;
    const struct node_at first = node_of(whole, sheet->first);
    line_steps(whole, sheet->first, sheet->column_stride, sheet->columns, across);
    line_steps(whole, sheet->first, sheet->row_stride, sheet->rows, along);
    int columns = line_within(&first, across, sheet->columns, box, &column);
    int rows = line_within(&first, along, sheet->rows, box, &row);
    struct node_at corner = first;
    for (int a = 0; a < 3; a++) {
        corner.at[a] += column * across[a] + row * along[a];
    }
    if (columns <= 0 || rows <= 0 || !node_in(&corner, box->own, box->own_end)) {
        return;
    }
    add_runs(records, whole_first + (int64_t)row * sheet->columns + column, sheet->columns, spectra->rows, columns,
             rows);
    spectra->sheets[spectra->sheet_count++] = (struct spectra_sheet){.first = place_in_part(part, box, &corner),
                                                                     .column_stride = stride_in(part, across),
                                                                     .row_stride = stride_in(part, along),
                                                                     .columns = columns,
                                                                     .rows = rows};
    spectra->rows += columns * rows;
}

/* Lines of points: a run each. */
static size_t runs_at_most(const struct spectra *spectra)
{
    size_t lines = spectra->sheet_count == 0 ? (size_t)spectra->rows : 0;
    for (int s = 0; s < spectra->sheet_count; s++) {
        lines += (size_t)spectra->sheets[s].rows;
    }
    return lines;
}

static pw_status copy_frequencies(const struct spectra *from, struct spectra *spectra, pw_error *error)
{
    const size_t count = (size_t)from->frequency_count;
    spectra->frequency = allocate(count, sizeof(double), "the spectra of a part of the grid", error);
    spectra->omega = allocate(count, sizeof(double), "the spectra of a part of the grid", error);
    if (spectra->frequency == NULL || spectra->omega == NULL) {
        return PW_NO_RESOURCE;
    }
    memcpy(spectra->frequency, from->frequency, count * sizeof(double));
    memcpy(spectra->omega, from->omega, count * sizeof(double));
    return PW_OK;
}

pw_status part_spectra_create(const struct problem *whole, const struct part_box *box, struct problem *part,
                              struct part_records *records, pw_error *error)
{
    const struct spectra *from = &whole->spectra;
    struct spectra *spectra = &part->spectra;
    *spectra = (struct spectra){.component = from->component, .every = from->every, .spacing = from->spacing};
    if (from->frequency_count == 0) {
        return PW_OK;
    }
    records->runs = allocate(runs_at_most(from), sizeof *records->runs, "the spectra of a part of the grid", error);
    spectra->sheets =
        allocate((size_t)from->sheet_count, sizeof *spectra->sheets, "the spectra of a part of the grid", error);
    if (records->runs == NULL || spectra->sheets == NULL) {
        return PW_NO_RESOURCE;
    }
    if (whole->formulation != FORMULATION_MAXWELL3D) {
        take_lattice(whole, box, part, records);
    }
    spectra->columns = whole->formulation == FORMULATION_MAXWELL3D ? 1 : spectra->columns;
    for (int64_t s = 0, first = 0; s < from->sheet_count; s++) {
        take_sheet(whole, box, &from->sheets[s], first, part, records);
        first += (int64_t)from->sheets[s].columns * from->sheets[s].rows;
    }
    if (records->run_count == 0) {
        spectra->rows = spectra->columns = 0;
    }
    spectra->frequency_count = records->run_count > 0 ? from->frequency_count : 0;
    return records->run_count > 0 ? copy_frequencies(from, spectra, error) : PW_OK;
}
