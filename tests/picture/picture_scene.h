/* Plans that are known, drawn as pictures in every way that people's pictures are bad, and how well what was read from
 * them covers their walls. Places are pixels, y upwards. */
#ifndef PICTURE_SCENE_H
#define PICTURE_SCENE_H

#include "tests/support/check.h"

#include "base/picture/png_image.h"
#include "drawing/drawing_format.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jpeglib.h>

enum { SCENE_SHAPES = 1500, SCENE_CORNERS = 64, FINE = 8, MASK_FINE = 2 };

struct scene_shape {
    struct drawing_point corners[SCENE_CORNERS];
    int count;
    uint8_t rgb[3];
    bool wall; /* belongs to what is to be found */
};

struct scene {
    struct scene_shape shapes[SCENE_SHAPES];
    int count, width, height;
    uint32_t random;
};

static const uint8_t BLACK[3] = {20, 20, 20}, BLUE[3] = {59, 158, 216}, RED[3] = {200, 40, 40},
                     WHITE[3] = {255, 255, 255};

static inline double scene_random(struct scene *scene) /* 0 to 1 */
{
    scene->random = scene->random * 1664525u + 1013904223u;
    return (scene->random >> 8) / 16777216.0;
}

static inline struct scene_shape *scene_polygon(struct scene *scene, const struct drawing_point *corners, int count,
                                                const uint8_t rgb[3], bool wall)
{
    assert_true(scene->count < SCENE_SHAPES && count <= SCENE_CORNERS);
    struct scene_shape *shape = &scene->shapes[scene->count++];
    memcpy(shape->corners, corners, (size_t)count * sizeof *corners);
    memcpy(shape->rgb, rgb, 3);
    shape->count = count;
    shape->wall = wall;
    return shape;
}

static inline void scene_box(struct scene *scene, double x0, double y0, double x1, double y1, const uint8_t rgb[3],
                             bool wall)
{
    const struct drawing_point corners[] = {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}};
    scene_polygon(scene, corners, 4, rgb, wall);
}

static inline void scene_line(struct scene *scene, double x0, double y0, double x1, double y1, double width,
                              const uint8_t rgb[3], bool wall)
{
    double length = hypot(x1 - x0, y1 - y0), u = 0.5 * width * (y1 - y0) / length, v = 0.5 * width * (x0 - x1) / length;
    const struct drawing_point corners[] = {{x0 + u, y0 + v}, {x1 + u, y1 + v}, {x1 - u, y1 - v}, {x0 - u, y0 - v}};
    scene_polygon(scene, corners, 4, rgb, wall);
}

static inline void scene_disc(struct scene *scene, double x, double y, double radius, const uint8_t rgb[3], bool wall)
{
    struct drawing_point corners[SCENE_CORNERS];
    for (int n = 0; n < SCENE_CORNERS; n++) {
        double angle = 2 * M_PI * n / SCENE_CORNERS;
        corners[n] = (struct drawing_point){x + radius * cos(angle), y + radius * sin(angle)};
    }
    scene_polygon(scene, corners, SCENE_CORNERS, rgb, wall);
}

/* A flat of 600 x 450 pixels: outer walls 10 thick, inner ones 6, off the grid by `off`; with doors, a tilted wall and
 * a column. */
static inline void scene_flat(struct scene *scene, double off)
{
    const double walls[][4] = {{30, 30, 570, 40},   {30, 410, 570, 420},  {30, 30, 40, 420},    {560, 30, 570, 420},
                               {200, 40, 206, 150}, {200, 195, 206, 411}, {39, 240, 120, 246},  {165, 240, 201, 246},
                               {380, 39, 386, 300}, {380, 345, 386, 411}, {385, 200, 470, 206}, {515, 200, 561, 206}};
    *scene = (struct scene){.width = 600, .height = 450, .random = 7};
    for (size_t n = 0; n < sizeof walls / sizeof *walls; n++) {
        scene_box(scene, walls[n][0] + off, walls[n][1] + off, walls[n][2] + off, walls[n][3] + off, BLACK, true);
    }
    scene_line(scene, 240 + off, 120, 340, 190 + off, 7, BLACK, true);
    scene_disc(scene, 290 + off, 320 + off, 14, BLACK, true);
}

