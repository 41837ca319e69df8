/* DXF files, written here group by group after Autodesk's reference: each kind of entity comes back where geometry puts
 * it, what is not taken over is counted, and damaged files are refused with their line. */
#include "tests/drawing/vector_check.h"

/* "10 5;20 3" as pairs of lines, within the section ENTITIES of a file. */
static size_t pairs_write(char *text, size_t room, const char *pairs)
{
    size_t used = 0;
    for (const char *at = pairs; *at != '\0';) {
        size_t code = strcspn(at, " "), value = strcspn(at + code + 1, ";");
        used +=
            (size_t)snprintf(text + used, room - used, "%3.*s\r\n%.*s\r\n", (int)code, at, (int)value, at + code + 1);
        at += code + 1 + value;
        at += *at == ';' ? 1 : 0;
    }
    assert_true(used < room);
    return used;
}

static struct drawing dxf_of(const char *before, const char *entities)
{
    char pairs[8192], text[16384];
    snprintf(pairs, sizeof pairs, "%s0 SECTION;2 ENTITIES;%s;0 ENDSEC;0 EOF", before, entities);
    size_t size = pairs_write(text, sizeof text, pairs);
    text[size] = '\0';
    return drawing_made("plan.dxf", text);
}

static void dxf_refuse(const char *before, const char *entities, const char *says)
{
    char pairs[8192], text[16384];
    snprintf(pairs, sizeof pairs, "%s0 SECTION;2 ENTITIES;%s", before, entities);
    text[pairs_write(text, sizeof text, pairs)] = '\0';
    drawing_refused("plan.dxf", text, says);
}

/* Feet and inches can be shown where a unit is an inch alone; what $INSUNITS says counts before. */
static void test_feet_and_inches(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        double unit;
    } HEADERS[] = {{"9 $LUNITS;70 4;9 $INSUNITS;70 0;", 0.0254},
                   {"9 $INSUNITS;70 0;9 $LUNITS;70 3;", 0.0254},
                   {"9 $LUNITS;70 2;9 $INSUNITS;70 0;", 0},
                   {"9 $LUNITS;70 4;9 $INSUNITS;70 2;", 0.3048}};
    for (size_t n = 0; n < sizeof HEADERS / sizeof *HEADERS; n++) {
        char header[200];
        snprintf(header, sizeof header, "0 SECTION;2 HEADER;%s0 ENDSEC;", HEADERS[n].header);
        struct drawing drawing = dxf_of(header, "0 LINE;8 A-WALL;10 0;20 0;11 480;21 0");
        assert_true(drawing.unit == HEADERS[n].unit);
        drawing_free(&drawing);
    }
}

static void test_lines_and_layers(void **state)
{
    (void)state;
    struct drawing drawing =
        dxf_of("0 SECTION;2 HEADER;9 $ACADVER;1 AC1009;9 $INSUNITS;70 4;0 ENDSEC;"
               "0 SECTION;2 TABLES;0 TABLE;2 LAYER;70 2;0 LAYER;2 A-WALL;70 0;62 1;0 LAYER;2 Old;70 1;62 30;"
               "0 LAYER;2 Hidden;70 0;62 -5;420 1193046;0 ENDTAB;0 ENDSEC;",
               "0 LINE;8 a-wall;62 3;10 0;20 0;30 7;11 5000;21 300;31 7;0 LINE;8 Old;10 0;20 0;11 1;21 0;"
               "0 LINE;8 hidden;10 0;20 0;11 1;21 0;0 LINE;8 new;10 1;20 1;11 2;21 1;0 LINE;8 new;10 1;20 1;11 1;21 1");
    assert_int_equal(drawing.element_count, 4); /* one line has no length */
    assert_true(drawing.unit == 1e-3);
    assert_string_equal(drawing.unit_from, "$INSUNITS of the file: millimetres");
    const struct drawing_class *walls = class_named(&drawing, "A-WALL"), *old = class_named(&drawing, "Old (frozen)");
    const struct drawing_class *hidden = class_named(&drawing, "Hidden (off)");
    assert_true(walls != NULL && old != NULL && hidden != NULL && class_named(&drawing, "new") != NULL);
    assert_true(walls->use == CLASS_OPEN && old->use == CLASS_IGNORED && hidden->use == CLASS_IGNORED);
    assert_memory_equal(walls->colour, ((uint8_t[]){255, 0, 0}), 3);
    assert_memory_equal(old->colour, ((uint8_t[]){255, 127, 0}), 3);
    assert_memory_equal(hidden->colour, ((uint8_t[]){0x12, 0x34, 0x56}), 3);
    const struct drawing_element *line = element_of(&drawing, "A-WALL", 0);
    point_check(&drawing, line, 0, 0, 0);
    point_check(&drawing, line, 1, 5000, 300);
    assert_true(line->kind == ELEMENT_LINE && line->width == 0);
    drawing_free(&drawing);
}

