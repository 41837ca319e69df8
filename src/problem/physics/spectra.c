/* Running spectra: their frequencies, and in three dimensions the sheets on which their points lie. */
#include "problem/physics/physics.h"

static const struct member SHEET[] = {
    MEMBER(struct spectra_sheet, first),      MEMBER(struct spectra_sheet, column_stride),
    MEMBER(struct spectra_sheet, row_stride), MEMBER(struct spectra_sheet, columns),
    MEMBER(struct spectra_sheet, rows),       {0}};

static void visit_sheets(struct array_walk *walk)
{
    struct spectra *spectra = &walk->problem->spectra;
    OWN(walk, spectra->sheets, spectra->sheet_count, SHEET);
}

const struct physics physics_sheets = {.arrays = visit_sheets};

static void visit(struct array_walk *walk)
{
    struct spectra *spectra = &walk->problem->spectra;
    OWN(walk, spectra->frequency, spectra->frequency_count, NULL);
    OWN(walk, spectra->omega, spectra->frequency_count, WHOLE);
    OWN(walk, spectra->wanted, (int64_t)spectra->rows * spectra->columns, WHOLE);
}

/* ---- of a part: physics_spectra cuts the sheets too ------------------------------------------------------------- */

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
static int64_t runs_at_most(const struct spectra *spectra)
{
    int64_t lines = spectra->sheet_count == 0 ? spectra->rows : 0;
    for (int s = 0; s < spectra->sheet_count; s++) {
        lines += spectra->sheets[s].rows;
    }
    return lines;
}

static pw_status cut_spectra(const struct part_cut *cut, struct problem *part, pw_error *error)
{
    const struct problem *whole = cut->whole;
    struct part_records *records = cut->records;
    const struct spectra *from = &whole->spectra;
    struct spectra *spectra = &part->spectra;
    *spectra = (struct spectra){.component = from->component, .every = from->every, .spacing = from->spacing};
    if (from->frequency_count == 0) {
        return PW_OK;
    }
    TRY(part_room(&records->runs, runs_at_most(from), sizeof *records->runs, error));
    TRY(part_room(&spectra->sheets, from->sheet_count, sizeof *spectra->sheets, error));
    if (whole->formulation != FORMULATION_MAXWELL3D) {
        take_lattice(whole, cut->box, part, records);
    }
    spectra->columns = whole->formulation == FORMULATION_MAXWELL3D ? 1 : spectra->columns;
    for (int64_t s = 0, first = 0; s < from->sheet_count; s++) {
        take_sheet(whole, cut->box, &from->sheets[s], first, part, records);
        first += (int64_t)from->sheets[s].columns * from->sheets[s].rows;
    }
    if (records->run_count == 0) {
        spectra->rows = spectra->columns = 0;
        return PW_OK;
    }
    spectra->frequency_count = from->frequency_count;
    TRY(part_copy(&spectra->frequency, from->frequency, from->frequency_count, sizeof(double), error));
    return part_copy(&spectra->omega, from->omega, from->frequency_count, sizeof(double), error);
}

const struct physics physics_spectra = {.arrays = visit, .cut = cut_spectra};