/* Dimension lines, furniture, doors and letters, in the colour of the walls. */
static inline void scene_furnish(struct scene *scene)
{
    for (int n = 0; n < 24; n++) {
        double x = 50 + 480 * scene_random(scene), y = 55 + 320 * scene_random(scene),
               w = 15 + 30 * scene_random(scene);
        scene_line(scene, x, y, x + w, y, 1.3, BLACK, false);
        scene_line(scene, x, y + 20, x + w, y + 20, 1.3, BLACK, false);
        scene_line(scene, x, y, x, y + 20, 1.3, BLACK, false);
        scene_line(scene, x + w, y, x + w, y + 20, 1.3, BLACK, false);
    }
    for (int n = 0; n < 5; n++) { /* the leaf and the arc of a door */
        double x = 60 + 100 * n, y = 200;
        scene_line(scene, x, y, x, y + 45, 1.5, BLACK, false);
        for (int a = 0; a < 10; a++) {
            double from = M_PI_2 * a / 10, to = M_PI_2 * (a + 1) / 10;
            scene_line(scene, x + 45 * cos(from), y + 45 * sin(from), x + 45 * cos(to), y + 45 * sin(to), 1.2, BLACK,
                       false);
        }
    }
    for (int n = 0; n < 160; n++) { /* words of eight letters, of three strokes each */
        double x = 60 + (n / 8 % 5) * 100 + 9 * (n % 8), y = 70 + 80 * (n / 40);
        for (int stroke = 0; stroke < 3; stroke++) {
            scene_line(scene, x + 6 * scene_random(scene), y + 9 * scene_random(scene), x + 6 * scene_random(scene),
                       y + 9 * scene_random(scene) + 0.1, 1.6, BLACK, false);
        }
    }
    scene_line(scene, 30, 15, 570, 15, 1, BLACK, false);
    scene_line(scene, 30, 8, 30, 22, 1, BLACK, false);
    scene_line(scene, 570, 8, 570, 22, 1, BLACK, false);
}

/* Moves all places: x' = (m0 x + m1 y + m2) / w and so on, w = m6 x + m7 y + 1. */
static inline struct drawing_point scene_map(const double m[8], struct drawing_point p)
{
    double w = m[6] * p.x + m[7] * p.y + 1;
    return (struct drawing_point){(m[0] * p.x + m[1] * p.y + m[2]) / w, (m[3] * p.x + m[4] * p.y + m[5]) / w};
}

static inline void scene_move(struct scene *scene, const double m[8], int width, int height)
{
    for (int s = 0; s < scene->count; s++) {
        for (int c = 0; c < scene->shapes[s].count; c++) {
            scene->shapes[s].corners[c] = scene_map(m, scene->shapes[s].corners[c]);
        }
    }
    scene->width = width;
    scene->height = height;
}

static inline bool shape_holds(const struct scene_shape *shape, double x, double y)
{
    bool inside = false;
    for (int n = 0, last = shape->count - 1; n < shape->count; last = n++) {
        struct drawing_point a = shape->corners[n], b = shape->corners[last];
        inside ^= (a.y > y) != (b.y > y) && x < (b.x - a.x) * (y - a.y) / (b.y - a.y) + a.x;
    }
    return inside;
}

static inline void shape_box(const struct scene_shape *shape, int width, int height, int box[4])
{
    double low_x = 1e9, low_y = 1e9, high_x = -1e9, high_y = -1e9;
    for (int n = 0; n < shape->count; n++) {
        low_x = fmin(low_x, shape->corners[n].x);
        high_x = fmax(high_x, shape->corners[n].x);
        low_y = fmin(low_y, shape->corners[n].y);
        high_y = fmax(high_y, shape->corners[n].y);
    }
    box[0] = (int)fmax(0, floor(low_x));
    box[1] = (int)fmax(0, floor(low_y));
    box[2] = (int)fmin(width, ceil(high_x) + 1);
    box[3] = (int)fmin(height, ceil(high_y) + 1);
}

/* Draws the shapes one over the other: with shades at their edges, or each pixel as its middle is. The caller frees
 * the pixels (height, width, 3). */