/* Chords keep within a 2000th of the radius, so that lengths and boxes are those of the curve within that. */
static void test_arcs(void **state)
{
    (void)state;
    struct drawing drawing = dxf_of("", "0 ARC;8 a;10 10;20 20;40 5;50 270;51 90;0 CIRCLE;8 c;10 0;20 0;40 2;"
                                        "0 ELLIPSE;8 e;10 1;20 2;11 0;21 4;40 0.5;41 0;42 3.141592653589793;"
                                        "0 ARC;8 m;10 10;20 0;40 1;50 0;51 90;210 0;220 0;230 -1");
    const struct drawing_element *arc = element_of(&drawing, "a", 0);
    point_check(&drawing, arc, 0, 10, 15);
    box_check(&drawing, arc, (double[]){10, 15, 15, 25});
    assert_true(fabs(line_length(&drawing, arc) - 5 * M_PI) < 5 * M_PI / 2000);
    const struct drawing_ring *ring = &drawing.rings[arc->first_ring];
    for (size_t n = ring->first; n + 1 < ring->first + ring->count; n++) {
        struct drawing_point p = drawing.points[n], q = drawing.points[n + 1];
        assert_true(fabs(hypot(p.x - 10, p.y - 20) - 5) < 1e-9);
        assert_true(5 - hypot((p.x + q.x) / 2 - 10, (p.y + q.y) / 2 - 20) <= 5.0 / 2000);
    }
    const struct drawing_element *circle = element_of(&drawing, "c", 0);
    struct drawing_point last = point_last(&drawing, circle);
    point_check(&drawing, circle, 0, last.x, last.y);
    assert_true(fabs(line_length(&drawing, circle) - 4 * M_PI) < 4 * M_PI / 2000);
    box_check(&drawing, element_of(&drawing, "e", 0), (double[]){-1, -2, 1, 6}); /* it runs to the left of its axis */
    const struct drawing_element *mirrored = element_of(&drawing, "m", 0);       /* x' = -x */
    point_check(&drawing, mirrored, 0, -11, 0);
    last = point_last(&drawing, mirrored);
    assert_true(fabs(last.x + 10) < 1e-9 && fabs(last.y - 1) < 1e-9);
    drawing_free(&drawing);
}

static void test_polylines(void **state)
{
    (void)state;
    struct drawing drawing = dxf_of(
        "", "0 LWPOLYLINE;8 w;90 3;70 1;43 200;10 0;20 0;10 4000;20 0;10 4000;20 3000;"
            "0 LWPOLYLINE;8 b;90 2;70 0;10 0;20 0;42 1;10 2;20 0;" /* half a turn to the left, below the chord */
            "0 LWPOLYLINE;8 q;90 2;70 0;10 1;20 0;42 0.41421356237309503;10 0;20 1;"
            "0 LWPOLYLINE;8 v;90 3;70 0;10 0;20 0;40 2;41 4;10 5;20 0;40 1;41 1;10 5;20 5;"
            "0 POLYLINE;8 p;66 1;70 1;40 3;41 3;0 VERTEX;8 p;10 0;20 0;0 VERTEX;8 p;10 1;20 0;0 VERTEX;8 p;10 1;20 1;"
            "0 VERTEX;10 9;20 9;70 16;0 SEQEND;0 POLYLINE;8 mesh;70 64;0 VERTEX;10 0;20 0;0 VERTEX;10 1;20 1;0 SEQEND;"
            "0 LWPOLYLINE;8 round;70 1;10 0;20 0;42 1;10 2;20 0;42 1");
    const struct drawing_element *wide = element_of(&drawing, "w", 0);
    assert_true(wide->width == 200 && fabs(line_length(&drawing, wide) - 12000) < 1e-9);
    assert_int_equal(drawing.rings[wide->first_ring].count, 4);
    point_check(&drawing, wide, 3, 0, 0);
    box_check(&drawing, element_of(&drawing, "b", 0), (double[]){0, -1, 2, 0});
    const struct drawing_element *quarter = element_of(&drawing, "q", 0);
    const struct drawing_ring *ring = &drawing.rings[quarter->first_ring];
    for (size_t n = ring->first; n < ring->first + ring->count; n++) {
        assert_true(fabs(hypot(drawing.points[n].x, drawing.points[n].y) - 1) < 1e-9);
    }
    point_check(&drawing, quarter, ring->count - 1, 0, 1);
    assert_true(element_of(&drawing, "v", 0)->width == 3 && element_of(&drawing, "v", 1)->width == 1);
    point_check(&drawing, element_of(&drawing, "v", 1), 1, 5, 5);
    const struct drawing_element *old = element_of(&drawing, "p", 0);
    assert_true(old->width == 3 && fabs(line_length(&drawing, old) - (2 + sqrt(2))) < 1e-9);
    assert_int_equal(omissions_of(&drawing, "POLYLINE that is a mesh"), 1);
    assert_null(class_named(&drawing, "mesh"));
    assert_true(fabs(line_length(&drawing, element_of(&drawing, "round", 0)) - 2 * M_PI) < 2 * M_PI / 2000);
    drawing_free(&drawing);
}

