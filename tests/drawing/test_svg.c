/* SVG files: shapes, paths and transforms come back where geometry puts them, y upwards from the lower left of the
 * viewBox; paint, styles and groups decide the classes; what is not drawn is counted; damage is told with its line. */
#include "tests/drawing/vector_check.h"

static struct drawing svg_of(const char *inside)
{
    char text[8192];
    int size = snprintf(text, sizeof text,
                        "<?xml version='1.0'?>\n<svg xmlns='http://www.w3.org/2000/svg' width='210mm' height='297mm' "
                        "viewBox='0 0 100 200' xmlns:xlink='x' xmlns:inkscape='i' xmlns:sodipodi='s'>%s</svg>",
                        inside);
    assert_true(size < (int)sizeof text);
    return drawing_made("plan.svg", text);
}

static double area_of(const struct drawing *drawing, const char *name, size_t nth)
{
    const struct drawing_element *element = element_of(drawing, name, nth);
    assert_int_equal(element->kind, ELEMENT_AREA);
    return ring_area(drawing, element->first_ring);
}

static void test_shapes(void **state)
{
    (void)state;
    struct drawing drawing =
        svg_of("<rect class='r' x='10' y='20' width='30' height='40'/>"
               "<rect class='round' x='0' y='0' width='40' height='20' rx='10'/>"
               "<circle class='c' cx='50' cy='100' r='10'/><ellipse class='e' cx='0' cy='200' rx='4' ry='2'/>"
               "<line class='l' x1='0' y1='0' x2='100' y2='200' stroke='red' stroke-width='3'/>"
               "<polyline class='pl' points='0,0 10,0 10 10' fill='none' stroke='#00f'/>"
               "<polygon class='pg' points='0 0 10 0 10-10'/><rect class='none' width='0' height='5'/>");
    box_check(&drawing, element_of(&drawing, "r", 0), (double[]){10, 140, 40, 180});
    assert_near(area_of(&drawing, "r", 0), 1200, 1e-9);
    assert_near(area_of(&drawing, "round", 0), 40 * 20 - (4 - M_PI) * 100, 0.5);
    box_check(&drawing, element_of(&drawing, "round", 0), (double[]){0, 180, 40, 200});
    assert_near(area_of(&drawing, "c", 0), 100 * M_PI, 100 * M_PI / 1000);
    box_check(&drawing, element_of(&drawing, "e", 0), (double[]){-4, -2, 4, 2});
    const struct drawing_element *line = element_of(&drawing, "l", 0);
    assert_true(line->kind == ELEMENT_LINE && line->width == 3);
    point_check(&drawing, line, 0, 0, 200);
    point_check(&drawing, line, 1, 100, 0);
    assert_near(line_length(&drawing, element_of(&drawing, "pl", 0)), 20, 1e-9);
    assert_near(area_of(&drawing, "pg", 0), 50, 1e-9);
    assert_null(class_named(&drawing, "none"));
    assert_true(drawing.unit == 0); /* millimetres of paper are not those of a building */
    drawing_free(&drawing);
}