static inline uint8_t *scene_draw(const struct scene *scene, bool shades)
{
    size_t size = 3 * (size_t)scene->width * (size_t)scene->height;
    uint8_t *pixels = malloc(size);
    assert_non_null(pixels);
    memset(pixels, 255, size);
    int fine = shades ? FINE : 1;
    for (int s = 0; s < scene->count; s++) {
        int box[4];
        shape_box(&scene->shapes[s], scene->width, scene->height, box);
        for (int y = box[1]; y < box[3]; y++) {
            for (int x = box[0]; x < box[2]; x++) {
                int hits = 0;
                for (int n = 0; n < fine * fine; n++) {
                    hits += shape_holds(&scene->shapes[s], x + (n % fine + 0.5) / fine, y + (n / fine + 0.5) / fine);
                }
                double share = (double)hits / (fine * fine);
                uint8_t *pixel = pixels + 3 * ((size_t)(scene->height - 1 - y) * (size_t)scene->width + (size_t)x);
                for (int c = 0; c < 3; c++) {
                    pixel[c] = (uint8_t)(pixel[c] + share * (scene->shapes[s].rgb[c] - pixel[c]) + 0.5);
                }
            }
        }
    }
    return pixels;
}

/* Paper of 225 and ink of 45 with this standard deviation, and a few pixels black or white. */
static inline void scene_add_noise(struct scene *scene, uint8_t *pixels, double deviation)
{
    for (size_t p = 0; p < (size_t)scene->width * (size_t)scene->height; p++) {
        double sum = -2;
        for (int n = 0; n < 4; n++) {
            sum += scene_random(scene);
        }
        double value = 45 + pixels[3 * p] * 180 / 255.0 + deviation * sum * sqrt(3);
        double rare = scene_random(scene);
        value = rare < 0.001 ? 0 : rare > 0.999 ? 255 : value;
        memset(pixels + 3 * p, (int)fmin(255, fmax(0, value)), 3);
    }
}

/* Light that falls off to a third towards the lower right. */
static inline void scene_shade(const struct scene *scene, uint8_t *pixels)
{
    for (int y = 0; y < scene->height; y++) {
        for (int x = 0; x < scene->width; x++) {
            double light = 1 - 0.33 * x / scene->width - 0.33 * y / scene->height;
            for (int c = 0; c < 3; c++) {
                uint8_t *value = pixels + 3 * ((size_t)scene->width * (size_t)y + (size_t)x) + c;
                *value = (uint8_t)(*value * light);
            }
        }
    }
}

static inline void scene_write_jpeg(const struct scene *scene, uint8_t *pixels, int quality, const char *path)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_stdio_dest(&jpeg, file);
    jpeg.image_width = (JDIMENSION)scene->width;
    jpeg.image_height = (JDIMENSION)scene->height;
    jpeg.input_components = 3;
    jpeg.in_color_space = JCS_RGB;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, quality, TRUE);
    jpeg_start_compress(&jpeg, TRUE);
    while (jpeg.next_scanline < jpeg.image_height) {
        JSAMPROW row = pixels + 3 * (size_t)scene->width * jpeg.next_scanline;
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    assert_int_equal(fclose(file), 0);
}

/* ---- how well ---- */

static inline int number_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Marks what an element covers, by the even-odd rule, at MASK_FINE places a pixel; the count of those, and of those
 * that were marked with `truth` before. */
static inline void element_mark(const struct drawing *drawing, const struct drawing_element *element, int width,
                                int height, uint8_t *mask, double counts[2])
{
    static double crossings[20000];
    counts[0] = counts[1] = 0;
    for (int row = 0; row < MASK_FINE * height; row++) {
        double y = (row + 0.5) / MASK_FINE;
        size_t count = 0;
        for (size_t r = element->first_ring; r < element->first_ring + element->rings; r++) {
            const struct drawing_ring *ring = &drawing->rings[r];
            for (size_t n = 0; n < ring->count; n++) {
                struct drawing_point a = drawing->points[ring->first + n];
                struct drawing_point b = drawing->points[ring->first + (n + 1) % ring->count];
                if ((a.y > y) != (b.y > y)) {
                    assert_true(count < 20000);
                    crossings[count++] = a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y);
                }
            }
        }
        qsort(crossings, count, sizeof *crossings, number_order);
        for (size_t c = 0; c + 1 < count; c += 2) {
            int from = (int)ceil(crossings[c] * MASK_FINE - 0.5), to = (int)ceil(crossings[c + 1] * MASK_FINE - 0.5);
            for (int x = from > 0 ? from : 0; x < to && x < MASK_FINE * width; x++) {
                uint8_t *place = mask + (size_t)row * MASK_FINE * (size_t)width + (size_t)x;
                counts[0]++;
                counts[1] += *place & 1;
                *place |= 2;
            }
        }
    }
}

