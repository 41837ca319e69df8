/* See cell_line.h. */
#include "medium/volume/cell_line.h"

#include <math.h>
#include <stdlib.h>

pw_status cell_line_create(const struct floorplan *plan, int count, struct cell_line *line, pw_error *error)
{
    *line = (struct cell_line){.count = count, .end = count};
    line->part = allocate((size_t)count, sizeof *line->part, "a line of the plan", error);
    line->marks = allocate((size_t)count, sizeof *line->marks, "a line of the plan", error);
    line->thin = allocate((size_t)count, sizeof *line->thin, "a line of the plan", error);
    return line->part != NULL && line->marks != NULL && line->thin != NULL ? run_list_create(plan, &line->runs, error)
                                                                           : PW_NO_RESOURCE;
}

void cell_line_free(struct cell_line *line)
{
    free(line->part);
    free(line->marks);
    free(line->thin);
    run_list_free(&line->runs);
}

/* Marks of a cell with metal from `low` to `high`, 0 to 1: at least one. */
static uint64_t marks_of(double low, double high)
{
    int first = (int)floor(low * MARKS + 1e-6), last = (int)ceil(high * MARKS - 1e-6);
    first = first < MARKS - 1 ? first : MARKS - 1;
    last = last > first ? last : first + 1;
    const uint64_t below = last >= MARKS ? ~UINT64_C(0) : (UINT64_C(1) << last) - 1;
    return below & ~((UINT64_C(1) << first) - 1);
}

/* Metal from place `low` to `high` [cells]. */
static void cover(struct cell_line *line, double low, double high)
{
    const int first = (int)fmax(floor(low), 0), last = (int)fmin(ceil(high), line->count);
    line->first = first < line->first ? first : line->first;
    line->end = last > line->end ? last : line->end;
    for (int i = first; i < last; i++) {
        line->part[i] -= (float)(fmin(high, i + 1) - fmax(low, i));
        line->marks[i] |= marks_of(fmax(low - i, 0), fmin(high - i, 1));
        line->thin[i] |= low > i && high < i + 1;
    }
}

void cell_line_read(const struct floorplan *plan, double y, double origin, double cell, struct cell_line *line)
{
    for (int i = line->first; i < line->end; i++) { /* what the line before has left */
        line->part[i] = 1;
        line->marks[i] = 0;
        line->thin[i] = 0;
    }
    line->first = line->count;
    line->end = 0;
    scanline_runs(plan, y, y, &line->runs);
    for (int r = 0; r < line->runs.count;) {
        int end = r + 1;
        if (plan->materials[line->runs.runs[r].material].perfect_conductor) {
            while (end < line->runs.count && plan->materials[line->runs.runs[end].material].perfect_conductor) {
                end++;
            }
            cover(line, (line->runs.runs[r].start - origin) / cell,
                  end < line->runs.count ? (line->runs.runs[end].start - origin) / cell : INFINITY);
        }
        r = end;
    }
}