static void test_paths(void **state)
{
    (void)state;
    struct drawing drawing =
        svg_of("<g fill='none' stroke='black'><path class='abs' d='M10 10H20V30L10,30Z'/><path class='rel' d='m10 "
               "10h10v20l-10 0z'/>"
               "<path class='two' d='M0 0L10 0M0 5L10 5 20 5'/><path class='a' d='M10 0A10 10 0 0 1 0 10'/>"
               "<path class='flags' d='M10 0a10 10 0 01-10 10'/><path class='big' d='M0 0A1 1 0 0 1 10 0'/>"
               "<path class='q' d='M0 0Q5 10 10 0T20 0'/><path class='s' d='M0 0C0 4 4 4 4 0S8-4 8 0'/>"
               "<path class='e' d='M1e1.5L.5.5-1-2'/><path class='bad' d='M0 0L10 0L5'/><path class='z' d='M5 "
               "5h1v1zh-3'/></g>");
    const char *const same[] = {"abs", "rel"};
    for (int n = 0; n < 2; n++) {
        const struct drawing_element *path = element_of(&drawing, same[n], 0);
        assert_near(line_length(&drawing, path), 60, 1e-9);
        box_check(&drawing, path, (double[]){10, 170, 20, 190});
    }
    assert_int_equal(class_named(&drawing, "two")->lines, 2);
    const char *const quarters[] = {"a", "flags"};
    for (int n = 0; n < 2; n++) { /* about (0, 0) of the page, which is (0, 200) */
        const struct drawing_element *arc = element_of(&drawing, quarters[n], 0);
        const struct drawing_ring *ring = &drawing.rings[arc->first_ring];
        for (size_t p = ring->first; p < ring->first + ring->count; p++) {
            assert_near(hypot(drawing.points[p].x, drawing.points[p].y - 200), 10, 1e-9);
        }
        assert_near(line_length(&drawing, arc), 5 * M_PI, 0.01);
    }
    assert_near(line_length(&drawing, element_of(&drawing, "big", 0)), 5 * M_PI, 0.01); /* grown to radius 5 */
    struct drawing_point low, high;
    drawing_element_box(&drawing, element_of(&drawing, "q", 0), &low, &high);
    assert_near(low.y, 195, 0.02); /* a parabola of height 5 down, then its mirror image */
    assert_near(high.y, 205, 0.02);
    drawing_element_box(&drawing, element_of(&drawing, "s", 0), &low, &high);
    assert_near(low.y, 197, 0.01);
    assert_near(high.y, 203, 0.01);
    point_check(&drawing, element_of(&drawing, "e", 0), 0, 10, 199.5);
    point_check(&drawing, element_of(&drawing, "e", 0), 1, 0.5, 199.5);
    point_check(&drawing, element_of(&drawing, "e", 0), 2, -1, 202);
    assert_int_equal(omissions_of(&drawing, "end of a damaged path"), 1);
    assert_near(line_length(&drawing, element_of(&drawing, "bad", 0)), 10, 1e-9);
    assert_int_equal(class_named(&drawing, "z")->lines, 2);
    point_check(&drawing, element_of(&drawing, "z", 1), 0, 5, 195);
    drawing_free(&drawing);
}

static void test_transforms(void **state)
{
    (void)state;
    struct drawing drawing = svg_of(
        "<g transform='translate(10,20) scale(2)'><rect class='ts' width='5' height='5' stroke='red' "
        "stroke-width='3'/></g>"
        "<rect class='r' transform='rotate(90)' width='10' height='2'/>"
        "<rect class='ra' transform='rotate(180 50 50)' x='40' y='40' width='5' height='5'/>"
        "<rect class='m' transform='matrix(0 1 -1 0 20 0), translate(1)' width='4' height='2'/>"
        "<rect class='k' transform='skewX(45)' width='2' height='2'/>"
        "<svg x='10' y='10' width='20' height='40' viewBox='0 0 10 10'><rect class='v' width='10' height='10'/></svg>"
        "<svg x='10' y='10' width='20' height='40' viewBox='0 0 10 10' preserveAspectRatio='none'>"
        "<rect class='n' width='10' height='10'/></svg>"
        "<rect class='odd' transform='wobble(3)' width='10' height='10'/>");
    box_check(&drawing, element_of(&drawing, "ts fill", 0), (double[]){10, 170, 20, 180});
    assert_near(element_of(&drawing, "ts stroke", 0)->width, 6, 1e-12);
    box_check(&drawing, element_of(&drawing, "r", 0), (double[]){-2, 190, 0, 200});
    box_check(&drawing, element_of(&drawing, "ra", 0), (double[]){55, 140, 60, 145});
    box_check(&drawing, element_of(&drawing, "m", 0), (double[]){18, 195, 20, 199});
    box_check(&drawing, element_of(&drawing, "k", 0), (double[]){0, 198, 4, 200});
    box_check(&drawing, element_of(&drawing, "v", 0), (double[]){10, 160, 30, 180}); /* scaled by 2, in the middle */
    box_check(&drawing, element_of(&drawing, "n", 0), (double[]){10, 150, 30, 190});
    assert_int_equal(omissions_of(&drawing, "end of a damaged transform"), 1);
    drawing_free(&drawing);
}

