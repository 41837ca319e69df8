/* Drawing a picture of the field (frame_picture.h). The floor is drawn in LEVELS steps of colour at SHADES shares of
 * wall, so that a byte a pixel is enough. */
#include "run/job/frame_picture.h"

#include "backend/solver.h"
#include "base/numbers/hankel.h"
#include "base/picture/colormap.h"
#include "base/picture/pixel_font.h"
#include "discretize/formulation.h"
#include "discretize/volume/volume.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    LEVELS = 80, /* colours from the darkest to the lightest */
    SHADES = 3,  /* air, half a wall, wall */
    BACKGROUND = LEVELS * SHADES,
    INK,
    BAR_HEIGHT = 4,    /* pixels: the bar that grows with the time */
    LETTER_SCALE = 2,  /* pixels of the picture for one of a letter */
    LINE_HEIGHT = 28,  /* pixels from a line of text to the next */
    TEXT_MARGIN = 10,  /* pixels */
    SCALE_HEIGHT = 14, /* pixels: the scale of the colours */
};

static int even(double pixels)
{
    return 2 * (int)fmax(16.0, round(0.5 * pixels));
}

static void palette_fill(uint8_t palette[256][3])
{
    for (int n = 0; n < LEVELS * SHADES; n++) {
        pw_colour colour = colormap_at(PW_COLORMAP_VIRIDIS, (n % LEVELS) / (LEVELS - 1.0));
        double light = 1.0 - 0.55 * (n / LEVELS) / (SHADES - 1.0);
        palette[n][0] = (uint8_t)(light * colour.red);
        palette[n][1] = (uint8_t)(light * colour.green);
        palette[n][2] = (uint8_t)(light * colour.blue);
    }
    memset(palette[BACKGROUND], 24, 3);
    memset(palette[INK], 255, 3);
}

/* Three dimensions: the level of Ez that is drawn, that of the first plane of spectra, else the transmitter's. */
static int frame_level(const struct setup *setup)
{
    const struct problem *problem = &setup->problem;
    if (problem->axis[2].count == 1) {
        return 0;
    }
    double height = setup->problem.spectra.sheet_count > 0 && setup->sheets[0].normal == 2
                        ? setup->sheets[0].position
                        : volume_height(setup->scenario->transmitters[0].height);
    double level = round((height - setup->origin_z) / problem->axis[2].spacing - 0.5);
    return (int)fmin(fmax(level, 0), problem->axis[2].count - 1);
}

pw_status frame_picture_create(const struct setup *setup, struct frame_picture *picture, pw_error *error)
{
    const struct problem *problem = &setup->problem;
    int wide = problem->axis[0].count - run_state_filters(problem, 0),
        tall = problem->axis[1].count - run_state_filters(problem, 1);
    double scale = (double)FRAME_LONG_SIDE / (wide > tall ? wide : tall);
    *picture =
        (struct frame_picture){.setup = setup, .floor_width = even(scale * wide), .floor_height = even(scale * tall)};
    picture->width = picture->floor_width > FRAME_LEAST_WIDTH ? picture->floor_width : FRAME_LEAST_WIDTH;
    picture->height = picture->floor_height + FRAME_STRIP;
    palette_fill(picture->palette);
    const size_t nodes = (size_t)problem_nodes(problem), components = (size_t)setup->formulation->components,
                 values = components * nodes;
    const int level = frame_level(setup);
    if (setup->scenario->horizontal) { /* what Ex and Ey carry together */
        picture->second_plane = nodes;
    } else {
        picture->plane =
            values - nodes + (size_t)level * (size_t)problem->axis[0].count * (size_t)problem->axis[1].count;
    }
    picture->medium_plane = (size_t)(setup_level(setup, 2, level) - setup->medium.index);
    picture->field = allocate(values, sizeof *picture->field, "a picture of the field", error);
    picture->pixels =
        allocate((size_t)picture->width * (size_t)picture->height, sizeof *picture->pixels, "a picture", error);
    return picture->field != NULL && picture->pixels != NULL ? PW_OK : PW_NO_RESOURCE;
}

void frame_picture_free(struct frame_picture *picture)
{
    FREE_ALL(picture->field, picture->pixels);
    *picture = (struct frame_picture){0};
}

/* That of the peak current at 1 m, or of the peak moment there, or the imposed field carried to 1 m by the Hankel
 * function. */
double frame_reference_field(const struct setup *setup, int transmitter)
{
    const struct problem *problem = &setup->problem;
    const struct source *source = &problem->sources[transmitter];
    double peak = 0.0, re, im, near_re, near_im, centre = setup->scenario->band_centre;
    for (int64_t n = 0; n < problem->steps; n++) {
        peak = fmax(peak, fabs(source->hard ? source->drive[n] : source->current[n]));
    }
    if (setup->formulation->moment) {
        peak *= 1e-7 * 2 * M_PI * centre; /* w mu0/(4 pi r), of a current moment broadside at 1 m */
        return peak > 0.0 ? peak : 1.0;
    }
    line_current_field(centre, 1.0, &re, &im);
    if (source->hard) {
        line_current_field(centre, 0.2 * problem->axis[0].spacing, &near_re, &near_im);
        peak /= hypot(near_re, near_im);
    }
    peak *= hypot(re, im);
    return peak > 0.0 ? peak : 1.0;
}

/* ---- the floor --------------------------------------------------------------------------------------------------- */

/* Mean of |Ez|^2, or of |Ex|^2 + |Ey|^2, and the share of wall over the nodes of a pixel of the floor, of which there
 * is at least one. */