/* A rational quadratic spline of weight cos 45 degrees is a quarter of a circle; a cubic of one span is a Bezier curve;
 * a spline of degree 1 is its polygon. */
static void test_splines(void **state)
{
    (void)state;
    struct drawing drawing = dxf_of(
        "",
        "0 SPLINE;8 q;70 4;71 2;72 6;73 3;40 0;40 0;40 0;40 1;40 1;40 1;41 1;41 0.70710678118654757;41 1;"
        "10 1;20 0;30 0;10 1;20 1;30 0;10 0;20 1;30 0;"
        "0 SPLINE;8 z;71 3;72 8;73 4;40 0;40 0;40 0;40 0;40 2;40 2;40 2;40 2;10 0;20 0;10 0;20 3;10 3;20 3;10 3;20 0;"
        "0 SPLINE;8 l;71 1;72 5;73 3;40 0;40 0;40 1;40 2;40 2;10 0;20 0;10 4;20 0;10 4;20 3;"
        "0 SPLINE;8 f;71 3;74 3;11 0;21 0;11 1;21 0;11 2;21 0;"
        "0 SPLINE;8 bad;71 3;40 0;40 1;10 0;20 0;10 1;20 1;"
        "0 SPLINE;8 bad;71 1;40 0;40 3;40 2;40 4;10 0;20 0;10 1;20 1");
    const struct drawing_element *quarter = element_of(&drawing, "q", 0);
    const struct drawing_ring *ring = &drawing.rings[quarter->first_ring];
    for (size_t n = ring->first; n < ring->first + ring->count; n++) {
        assert_true(fabs(hypot(drawing.points[n].x, drawing.points[n].y) - 1) < 1e-9);
    }
    assert_true(fabs(line_length(&drawing, quarter) - M_PI / 2) < M_PI / 2000);
    struct drawing_point low, high;
    drawing_element_box(&drawing, element_of(&drawing, "z", 0), &low, &high);
    assert_true(fabs(high.y - 2.25) < 3.0 / 2000 && low.x == 0 && high.x == 3); /* 3/4 of 3 */
    assert_true(fabs(line_length(&drawing, element_of(&drawing, "l", 0)) - 7) < 1e-9);
    assert_true(fabs(line_length(&drawing, element_of(&drawing, "f", 0)) - 2) < 1e-9);
    assert_int_equal(omissions_of(&drawing, "SPLINE without its knots"), 1);
    assert_int_equal(omissions_of(&drawing, "SPLINE that is not defined"), 1);
    drawing_free(&drawing);
}