static void test_use(void **state)
{
    (void)state;
    struct drawing drawing = svg_of(
        "<defs><rect id='box' width='2' height='2'/><g id='chair'><use href='#box' x='1'/></g>"
        "<symbol id='sofa' viewBox='0 0 10 10'><rect width='10' height='10'/></symbol></defs>"
        "<g id='furniture'><use xlink:href='#chair' x='10' y='10' transform='translate(5)'/><use href='#nobody'/>"
        "<use href='#sofa' x='50' y='50' width='20' height='20'/></g>");
    assert_int_equal(drawing.element_count, 2);
    box_check(&drawing, &drawing.elements[0], (double[]){16, 188, 18, 190});
    box_check(&drawing, &drawing.elements[1], (double[]){50, 130, 70, 150});
    assert_int_equal(omissions_of(&drawing, "use of an element that is not there"), 1);
    drawing_free(&drawing);
    drawing_refused("plan.svg", "<svg><g id='a'><use href='#a'/></g></svg>", "deep");
}

static void test_classes(void **state)
{
    (void)state;
    struct drawing drawing = svg_of(
        "<g inkscape:groupmode='layer' inkscape:label='Outer walls' id='layer1'><g id='north'>"
        "<rect id='rect12' class='x' width='9' height='9' fill='#404040'/></g>"
        "<g inkscape:groupmode='layer' inkscape:label='Doors'><path d='M0 0H9' fill='none' stroke='red'/></g></g>"
        "<g id='g1234'><g id='Furniture'><g id='g7'><rect width='9' height='9'/></g></g>"
        "<rect width='9' height='9' class='cls-2' fill='rgb(255,50%,0)'/></g>"
        "<path d='M0 0H9' style='fill:none;stroke:teal;stroke-width:2.5px'/>"
        "<rect width='9' height='9' fill='none' class='st0 glass' stroke='blue'/>"
        "<path d='M0 0H9V9z' fill='#FFF' stroke='#000'/>");
    const char *const names[] = {"Outer walls",
                                 "Doors",
                                 "Furniture",
                                 "fill #ff8000",
                                 "stroke #008080 width 2.5",
                                 "glass",
                                 "fill #ffffff",
                                 "stroke #000000 width 1"};
    assert_int_equal(drawing.class_count, sizeof names / sizeof names[0]);
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        assert_string_equal(drawing.classes[n].name, names[n]);
        assert_int_equal(drawing.classes[n].use, CLASS_OPEN);
    }
    assert_memory_equal(class_named(&drawing, "Outer walls")->colour, ((uint8_t[]){0x40, 0x40, 0x40}), 3);
    drawing_free(&drawing);
    /* A whole floor in one group: its paints tell walls from furniture; of groups of one paint the name is enough. */
    drawing = svg_of("<g id='ground' fill='none'><path d='M0 0H9' stroke='#000'/><path d='M0 0H9' stroke='#888'/>"
                     "<path d='M0 9H9' stroke='#888'/><path d='M0 0H9' stroke='#000' stroke-width='3'/></g>"
                     "<g id='trees' fill='green'><circle r='2'/><circle r='3' cx='9'/></g>"
                     "<g class='pool' stroke='blue'><circle r='2'/></g>");
    const char *const paints[] = {"ground stroke #000000 width 1",
                                  "ground stroke #888888 width 1",
                                  "ground stroke #000000 width 3",
                                  "trees",
                                  "pool fill",
                                  "pool stroke"};
    assert_int_equal(drawing.class_count, sizeof paints / sizeof paints[0]);
    for (size_t n = 0; n < sizeof paints / sizeof paints[0]; n++) {
        assert_string_equal(drawing.classes[n].name, paints[n]);
    }
    drawing_free(&drawing);
}