static void pixel_gather(const struct frame_picture *picture, int column, int row, double *power, double *wall)
{
    const struct problem *problem = &picture->setup->problem;
    const struct medium *medium = &picture->setup->medium;
    const struct axis *x = &problem->axis[0], *y = &problem->axis[1];
    const struct setup *setup = picture->setup;
    int left = setup_absorber_cells(setup, 0, 0), bottom = setup_absorber_cells(setup, 1, 0);
    int wide = x->count - left - setup_absorber_cells(setup, 0, 1),
        tall = y->count - bottom - setup_absorber_cells(setup, 1, 1);
    int i0 = (int)((int64_t)column * wide / picture->floor_width),
        i1 = (int)((int64_t)(column + 1) * wide / picture->floor_width);
    int j0 = (int)((int64_t)row * tall / picture->floor_height),
        j1 = (int)((int64_t)(row + 1) * tall / picture->floor_height);
    int count = 0;
    *power = *wall = 0.0;
    for (int j = j0; j < (j1 > j0 ? j1 : j0 + 1); j++) {
        for (int i = i0; i < (i1 > i0 ? i1 : i0 + 1); i++) {
            size_t n = (size_t)(j + bottom) * (size_t)x->count + (size_t)(i + left);
            const struct medium_entry *entry = &medium->palette[medium->index[picture->medium_plane + n]];
            const double e = picture->field[picture->plane + n];
            const double other = picture->second_plane > 0 ? picture->field[picture->second_plane + n] : 0.0;
            *power += e * e + other * other;
            *wall += entry->perfect_conductor || entry->relative_permittivity > 1.1 ? 1.0 : 0.0;
            count++;
        }
    }
    *power /= count;
    *wall /= count;
}

static void draw_floor(struct frame_picture *picture, double reference, double passed)
{
    int left = (picture->width - picture->floor_width) / 2, bar = (int)(passed * picture->floor_width);
#pragma omp parallel for schedule(static)
    for (int row = 0; row < picture->floor_height; row++) {
        /* Row 0 of a picture is at the top, that of the floor at the bottom. */
        uint8_t *pixels = picture->pixels + (size_t)(picture->floor_height - 1 - row) * (size_t)picture->width + left;
        for (int column = 0; column < picture->floor_width; column++) {
            double power, wall;
            pixel_gather(picture, column, row, &power, &wall);
            double level = 1.0 + 10.0 * log10(power / (reference * reference) + 1e-30) / FRAME_DEPTH;
            int colour = (int)lround(fmin(fmax(level, 0.0), 1.0) * (LEVELS - 1));
            int shade = (int)lround(wall * (SHADES - 1));
            pixels[column] = row < BAR_HEIGHT && column < bar ? INK : (uint8_t)(shade * LEVELS + colour);
        }
    }
}

/* ---- the strip below it ------------------------------------------------------------------------------------------ */

static int text_width(const char *text)
{
    return (int)strlen(text) * PIXEL_FONT_ADVANCE * LETTER_SCALE;
}

/* Writes the text with its upper left corner at (x, y), as far as there is room. */
static void draw_text(struct frame_picture *picture, int x, int y, const char *text)
{
    for (; *text != '\0'; text++, x += PIXEL_FONT_ADVANCE * LETTER_SCALE) {
        for (int row = 0; row < PIXEL_FONT_HEIGHT * LETTER_SCALE; row++) {
            for (int column = 0; column < PIXEL_FONT_WIDTH * LETTER_SCALE; column++) {
                bool inside = x + column >= 0 && x + column < picture->width && y + row < picture->height;
                if (inside && pixel_font_ink(*text, column / LETTER_SCALE, row / LETTER_SCALE)) {
                    picture->pixels[(size_t)(y + row) * (size_t)picture->width + (size_t)(x + column)] = INK;
                }
            }
        }
    }
}

static void draw_scale(struct frame_picture *picture, int y)
{
    char low[16];
    static const char high[] = "0 dB = free space at 1 m";
    snprintf(low, sizeof low, "-%g dB", FRAME_DEPTH);
    int left = TEXT_MARGIN + text_width(low) + TEXT_MARGIN;
    int right = picture->width - TEXT_MARGIN - text_width(high) - TEXT_MARGIN;
    draw_text(picture, TEXT_MARGIN, y, low);
    for (int row = 0; row < SCALE_HEIGHT; row++) {
        for (int x = left; x < right; x++) {
            picture->pixels[(size_t)(y + row) * (size_t)picture->width + (size_t)x] =
                (uint8_t)((x - left) * LEVELS / (right - left));
        }
    }
    draw_text(picture, right + TEXT_MARGIN, y, high);
}

void frame_compose(struct frame_picture *picture, int transmitter, int64_t step)
{
    const struct setup *setup = picture->setup;
    const struct problem *problem = &setup->problem;
    char text[NAME_SIZE + 80], time[48];
    memset(picture->pixels, BACKGROUND, (size_t)picture->width * (size_t)picture->height);
    draw_floor(picture, frame_reference_field(setup, transmitter), (double)step / (double)problem->steps);
    int y = picture->floor_height + TEXT_MARGIN;
    const char *name = setup->scenario->transmitters[transmitter].name;
    snprintf(text, sizeof text, "transmitter %s", name);
    for (; *name != '\0'; name++) {
        if ((unsigned char)*name >= 0x80) { /* the font has ASCII alone */
            snprintf(text, sizeof text, "transmitter %d", transmitter + 1);
        }
    }
    snprintf(time, sizeof time, "%.2f ns", 1e9 * problem->time_step * (double)step);
    draw_text(picture, TEXT_MARGIN, y, text);
    draw_text(picture, picture->width - TEXT_MARGIN - text_width(time), y, time);
    draw_scale(picture, y + LINE_HEIGHT);
}
