/* Gaps of walls (plane_gaps.h): stretches without walls in lines beside each other. */
#include "drawing/picture/walls/plane_gaps.h"

#include <math.h>
#include <stdlib.h>

/* The lines of a plane: its rows, or its columns. A gap of them is a rectangle from `from` to before `to` along the
 * lines, and of the lines `first` to `last`. */
struct line_gap {
    int from, to, first, last, drift; /* by how much an end of it moves */
};

struct gap_search {
    const struct plane *walls;
    bool rows;
    int count, length; /* of lines, and of each */
    double least, most, thinnest, thickest;
    bool both;             /* a wall has to end at either end, as slanted walls pass by in all ways */
    struct line_gap *open; /* owned: those that may go on */
    size_t open_count, open_room;
    struct plane_gap *gaps;
    size_t gap_count, gap_room;
};

static bool wall_at(const struct gap_search *search, int line, int n)
{
    const size_t width = (size_t)search->walls->width;
    size_t at = search->rows ? (size_t)line * width + (size_t)n : (size_t)n * width + (size_t)line;
    return search->walls->cover[at] >= COVERED;
}

/* Whether a line beside the gap is mostly free of walls. */
static bool is_free_beside(const struct gap_search *search, const struct line_gap *gap, int line)
{
    const double most = 0.25;
    int covered = 0;
    for (int n = gap->from; line >= 0 && line < search->count && n < gap->to; n++) {
        covered += wall_at(search, line, n);
    }
    return covered <= most * (gap->to - gap->from);
}

/* Whether a wall ends at this end of the gap, and does not pass by: beside the wall nothing is covered. */
static bool wall_ends(const struct gap_search *search, const struct line_gap *gap, bool high)
{
    const int beyond = 3;
    const int n = high ? gap->to + beyond : gap->from - 1 - beyond;
    bool free = n >= 0 && n < search->length;
    for (int side = 0; side < 2 && free; side++) {
        const int line = side == 0 ? gap->first - beyond : gap->last + beyond;
        free = line < 0 || line >= search->count || !wall_at(search, line, n);
    }
    return free;
}

/* Keeps a gap that is as thick as walls are, square, and open to both sides; at one end of it at least a wall ends. */
static pw_status gap_close(struct gap_search *search, const struct line_gap *gap, pw_error *error)
{
    const int thick = gap->last - gap->first + 1, beyond = 2;
    if (thick < search->thinnest || thick > search->thickest || 2 * gap->drift > thick ||
        !is_free_beside(search, gap, gap->first - beyond) || !is_free_beside(search, gap, gap->last + beyond) ||
        wall_ends(search, gap, false) + wall_ends(search, gap, true) < (search->both ? 2 : 1)) {
        return PW_OK;
    }
    TRY(array_grow(&search->gaps, &search->gap_room, search->gap_count, sizeof *search->gaps, "openings of a picture",
                   error));
    search->gaps[search->gap_count++] = search->rows
                                            ? (struct plane_gap){true, gap->from, gap->to, gap->first, gap->last + 1}
                                            : (struct plane_gap){false, gap->first, gap->last + 1, gap->from, gap->to};
    return PW_OK;
}

/* Adds a stretch of a line to the gap that it goes on with, or begins one. */
static pw_status stretch_add(struct gap_search *search, int line, int from, int to, pw_error *error)
{
    const int uneven = 3;
    for (size_t n = 0; n < search->open_count; n++) {
        struct line_gap *open = &search->open[n];
        if (open->last == line - 1 && abs(open->from - from) <= uneven && abs(open->to - to) <= uneven) {
            const int drift = abs(open->from - from) > abs(open->to - to) ? abs(open->from - from) : abs(open->to - to);
            open->last = line;
            open->drift = drift > open->drift ? drift : open->drift;
            return PW_OK;
        }
    }
    TRY(array_grow(&search->open, &search->open_room, search->open_count, sizeof *search->open, "openings of a picture",
                   error));
    search->open[search->open_count++] = (struct line_gap){from, to, line, line, 0};
    return PW_OK;
}

static pw_status line_search(struct gap_search *search, int line, pw_error *error)
{
    int last = -1; /* the last place that is wall */
    for (int n = 0; n < search->length && line < search->count; n++) {
        if (!wall_at(search, line, n)) {
            continue;
        }
        if (last >= 0 && n - last - 1 >= search->least && n - last - 1 <= search->most) {
            TRY(stretch_add(search, line, last + 1, n, error));
        }
        last = n;
    }
    size_t kept = 0;
    for (size_t n = 0; n < search->open_count; n++) {
        if (search->open[n].last == line) {
            search->open[kept++] = search->open[n];
        } else {
            TRY(gap_close(search, &search->open[n], error));
        }
    }
    search->open_count = kept;
    return PW_OK;
}

pw_status gaps_find(const struct plane *walls, double length, bool both, struct plane_gap **gaps, size_t *count,
                    pw_error *error)
{
    struct gap_search search = {.walls = walls,
                                .both = both,
                                .least = length / 6,
                                .most = length,
                                .thinnest = fmax(length / 60, 2),
                                .thickest = length / 5};
    pw_status status = PW_OK;
    for (int turn = 0; turn < 2; turn++) {
        search.rows = turn == 0;
        search.count = search.rows ? walls->height : walls->width;
        search.length = search.rows ? walls->width : walls->height;
        for (int line = 0; line <= search.count && status == PW_OK; line++) {
            status = line_search(&search, line, error);
        }
    }
    free(search.open);
    *gaps = search.gaps;
    *count = search.gap_count;
    return status;
}
