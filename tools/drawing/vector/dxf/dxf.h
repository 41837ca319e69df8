/* What the readers of DXF entities share: layers, blocks, where an entity stands, and the drawing that is made. */
#pragma once

#include "drawing/vector/curves.h"
#include "drawing/vector/dxf/dxf_text.h"

struct dxf_layer {
    char name[DRAWING_NAME_SIZE];
    bool off, frozen;
    uint8_t colour[3];
    int class_index[2]; /* of what is shown and of what is hidden; -1: nothing of it yet */
};

struct dxf_block {
    const char *name; /* as the file writes it */
    struct dxf_cursor body;
    double base[3];
    bool external; /* it stands in another file */
};

/* A vertex of a polyline, or a control point of a spline. */
struct dxf_vertex {
    double x, y, z;
    double begin, end; /* widths of the piece that begins here */
    double bulge;      /* tangent of a quarter of the piece's angle; of a spline its weight */
};

struct dxf {
    struct dxf_text text;
    struct drawing *drawing; /* borrowed */
    struct pen pen;
    struct dxf_layer *layers; /* sorted by name, without regard to case */
    struct dxf_block *blocks; /* the same, once all are read */
    struct dxf_vertex *vertices;
    double *knots;
    size_t layer_count, block_count, vertex_count, knot_count;
    size_t layer_room, block_room, vertex_room, knot_room;
    char code_page[DRAWING_NAME_SIZE];
    int page;
    long inserted; /* blocks so far */
};

/* Coordinates of an entity to those of the drawing: rows of x, y, z, one. */
struct dxf_frame {
    double row[3][4];
};

/* Where an entity stands: at the top, or in a block that was inserted. */
struct dxf_place {
    struct dxf_frame frame;
    char layer[DRAWING_NAME_SIZE]; /* of the insert, for entities of layer "0"; "" at the top */
    bool hidden;                   /* with the insert */
    int depth;
};

/* ---- dxf_frame.c ---- */
struct dxf_frame dxf_frame_identity(void);
struct dxf_frame dxf_frame_after(const struct dxf_frame *after, const struct dxf_frame *before);
/* An entity's own coordinates, by its extrusion and the arbitrary axis algorithm of the DXF reference. */
struct dxf_frame dxf_frame_of(const struct dxf_place *place, const struct dxf_entity *entity);
struct drawing_point dxf_point(const struct dxf_frame *frame, double x, double y, double z);
struct drawing_point dxf_vector(const struct dxf_frame *frame, double x, double y, double z);
/* How many times longer lengths in the plane become, on the mean. */
double dxf_frame_scale(const struct dxf_frame *frame);

/* ---- dxf_tables.c ---- */
void dxf_free(struct dxf *dxf);
/* The sections HEADER, TABLES and BLOCKS of the whole file; `entities` is set behind the head of ENTITIES. */
pw_status dxf_tables_read(struct dxf *dxf, struct dxf_cursor *entities, pw_error *error);
/* Found without regard to case; the layer is made where the table lacks it. */
pw_status dxf_layer_of(struct dxf *dxf, const char *name, struct dxf_layer **layer, pw_error *error);
const struct dxf_block *dxf_block_of(const struct dxf *dxf, const char *name);
/* Room for one more in an array of `count`. */
pw_status dxf_room(void *array, size_t *room, size_t count, size_t size, pw_error *error);

/* ---- the shapes; `like` has class and page, `body` stands behind the entity ---- */
struct dxf_shape {
    const struct dxf_entity *entity;
    struct dxf_place place;
    struct drawing_element like;
    struct dxf_cursor *behind; /* of a polyline: its vertices, which are read */
};
pw_status dxf_line(struct dxf *dxf, struct dxf_shape *shape, pw_error *error);
pw_status dxf_circle(struct dxf *dxf, struct dxf_shape *shape, pw_error *error); /* and ARC */
pw_status dxf_ellipse(struct dxf *dxf, struct dxf_shape *shape, pw_error *error);
pw_status dxf_solid(struct dxf *dxf, struct dxf_shape *shape, pw_error *error); /* and TRACE, 3DFACE */
pw_status dxf_lwpolyline(struct dxf *dxf, struct dxf_shape *shape, pw_error *error);
pw_status dxf_polyline(struct dxf *dxf, struct dxf_shape *shape, pw_error *error);
pw_status dxf_mline(struct dxf *dxf, struct dxf_shape *shape, pw_error *error);
pw_status dxf_spline(struct dxf *dxf, struct dxf_shape *shape, pw_error *error);
pw_status dxf_hatch(struct dxf *dxf, struct dxf_shape *shape, pw_error *error);
/* Along the polyline's piece from vertex `from` to `to`; the pen stands at `from`. */
pw_status dxf_piece_add(struct dxf *dxf, const struct dxf_frame *frame, const struct dxf_vertex *from,
                        const struct dxf_vertex *to, pw_error *error);
pw_status dxf_vertex_add(struct dxf *dxf, const struct dxf_vertex *vertex, pw_error *error);
pw_status dxf_knot_add(struct dxf *dxf, double knot, pw_error *error);
/* The spline of the vertices and knots that were added. What is no spline is counted and left out. */
pw_status dxf_spline_add(struct dxf *dxf, const struct dxf_frame *frame, int degree, bool rational, pw_error *error);

/* ---- dxf_model.c ---- */
/* Draws the entities at the cursor up to the section's end. */
pw_status dxf_model_draw(struct dxf *dxf, struct dxf_cursor *cursor, pw_error *error);