/* What Inkscape's user called a group, or one thing, though neither is a layer. */
static void test_labels(void **state)
{
    (void)state;
    struct drawing drawing = svg_of("<g inkscape:label='Walls' id='g12'><rect width='9' height='1'/></g>"
                                    "<g inkscape:label='g13' id='Furniture'><rect width='2' height='1'/></g>"
                                    "<rect inkscape:label='Window' id='rect7' width='1' height='1'/>"
                                    "<rect inkscape:label='rect8' id='rect8' width='1' height='1' fill='#000'/>");
    static const char *const NAMES[] = {"Walls", "Furniture", "Window", "fill #000000"};
    assert_int_equal(drawing.class_count, sizeof NAMES / sizeof NAMES[0]);
    for (size_t n = 0; n < sizeof NAMES / sizeof NAMES[0]; n++) {
        assert_string_equal(drawing.classes[n].name, NAMES[n]);
    }
    drawing_free(&drawing);
}

/* A group of a group keeps the names of those around it, and so does a class of an element: they say what is meant. Two
 * groups of one name are told apart by them. */
static void test_groups_in_groups(void **state)
{
    (void)state;
    struct drawing drawing = svg_of("<g id='plan'><g id='walls'><g id='outer'><rect width='9' height='1'/></g>"
                                    "<g id='first'><rect width='9' height='1' class='thick'/></g></g>"
                                    "<g id='furniture'><g id='outer'><rect width='2' height='1'/></g></g></g>");
    static const char *const NAMES[][2] = {
        {"plan/walls/outer", "plan/walls"}, {"thick", "plan/walls/first"}, {"plan/furniture/outer", "plan/furniture"}};
    assert_int_equal(drawing.class_count, 3);
    for (int n = 0; n < 3; n++) {
        assert_string_equal(drawing.classes[n].name, NAMES[n][0]);
        assert_string_equal(drawing.classes[n].around, NAMES[n][1]);
        assert_true(drawing.classes[n].painted);
    }
    drawing_free(&drawing);
}

static void test_styles(void **state)
{
    (void)state;
    struct drawing drawing = svg_of(
        "<style>/* rect{display:none} */ .wall, path.wall { stroke: #123456; stroke-width: 4; fill: none }\n"
        "#special{stroke:#00ff00} rect { fill: #ff0000 } rect.wall.thin{stroke-width:1} * {stroke-opacity: 1}"
        "@media print { rect { display: none } } g > rect { display: none } .gone{display:none}</style>"
        "<rect class='wall' width='9' height='9' fill='#0000ff'/><path class='wall' id='special' d='M0 0H9'/>"
        "<g stroke='currentColor' color='#0a0b0c' fill='none'><path d='M0 0H8'/><path d='M0 0H7' stroke='none'/></g>"
        "<rect class='gone' width='9' height='9'/><g visibility='hidden'><path d='M0 0H1V1'/>"
        "<path visibility='visible' d='M0 0H1V2'/></g><rect width='9' height='9' style='opacity:0'/>"
        "<rect width='3' height='3' style='fill:url(#p) #abcdef'/><rect width='3' height='3' clip-path='url(#c)'/>");
    /* A rule with an id is stronger than two with classes; all rules are stronger than attributes. */
    assert_near(element_of(&drawing, "wall", 0)->width, 4, 1e-12);
    assert_int_equal(class_named(&drawing, "wall")->areas, 0); /* the class is stronger than the element */
    assert_int_equal(class_named(&drawing, "wall")->lines, 2);
    assert_memory_equal(class_named(&drawing, "wall")->colour, ((uint8_t[]){0x12, 0x34, 0x56}), 3);
    assert_non_null(class_named(&drawing, "stroke #0a0b0c width 1"));
    assert_int_equal(class_named(&drawing, "stroke #0a0b0c width 1")->lines, 1);
    assert_int_equal(class_named(&drawing, "fill #000000")->areas, 1);
    assert_int_equal(class_named(&drawing, "fill #abcdef")->areas, 1);
    assert_int_equal(class_named(&drawing, "fill #ff0000")->areas, 1);
    assert_int_equal(omissions_of(&drawing, "gradient or pattern of a fill"), 1);
    assert_int_equal(omissions_of(&drawing, "clip path or mask"), 1);
    assert_int_equal(omissions_of(&drawing, "rule of a style sheet with @"), 1);
    assert_int_equal(omissions_of(&drawing, "rule of a style sheet with other selectors"), 1);
    drawing_free(&drawing);
}