static void test_areas(void **state)
{
    (void)state;
    struct drawing drawing = dxf_of(
        "", "0 SOLID;8 s;10 0;20 0;11 4;21 0;12 0;22 3;13 4;23 3;0 SOLID;8 t;10 0;20 0;11 4;21 0;12 0;22 3;"
            "0 3DFACE;8 f;10 0;20 0;30 0;11 4;21 0;31 0;12 4;22 3;32 0;13 0;23 3;33 0;"
            "0 3DFACE;8 up;10 0;20 0;30 0;11 4;21 3;31 0;12 4;22 3;32 9;13 0;23 0;33 9;"
            "0 HATCH;8 h;10 0;20 0;30 0;210 0;220 0;230 1;2 SOLID;70 1;71 0;91 2;"
            "92 7;72 0;73 1;93 4;10 0;20 0;10 10;20 0;10 10;20 10;10 0;20 10;97 0;"
            "92 16;93 1;72 2;10 5;20 5;40 2;50 0;51 360;73 1;97 0;75 0;76 1;98 1;10 77;20 77;"
            "0 HATCH;8 e;2 SOLID;70 1;91 1;92 1;93 3;72 1;10 0;20 0;11 2;21 0;72 2;10 1;20 0;40 1;50 0;51 90;73 1;"
            "72 1;10 1;20 1;11 0;21 0;97 0;75 1;0 HATCH;8 x;2 ANSI31;70 0;91 0");
    assert_true(element_of(&drawing, "s", 0)->kind == ELEMENT_AREA);
    assert_true(fabs(ring_area(&drawing, element_of(&drawing, "s", 0)->first_ring) - 12) < 1e-9);
    assert_true(fabs(ring_area(&drawing, element_of(&drawing, "t", 0)->first_ring) - 6) < 1e-9);
    assert_true(fabs(ring_area(&drawing, element_of(&drawing, "f", 0)->first_ring) - 12) < 1e-9);
    assert_true(element_of(&drawing, "up", 0)->kind == ELEMENT_LINE);
    assert_true(fabs(line_length(&drawing, element_of(&drawing, "up", 0)) - 5) < 1e-9);
    const struct drawing_element *hatch = element_of(&drawing, "h", 0);
    assert_int_equal(hatch->rings, 2);
    assert_true(fabs(ring_area(&drawing, hatch->first_ring) - 100) < 1e-9);
    assert_true(fabs(ring_area(&drawing, hatch->first_ring + 1) - 4 * M_PI) < 4 * M_PI / 1000);
    assert_true(point_is_filled(&drawing, 9, 9) && !point_is_filled(&drawing, 5, 5));
    /* A triangle and the quarter of a disc beside it. */
    assert_true(fabs(ring_area(&drawing, element_of(&drawing, "e", 0)->first_ring) - (0.5 + M_PI / 4)) < 1e-3);
    assert_int_equal(omissions_of(&drawing, "HATCH of a pattern"), 1);
    drawing_free(&drawing);
}

/* An arc of a hatch that runs clockwise has mirrored angles: here from (1, 0) down and around to (0, -1). */
static void test_hatch_clockwise(void **state)
{
    (void)state;
    struct drawing drawing = dxf_of("", "0 HATCH;8 h;2 SOLID;70 1;91 1;92 1;93 3;72 2;10 0;20 0;40 1;50 0;51 90;73 0;"
                                        "72 1;10 0;20 -1;11 0;21 0;72 1;10 0;20 0;11 1;21 0;97 0;75 0");
    const struct drawing_element *quarter = element_of(&drawing, "h", 0);
    box_check(&drawing, quarter, (double[]){0, -1, 1, 0});
    assert_true(fabs(ring_area(&drawing, quarter->first_ring) - M_PI / 4) < 1e-3);
    drawing_free(&drawing);
}

static void test_mline(void **state)
{
    (void)state;
    struct drawing drawing =
        dxf_of("", "0 MLINE;8 w;2 STANDARD;40 1;70 0;71 1;72 2;73 2;10 0;20 0;30 0;210 0;220 0;230 1;"
                   "11 0;21 0;31 0;12 1;22 0;32 0;13 0;23 1;33 0;74 2;41 0;41 0;75 0;74 2;41 -200;41 0;75 0;"
                   "11 5000;21 0;31 0;12 1;22 0;32 0;13 0;23 1;33 0;74 2;41 0;41 0;75 0;74 2;41 -200;41 0;75 0");
    assert_int_equal(drawing.element_count, 2);
    point_check(&drawing, element_of(&drawing, "w", 0), 1, 5000, 0);
    point_check(&drawing, element_of(&drawing, "w", 1), 0, 0, -200);
    point_check(&drawing, element_of(&drawing, "w", 1), 1, 5000, -200);
    drawing_free(&drawing);
}

