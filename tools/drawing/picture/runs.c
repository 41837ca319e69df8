/* Runs of covered pixels, what is connected with what, and specks (plane.h). Runs are joined row by row by a union-find
 * over runs, which takes less memory than one over pixels. */
#include "drawing/picture/plane.h"

#include <stdlib.h>
#include <string.h>

pw_status plane_make(struct plane *plane, int width, int height, pw_error *error)
{
    *plane = (struct plane){width, height, NULL};
    plane->cover = allocate((size_t)width * (size_t)height, 1, "a class of a picture", error);
    return plane->cover != NULL ? PW_OK : PW_NO_RESOURCE;
}

void plane_free(struct plane *plane)
{
    free(plane->cover);
    *plane = (struct plane){0};
}

void runs_free(struct plane_runs *runs)
{
    PW_FREE_ALL(runs->runs, runs->row_first);
    *runs = (struct plane_runs){0};
}

/* Counts the runs of a row, and writes them where `runs` is not NULL. */
static size_t row_runs(const uint8_t *cover, int width, bool covered, struct run *runs)
{
    size_t count = 0;
    int x = 0;
    while (x < width) {
        while (x < width && (cover[x] >= COVERED) != covered) {
            x++;
        }
        int from = x;
        while (x < width && (cover[x] >= COVERED) == covered) {
            x++;
        }
        if (x > from) {
            if (runs != NULL) {
                runs[count] = (struct run){from, x, 0};
            }
            count++;
        }
    }
    return count;
}

static uint32_t root_of(struct run *runs, uint32_t r)
{
    while (runs[r].root != r) {
        runs[r].root = runs[runs[r].root].root;
        r = runs[r].root;
    }
    return r;
}

/* Joins the runs of two rows that lie over each other, or touch within `reach` columns. The older root stands for both,
 * so that a root is the first run of its component. */
static void rows_join(struct run *runs, const size_t *row_first, int reach)
{
    size_t above = row_first[0], below = row_first[1];
    while (above < row_first[1] && below < row_first[2]) {
        if (runs[above].from < runs[below].to + reach && runs[below].from < runs[above].to + reach) {
            uint32_t a = root_of(runs, (uint32_t)above), b = root_of(runs, (uint32_t)below);
            runs[a > b ? a : b].root = a < b ? a : b;
        }
        if (runs[above].to < runs[below].to) {
            above++;
        } else {
            below++;
        }
    }
}

pw_status runs_find(const struct plane *plane, bool covered, struct plane_runs *runs, pw_error *error)
{
    *runs = (struct plane_runs){0};
    size_t width = (size_t)plane->width, height = (size_t)plane->height;
    runs->row_first = allocate(height + 1, sizeof *runs->row_first, "the rows of a picture", error);
    TRY_MADE(runs->row_first);
    for (size_t y = 0; y < height; y++) {
        runs->row_first[y] = runs->count;
        runs->count += row_runs(plane->cover + width * y, plane->width, covered, NULL);
    }
    runs->row_first[height] = runs->count;
    FAIL_IF(runs->count > RUN_LIMIT, error, PW_BAD_INPUT,
            "the picture is noise: a colour of it is in more than %d million pieces; a larger tolerance joins "
            "colours, a scan wants to be read as a scan",
            RUN_LIMIT / 1000000);
    runs->runs = allocate(runs->count, sizeof *runs->runs, "the runs of a picture", error);
    TRY_MADE(runs->runs);
    for (size_t y = 0; y < height; y++) {
        (void)row_runs(plane->cover + width * y, plane->width, covered, runs->runs + runs->row_first[y]);
    }
    for (size_t r = 0; r < runs->count; r++) {
        runs->runs[r].root = (uint32_t)r;
    }
    for (size_t y = 0; y + 1 < height; y++) {
        rows_join(runs->runs, runs->row_first + y, covered ? 1 : 0);
    }
    for (size_t r = 0; r < runs->count; r++) {
        runs->runs[r].root = root_of(runs->runs, (uint32_t)r);
    }
    return PW_OK;
}

/* Sizes of components, at their roots; what touches the rim of the picture has no end, and counts as large. */
static void component_sizes(const struct plane *plane, const struct plane_runs *runs, bool rim_is_large, double *sizes)
{
    for (size_t y = 0; y < (size_t)plane->height; y++) {
        bool rim_row = y == 0 || y + 1 == (size_t)plane->height;
        for (size_t r = runs->row_first[y]; r < runs->row_first[y + 1]; r++) {
            const struct run *run = &runs->runs[r];
            bool at_rim = rim_row || run->from == 0 || run->to == plane->width;
            sizes[run->root] += rim_is_large && at_rim ? 1e12 : run->to - run->from;
        }
    }
}

static pw_status specks_turn(struct plane *plane, bool covered, double size, size_t *dropped, pw_error *error)
{
    OWNED_BY(runs_free) struct plane_runs runs = {0};
    OWNED double *sizes = NULL;
    TRY(runs_find(plane, covered, &runs, error));
    sizes = allocate(runs.count, sizeof *sizes, "the sizes of specks", error);
    TRY_MADE(sizes);
    component_sizes(plane, &runs, !covered, sizes);
    for (size_t y = 0; y < (size_t)plane->height; y++) {
        for (size_t r = runs.row_first[y]; r < runs.row_first[y + 1]; r++) {
            const struct run *run = &runs.runs[r];
            if (sizes[run->root] < size) {
                *dropped += run->root == r;
                memset(plane->cover + (size_t)plane->width * y + (size_t)run->from, covered ? 0 : 255,
                       (size_t)(run->to - run->from));
            }
        }
    }
    return PW_OK;
}

pw_status plane_drop_specks(struct plane *plane, double speck, double hole, size_t *dropped, pw_error *error)
{
    TRY(specks_turn(plane, true, speck * speck, dropped, error));
    return specks_turn(plane, false, hole * hole, dropped, error);
}