/* (x, y) of the page: is it filled? */
static bool filled_at(const struct drawing *drawing, double x, double y)
{
    return point_is_filled(drawing, x, 200 - y);
}

static void test_fill_rules(void **state)
{
    (void)state;
    const char frame[] = "M0 0H30V30H0Z", same[] = "M10 10H20V20H10Z", against[] = "M10 10V20H20V10Z";
    char text[256];
    for (int rule = 0; rule < 2; rule++) {
        for (int turn = 0; turn < 2; turn++) {
            snprintf(text, sizeof text, "<path fill-rule='%s' d='%s%s'/>", rule == 0 ? "nonzero" : "evenodd", frame,
                     turn == 0 ? same : against);
            struct drawing drawing = svg_of(text);
            assert_true(filled_at(&drawing, 5, 5));
            assert_true(filled_at(&drawing, 15, 15) == (rule == 0 && turn == 0));
            drawing_free(&drawing);
        }
    }
    /* Two walls of one path that cross are both walls, also where they cross; an island in a hole is filled. */
    struct drawing drawing = svg_of("<path d='M0 10H30V14H0Z M10 0H14V30H10Z'/>");
    assert_true(filled_at(&drawing, 12, 12) && filled_at(&drawing, 2, 12) && filled_at(&drawing, 12, 2));
    assert_false(filled_at(&drawing, 2, 2));
    drawing_free(&drawing);
    drawing = svg_of("<path d='M0 0H30V30H0Z M5 5V25H25V5Z M10 10H20V20H10Z'/>");
    assert_true(filled_at(&drawing, 2, 15) && filled_at(&drawing, 15, 15) && !filled_at(&drawing, 7, 15));
    assert_int_equal(drawing.element_count, 2);
    drawing_free(&drawing);
}

static void test_omissions(void **state)
{
    (void)state;
    struct drawing drawing = svg_of(
        "<text x='1'>hall <tspan>two</tspan></text><text/><image/><sodipodi:namedview inkscape:document-units='m'/>"
        "<defs><linearGradient id='q'/></defs><title>plan</title><foreignObject><p/></foreignObject>");
    assert_int_equal(drawing.element_count, 0);
    assert_int_equal(omissions_of(&drawing, "text"), 2);
    assert_int_equal(omissions_of(&drawing, "image"), 1);
    assert_int_equal(omissions_of(&drawing, "foreignObject"), 1);
    assert_int_equal(drawing.omission_count, 3);
    drawing_free(&drawing);
}

static void test_illustrator(void **state)
{
    (void)state;
    struct drawing drawing = drawing_made(
        "plan.svg",
        "<?xml version=\"1.0\"?><!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://nowhere/svg11.dtd\" [\n"
        "<!ENTITY ns_svg \"http://www.w3.org/2000/svg\"><!ENTITY st0 \"fill:none;stroke:#ff0000\">]>\n"
        "<svg xmlns=\"&ns_svg;\" viewBox=\"10 20 30 40\"><g id=\"Walls\"><path style=\"&st0;\" d=\"M10 "
        "20H20\"/></g></svg>");
    point_check(&drawing, element_of(&drawing, "Walls", 0), 0, 0, 40);
    drawing_free(&drawing);
}