static const char BLOCKS[] =
    "0 SECTION;2 TABLES;0 TABLE;2 LAYER;0 LAYER;2 frozen;70 1;62 7;0 ENDTAB;0 ENDSEC;"
    "0 SECTION;2 BLOCKS;0 BLOCK;8 0;2 Door;70 0;10 1;20 1;30 0;0 LINE;8 0;10 1;20 1;11 3;21 1;0 LINE;8 own;10 1;20 "
    "1;11 1;21 2;"
    "0 ENDBLK;0 BLOCK;2 Pair;10 0;20 0;0 INSERT;8 0;2 DOOR;10 0;20 0;0 INSERT;8 mid;2 door;10 10;20 0;50 90;0 ENDBLK;"
    "0 BLOCK;2 Loop;10 0;20 0;0 INSERT;8 0;2 Loop;10 0;20 0;0 ENDBLK;"
    "0 BLOCK;2 Out;70 4;10 0;20 0;1 other.dwg;0 ENDBLK;"
    "0 BLOCK;2 Pen;10 0;20 0;0 LWPOLYLINE;8 0;43 2;10 0;20 0;10 1;20 0;0 ENDBLK;0 ENDSEC;";

static void test_inserts(void **state)
{
    (void)state;
    struct drawing drawing =
        dxf_of(BLOCKS, "0 INSERT;8 A;2 door;10 100;20 50;41 2;42 -3;50 90;0 INSERT;8 N;2 pair;10 0;20 0;"
                       "0 INSERT;8 G;2 door;10 0;20 0;70 3;71 2;44 5;45 7;0 INSERT;8 B;2 none;0 INSERT;8 B;2 out;"
                       "0 INSERT;8 P;2 pen;10 0;20 0;41 3;42 3;0 INSERT;8 frozen;2 pen;10 0;20 0;"
                       "0 INSERT;8 M;2 door;10 8;20 0;210 0;220 0;230 -1");
    /* From the base point, two along x become four along y; one along y becomes three along x. */
    point_check(&drawing, element_of(&drawing, "A", 0), 0, 100, 50);
    point_check(&drawing, element_of(&drawing, "A", 0), 1, 100, 54);
    point_check(&drawing, element_of(&drawing, "own", 0), 1, 103, 50);
    point_check(&drawing, element_of(&drawing, "N", 0), 1, 2, 0);
    point_check(&drawing, element_of(&drawing, "mid", 0), 0, 10, 0);
    point_check(&drawing, element_of(&drawing, "mid", 0), 1, 10, 2);
    assert_int_equal(class_named(&drawing, "G")->lines, 6);
    point_check(&drawing, element_of(&drawing, "G", 5), 1, 12, 7);
    assert_true(fabs(element_of(&drawing, "P", 0)->width - 6) < 1e-12);
    assert_true(class_named(&drawing, "frozen (frozen)")->use == CLASS_IGNORED);
    point_check(&drawing, element_of(&drawing, "M", 0), 1, -10, 0);
    assert_int_equal(omissions_of(&drawing, "INSERT of a block that is not there"), 1);
    assert_int_equal(omissions_of(&drawing, "external reference"), 1);
    drawing_free(&drawing);
    dxf_refuse(BLOCKS, "0 INSERT;8 A;2 loop;10 0;20 0;0 ENDSEC;0 EOF", "deep");
}

static void test_omissions(void **state)
{
    (void)state;
    struct drawing drawing =
        dxf_of("", "0 TEXT;8 a;10 0;20 0;1 hall;0 TEXT;8 a;1 x;0 MTEXT;1 y;101 Embedded Object;10 x;"
                   "0 POINT;10 0;20 0;0 DIMENSION;2 *D1;0 LINE;67 1;8 a;10 0;20 0;11 1;21 0;"
                   "0 LINE;60 1;8 a;10 0;20 0;11 1;21 0;0 strange;8 a");
    assert_int_equal(drawing.element_count, 0);
    assert_int_equal(omissions_of(&drawing, "TEXT"), 2);
    assert_int_equal(omissions_of(&drawing, "MTEXT"), 1);
    assert_int_equal(omissions_of(&drawing, "POINT"), 1);
    assert_int_equal(omissions_of(&drawing, "DIMENSION"), 1);
    assert_int_equal(omissions_of(&drawing, "entity of paper space"), 1);
    assert_int_equal(omissions_of(&drawing, "invisible entity"), 1);
    assert_int_equal(omissions_of(&drawing, "entity without a type"), 1);
    assert_true(drawing.unit == 0);
    drawing_free(&drawing);
}