struct scene_score {
    double overlap;  /* intersection over union of walls */
    int false_walls; /* areas that cover hardly any wall */
};

/* How the areas of a class cover the walls of the scene. */
static inline struct scene_score scene_compare(const struct scene *scene, const struct drawing *drawing,
                                               const char *class_name)
{
    size_t size = (size_t)scene->width * (size_t)scene->height * MASK_FINE * MASK_FINE, both = 0, any = 0;
    uint8_t *mask = calloc(size, 1);
    assert_non_null(mask);
    for (int s = 0; s < scene->count; s++) {
        int box[4];
        shape_box(&scene->shapes[s], scene->width, scene->height, box);
        for (int y = box[1] * MASK_FINE; scene->shapes[s].wall && y < box[3] * MASK_FINE; y++) {
            for (int x = box[0] * MASK_FINE; x < box[2] * MASK_FINE; x++) {
                mask[(size_t)y * MASK_FINE * (size_t)scene->width + (size_t)x] |=
                    shape_holds(&scene->shapes[s], (x + 0.5) / MASK_FINE, (y + 0.5) / MASK_FINE);
            }
        }
    }
    struct scene_score score = {0};
    for (size_t e = 0; e < drawing->element_count; e++) {
        const struct drawing_element *element = &drawing->elements[e];
        if (strcmp(drawing->classes[element->class_index].name, class_name) == 0) {
            double counts[2];
            element_mark(drawing, element, scene->width, scene->height, mask, counts);
            score.false_walls += counts[1] < 0.1 * counts[0];
        }
    }
    for (size_t n = 0; n < size; n++) {
        both += mask[n] == 3;
        any += mask[n] != 0;
    }
    free(mask);
    score.overlap = any > 0 ? (double)both / (double)any : 0;
    return score;
}

/* ---- a picture in a file, and what is read from it ---- */

static char folder[] = "/tmp/planwave-test-areas-XXXXXX";
static char path[256];
static struct scene scene;

static inline int folder_make(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/picture", folder);
    return 0;
}

static inline int folder_clear(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static inline void read_drawing(const struct picture_options *options, struct drawing *drawing)
{
    pw_error error = {""};
    *drawing = (struct drawing){0};
    if (drawing_read(path, options, drawing, &error) != PW_OK) {
        fail_msg("%s", error.message);
    }
}

/* Compares a class of the drawing, the second one where the name is NULL, with the walls of the scene. */
static inline void assert_drawing(const struct drawing *drawing, const char *class_name, double least,
                                  double most_false)
{
    class_name = class_name != NULL ? class_name : drawing->classes[1].name;
    struct scene_score score = scene_compare(&scene, drawing, class_name);
    double square_metres = scene.width * scene.height * 0.02 * 0.02;
    print_message("%s: %.4f of the walls' union, %d false walls on %.0f m2; %s\n", class_name, score.overlap,
                  score.false_walls, square_metres, drawing->note);
    assert_true(score.overlap >= least);
    assert_true(score.false_walls / square_metres <= most_false);
}

static inline void assert_walls(const struct picture_options *options, const char *class_name, double least,
                                double most_false)
{
    struct drawing drawing;
    read_drawing(options, &drawing);
    assert_drawing(&drawing, class_name, least, most_false);
    drawing_free(&drawing);
}

static inline void write_png(bool shades)
{
    uint8_t *pixels = scene_draw(&scene, shades);
    assert_int_equal(png_image_write(path, scene.width, scene.height, 3, pixels, NULL), PW_OK);
    free(pixels);
}

#endif