static void test_damage(void **state)
{
    (void)state;
    drawing_refused("plan.svg", "<svg>\n<g>\n</svg>", "line 3: mismatched tag");
    drawing_refused("plan.svg", "", "no element found");
    drawing_refused("plan.svg", "<html><svg/></html>", "first element is not svg");
    drawing_refused("plan.svg", "<svg viewBox='0 0 x 3'/>", "viewBox");
    drawing_refused("plan.svg", "<!DOCTYPE svg [<!ENTITY a SYSTEM '/etc/passwd'>]><svg><g id='&a;'/></svg>", "line 1");
    char *deep = calloc(1, 4000);
    strcpy(deep, "<svg>");
    for (int n = 0; n < 400; n++) {
        strcat(deep, "<g>");
    }
    drawing_refused("plan.svg", deep, "nested");
    free(deep);
    drawing_refused("plan.svg",
                    "<!DOCTYPE svg [<!ENTITY a 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'>"
                    "<!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>"
                    "<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;'>"
                    "<!ENTITY d '&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;'>"
                    "<!ENTITY e '&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;'>"
                    "<!ENTITY f '&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;'>]><svg>&f;</svg>",
                    "line 1");
    /* Ten of ten of ten ...: not drawn for ever. */
    char many[4096] = "<svg><defs><g id='u0'/>";
    for (int n = 1; n < 12; n++) {
        size_t used = strlen(many);
        used += (size_t)snprintf(many + used, sizeof many - used, "<g id='u%d'>", n);
        for (int k = 0; k < 10; k++) {
            used += (size_t)snprintf(many + used, sizeof many - used, "<use href='#u%d'/>", n - 1);
        }
        snprintf(many + used, sizeof many - used, "</g>");
    }
    strcat(many, "</defs><use href='#u11'/></svg>");
    drawing_refused("plan.svg", many, "uses elements again more than");
}

/* Whatever is broken in a file that holds everything: a drawing or a sentence. */
static void test_every_byte(void **state)
{
    (void)state;
    char text[] =
        "<svg viewBox='0 0 9 9'><style>.a{fill:red;stroke:#000} r, g#x.y.z{}</style><g id='u' transform='rotate(3 "
        "1,2)scale(2)'><path class='a b' d='M1 2c3 4 5 6 7 8s1-2 3.5.5A3 4 5 1 0 6 7zQ1 2 3 4t5 6'/></g><use href='#u' "
        "x='3'/><rect x='1' width='5%' height='1e2' rx='2'/><polygon points='1,2 3,4 5 6'/></svg>";
    for (size_t n = 0; n + 1 < sizeof text; n++) {
        char kept = text[n], path[256];
        text[n] = "<9'-x&;"[n % 7];
        drawing_file_write("plan.svg", text, sizeof text - 1, path);
        struct drawing drawing = {0};
        pw_error error = {""};
        pw_status status = drawing_read(path, &(struct picture_options){0}, &drawing, &error);
        unlink(path);
        assert_true(status == PW_OK || (status == PW_BAD_INPUT && error.message[0] != '\0'));
        drawing_free(&drawing);
        text[n] = kept;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),           cmocka_unit_test(test_paths),
        cmocka_unit_test(test_transforms),       cmocka_unit_test(test_use),
        cmocka_unit_test(test_classes),          cmocka_unit_test(test_labels),
        cmocka_unit_test(test_groups_in_groups), cmocka_unit_test(test_styles),
        cmocka_unit_test(test_fill_rules),       cmocka_unit_test(test_omissions),
        cmocka_unit_test(test_illustrator),      cmocka_unit_test(test_damage),
        cmocka_unit_test(test_every_byte),
    };
    return cmocka_run_group_tests(tests, drawing_folder_make, drawing_folder_clear);
}