static void test_names(void **state)
{
    (void)state;
    struct drawing drawing = dxf_of("0 SECTION;2 HEADER;9 $DWGCODEPAGE;3 ANSI_1252;0 ENDSEC;",
                                    "0 LINE;8 W\xe4nde;11 1;0 LINE;8 T\xc3\xbcren;11 1;0 LINE;8 M\\U+00F6bel;11 1");
    assert_non_null(class_named(&drawing, "W\xc3\xa4nde"));
    assert_non_null(class_named(&drawing, "T\xc3\xbcren"));
    assert_non_null(class_named(&drawing, "M\xc3\xb6"
                                          "bel"));
    drawing_free(&drawing);
    drawing = dxf_of("0 SECTION;2 HEADER;9 $DWGCODEPAGE;3 nonsense;0 ENDSEC;", "0 LINE;8 W\xe4nde;11 1");
    assert_non_null(class_named(&drawing, "W\xef\xbf\xbdnde"));
    drawing_free(&drawing);
}

static void test_damage(void **state)
{
    (void)state;
    dxf_refuse("", "0 LINE;8 a;10 x;20 0;0 ENDSEC;0 EOF", "line 10: 'x' is not a number");
    dxf_refuse("", "0 LINE;8 a;10 1", "cut off");
    dxf_refuse("", "0 LINE;8 a;ten 1;0 EOF", "'ten' is not a group code");
    dxf_refuse("", "0 LINE;8 a;10 nan;0 ENDSEC;0 EOF", "'nan' is not a number");
    dxf_refuse("", "0 LINE;8 a;10 1e300;0 ENDSEC;0 EOF", "not a number");
    dxf_refuse("", "8 a;0 ENDSEC;0 EOF", "begins with group 0");
    const char *none = "  0\nSECTION\n  2\nHEADER\n  0\nENDSEC\n  0\nEOF\n";
    drawing_refused("plan.dxf", none, "no section ENTITIES");
    drawing_refused("plan.dxf", "", "is empty");
    drawing_refused("plan.dxf", "AutoCAD Binary DXF\r\n\x1a", "binary DXF");
    drawing_refused("plan.dwg", "AC1027......", "DWG file");
    /* A file of many blocks in blocks ends by its limits. */
    dxf_refuse("0 SECTION;2 BLOCKS;0 BLOCK;2 a;0 INSERT;2 b;70 30000;71 30000;0 ENDBLK;0 BLOCK;2 b;0 ENDBLK;0 ENDSEC;",
               "0 INSERT;2 a;70 30000;71 30000;0 ENDSEC;0 EOF", "blocks are inserted");
    char pairs[8192] = "0 SECTION;2 BLOCKS;0 BLOCK;2 a;0 LWPOLYLINE;8 x;"; /* points that are one point draw nothing */
    for (int n = 0; n < 400; n++) {
        strcat(pairs, "10 0;20 0;");
    }
    strcat(pairs, "0 ENDBLK;0 ENDSEC;");
    dxf_refuse(pairs, "0 INSERT;2 a;70 30000;71 30000;0 ENDSEC;0 EOF", "blocks counted as often as they are inserted");
}

/* Whatever is broken in a file that holds everything: a drawing or a sentence. */
static void test_every_byte(void **state)
{
    (void)state;
    char pairs[8192], text[8192];
    snprintf(pairs, sizeof pairs,
             "%s0 SECTION;2 ENTITIES;0 INSERT;8 N;2 pair;10 0;20 0;70 2;44 3;0 ARC;8 a;10 1;20 2;40 3;50 4;51 5;"
             "0 HATCH;8 h;2 SOLID;70 1;91 1;92 3;72 0;73 1;93 3;10 0;20 0;42 1;10 5;20 0;10 5;20 5;97 0;75 0;"
             "0 SPLINE;8 l;71 1;72 5;73 3;40 0;40 0;40 1;40 2;40 2;10 0;20 0;10 4;20 0;10 4;20 3;0 ENDSEC;0 EOF",
             BLOCKS);
    size_t size = pairs_write(text, sizeof text, pairs);
    for (size_t n = 0; n < size; n++) {
        char kept = text[n];
        text[n] = "0\n9-x"[n % 5];
        char path[256];
        drawing_file_write("plan.dxf", text, size, path);
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
        cmocka_unit_test(test_feet_and_inches),
        cmocka_unit_test(test_lines_and_layers),
        cmocka_unit_test(test_arcs),
        cmocka_unit_test(test_polylines),
        cmocka_unit_test(test_splines),
        cmocka_unit_test(test_areas),
        cmocka_unit_test(test_hatch_clockwise),
        cmocka_unit_test(test_mline),
        cmocka_unit_test(test_inserts),
        cmocka_unit_test(test_omissions),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_every_byte),
    };
    return cmocka_run_group_tests(tests, drawing_folder_make, drawing_folder_clear);
}
