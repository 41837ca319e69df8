/* Capacity at the places of receivers, over the walls as they were solved. */
#include "map/floor/walls.h"
#include "map/mimo/mimo.h"

#include "api/plot.h"

#include <math.h>
#include <stdlib.h>

static const double LARGEST_SPOT = 0.012; /* radius, of the plan's long side */
enum { LONG_SIDE = 1000, SHORT_LEAST = 400, MARGIN = 200 /* pixels */, AIR = 255, WALL = 150 };

/* One place of a receiver: x, y, radius [m] and the capacity of the best of its links. */
struct spot {
    double x, y, radius, capacity;
};

/* Receivers repeat for every transmitter, in the same order. Returns how many there are. */
static int spots_fill(const struct mimo_links *links, double side, struct spot *spots)
{
    int count = 0;
    while (count < links->count && links->link[count].transmitter == links->link[0].transmitter) {
        count++;
    }
    for (int n = 0; n < links->count; n++) {
        const struct mimo_link *link = &links->link[n];
        struct spot *spot = &spots[n % count];
        const bool better = n < count || link->metrics.capacity > spot->capacity;
        *spot = (struct spot){link->x, link->y, 0, better ? link->metrics.capacity : spot->capacity};
    }
    double nearest = INFINITY;
    for (int n = 1; n < count; n++) { /* neighbours of a grid or line follow each other */
        const double apart = hypot(spots[n].x - spots[n - 1].x, spots[n].y - spots[n - 1].y);
        nearest = apart > 0 ? fmin(nearest, apart) : nearest;
    }
    for (int n = 0; n < count; n++) {
        spots[n].radius = fmin(0.4 * nearest, LARGEST_SPOT * side);
    }
    return count;
}

static void walls_send(pw_plot *plot, const struct plan_walls *walls, uint8_t *colours)
{
    const size_t count = (size_t)walls->rows * (size_t)walls->columns;
    for (size_t n = 0; n < 3 * count; n++) {
        colours[n] = walls->wall[n / 3] != 0 ? WALL : AIR;
    }
    pw_plot_send(plot,
                 "plot %s binary array=(%d,%d) origin=(%.9g,%.9g) dx=%.9g dy=%.9g format='%%uint8%%uint8%%uint8' with "
                 "rgbimage notitle, ",
                 pw_plot_data(plot, colours, 3 * count), walls->columns, walls->rows, walls->x0, walls->y0, walls->cell,
                 walls->cell);
}

/* Where stations send, with their names. */
static void stations_send(pw_plot *plot, const struct result *result)
{
    for (int t = 0; t < result->transmitter_count; t++) {
        const struct result_transmitter *sender = &result->transmitters[t];
        const bool first = sender->port.number <= 1;
        pw_plot_send(plot,
                     "set label %s at first %.9g,%.9g center offset 0,1 point pt 9 ps 1.6 lc rgb '#d01c1c' front\n",
                     !first                     ? "''"
                     : sender->port.number == 0 ? pw_plot_quote(plot, sender->name)
                                                : pw_plot_quote(plot, sender->port.station),
                     sender->x, sender->y);
    }
}

static pw_status map_draw(const struct mimo_links *links, const struct result *result, const struct plan_walls *walls,
                          const char *path, struct spot *spots, uint8_t *colours, pw_error *error)
{
    const double width = walls->columns * walls->cell, height = walls->rows * walls->cell;
    const double scale = LONG_SIDE / fmax(width, height);
    const int count = spots_fill(links, fmax(width, height), spots);
    pw_plot *plot = NULL;
    TRY(pw_plot_open(path, (int)fmax(SHORT_LEAST, scale * width) + MARGIN,
                     (int)fmax(SHORT_LEAST, scale * height) + MARGIN / 2, &plot, error));
    pw_plot_send(plot, "set title 'Capacity, the same power from every antenna'\nset size ratio -1\n");
    pw_plot_send(plot, "set xlabel 'x [m]'\nset ylabel 'y [m]'\nset cblabel 'capacity [bit/s/Hz]'\n");
    pw_plot_send(plot,
                 "set palette defined (0 '#440154', 1 '#31688e', 2 '#35b779', 3 '#fde725')\nset xrange "
                 "[%.9g:%.9g]\nset yrange [%.9g:%.9g]\n",
                 walls->x0, walls->x0 + width, walls->y0, walls->y0 + height);
    stations_send(plot, result);
    walls_send(plot, walls, colours);
    pw_plot_send(plot,
                 "%s binary format='%%4float64' using 1:2:3:4 with circles lc palette fs solid noborder notitle\n",
                 pw_plot_data(plot, spots, (size_t)count * sizeof *spots));
    return pw_plot_finish(plot, error);
}

pw_status mimo_map(const struct mimo_links *links, const pw_result *result, const char *path, pw_error *error)
{
    OWNED_BY(walls_free) struct plan_walls walls = {0};
    TRY(walls_read(result, &walls, error));
    OWNED struct spot *spots = allocate((size_t)links->count, sizeof *spots, "a picture", error);
    OWNED uint8_t *colours = allocate((size_t)walls.rows * (size_t)walls.columns, 3, "a picture", error);
    return spots == NULL || colours == NULL ? PW_NO_RESOURCE
                                            : map_draw(links, result, &walls, path, spots, colours, error);
}
