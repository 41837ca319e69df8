/* One storey of a plan as SVG: a sheet at 1:100 whose units are metres, shapes in drawing order filled with the colour
 * of their material, which their class names; transmitters as texts, so that a program that reads the drawing takes
 * them for no walls. Heights, floors and ceilings are left out. */
#include "export/plan_export.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Colours of building materials, as in the pictures of floorplans/; others take their turn among the last four. */
static const struct {
    const char *name;
    unsigned colour; /* 0xrrggbb */
} COLOURS[] = {{"concrete", 0x404040}, {"brick", 0xb5523b}, {"plasterboard", 0xc9b79c}, {"glass", 0x3b9ed8},
               {"wood", 0x8a5a2b},     {"metal", 0x8fa3ad}, {"chipboard", 0xe0a94a},    {"plywood", 0xc98b2b},
               {"marble", 0xb8b8c8},   {NULL, 0x3060c0},    {NULL, 0x7a4fa3},           {NULL, 0x2f9e77},
               {NULL, 0xa23b72}};
enum { COLOUR_COUNT = sizeof COLOURS / sizeof COLOURS[0], OTHER_COLOURS = 4 };

static unsigned colour_of(const struct exported_shape *shape)
{
    if (shape->shape.air) {
        return 0xffffff;
    }
    unsigned turn = 0;
    for (const char *c = shape->shape.material; *c != '\0'; c++) {
        turn = turn * 31 + (unsigned char)*c;
    }
    for (size_t c = 0; c < COLOUR_COUNT - OTHER_COLOURS; c++) {
        if (strstr(shape->shape.material, COLOURS[c].name) != NULL) { /* "brick 10 dB" too */
            return COLOURS[c].colour;
        }
    }
    return COLOURS[COLOUR_COUNT - OTHER_COLOURS + turn % OTHER_COLOURS].colour;
}

/* "wall-brick", "opening", "opening-glass": a class of SVG has no blanks. */
static void class_write(const struct exported_shape *shape, FILE *file)
{
    bool air = shape->shape.air;
    fputs(shape->opening ? (air ? "opening" : "opening-") : "wall-", file);
    for (const char *c = air ? "" : shape->shape.material; *c != '\0'; c++) {
        fputc(isalnum((unsigned char)*c) || *c == '.' ? *c : '-', file);
    }
}

static void text_write(const char *text, FILE *file)
{
    for (const char *c = text; *c != '\0'; c++) {
        switch (*c) {
        case '&':
            fputs("&amp;", file);
            break;
        case '<':
            fputs("&lt;", file);
            break;
        default:
            fputc(*c, file);
        }
    }
}

static void shape_write(const struct exported_plan *plan, const struct exported_shape *shape, FILE *file)
{
    struct storey_part part;
    if (!storey_part_of(plan, &shape->shape, plan->first, &part)) {
        return;
    }
    fputs("<path class=\"", file);
    class_write(shape, file);
    fprintf(file, "\" fill=\"#%06x\" d=\"", colour_of(shape));
    for (int c = 0; c < shape->shape.corner_count; c++) {
        struct point at = corner_of(&shape->shape, c);
        fprintf(file, "%s%.10g %.10g", c == 0 ? "M" : " L", at.x, plan->facts.height - at.y);
    }
    fputs(" Z\"/>\n", file);
}

static void transmitter_write(const struct exported_plan *plan, const pw_scenario_transmitter *transmitter, FILE *file)
{
    double height = NAN, x = transmitter->x, y = plan->facts.height - transmitter->y;
    if (transmitter_storey(plan, transmitter, &height) == plan->first) {
        fprintf(file, "<text x=\"%.10g\" y=\"%.10g\" dominant-baseline=\"central\" fill=\"#c00000\">&#9679;</text>\n",
                x, y);
        fprintf(file, "<text x=\"%.10g\" y=\"%.10g\" fill=\"#c00000\">", x, y - 0.3);
        text_write(transmitter->name, file);
        fputs("</text>\n", file);
    }
}

static pw_status svg_write(const struct exported_plan *plan, FILE *file, pw_error *error)
{
    double width = plan->facts.width, height = plan->facts.height;
    (void)error;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.10gmm\" height=\"%.10gmm\" viewBox=\"0 0 %.10g "
            "%.10g\" font-family=\"sans-serif\" font-size=\"0.4\" text-anchor=\"middle\">\n<title>",
            10 * width, 10 * height, width, height);
    text_write(storey_name(plan, plan->first), file);
    fputs("</title>\n<desc>1:100; one unit of the drawing is 1 m</desc>\n", file);
    for (size_t s = 0; s < plan->count; s++) {
        shape_write(plan, &plan->shapes[s], file);
    }
    for (int t = 0; t < plan->scenario.transmitter_count; t++) {
        const pw_scenario_transmitter transmitter = pw_scenario_describe_transmitter(plan->whole, t);
        transmitter_write(plan, &transmitter, file);
    }
    fputs("</svg>\n", file);
    return PW_OK;
}

const struct plan_exporter plan_exporter_svg = {
    .name = "SVG",
    .ending = ".svg",
    .description = "a drawing of one storey, a unit of which is 1 m; each material is a class",
    .one_storey = true,
    .walls = true,
    .write = svg_write};
