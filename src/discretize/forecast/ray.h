/* A ray of energy on its way through a picture of the plan, and what becomes of it at a face: Fresnel's
 * coefficients for Ez, thin layers as slabs, metal. What it has passed is kept for the law of errors. */
#pragma once

#include "discretize/forecast/energy_transport.h"

/* The plan as a picture, row 0 at the bottom. */
struct picture {
    const struct floorplan *plan;
    struct material *materials; /* (plan->material_count), owned: opaque ones as conductors */
    uint16_t *material;         /* (rows, columns), owned */
    int rows, columns;
    double pixel;  /* m */
    bool parallel; /* E lies in the plan, horizontal polarisation; else it is Ez */
    bool poles;    /* some material has poles: media stand on the grid as they are */
};

/* With `share` of the pixels that it may have at most. PW_NO_RESOURCE: no memory. After a failure too, picture_free. */
pw_status picture_create(const struct floorplan *plan, double share, struct picture *picture, pw_error *error);
void picture_free(struct picture *picture);

/* False outside the plan. */
bool picture_material_at(const struct picture *picture, double x, double y, uint16_t *material);

/* Floor and ceiling in three dimensions: the storey that the transmitter stands in. */
struct slabs {
    bool some;        /* false: two dimensions */
    double low, high; /* m: the faces that the rays meet */
    struct slab {
        const struct material *material; /* NULL: open */
        double thickness;                /* m */
    } floor, ceiling;
};

/* A ray on its way. In three dimensions it also rises by `slope` metres a metre of its way over the floor, which is
 * then `stretch` metres long. */
struct ray {
    double x, y, dx, dy; /* m; unit vector over the floor */
    double z, slope, stretch;
    double weight, time; /* s */
    struct passed passed;
    uint16_t medium;              /* that it believes to be in */
    double blind;                 /* m to go before it looks for faces again */
    double normal[2];             /* of the last face */
    double undeposited[PURPOSES]; /* m since the last deposit */
    uint64_t random;
};

/* A good conductor turns waves back by its loss, not by its permittivity: of the two the loss is larger. */
bool ray_conductor(double frequency, const struct material *material);

/* By permittivity. */
enum medium_class medium_class(double permittivity);

/* Uniform on [0, 1). */
double ray_draw(struct ray *ray);

/* Metres from a place to the nearest one in another medium, HUGE_VAL where none is within `most`; whether metal is
 * there, else the class of the denser of the two media. */
double ray_near_face(const struct picture *picture, double x, double y, double most, enum medium_class *class,
                     bool *metal);

/* What `length` metres of its medium do to a ray: they damp it, and turn its phase. */
void ray_pass_medium(const struct picture *picture, double frequency, struct ray *ray, double length);

/* The ray stands at a face, `ahead` is the material beyond: it turns back or goes on. `frequency` [Hz]. */
void ray_meet_face(const struct picture *picture, double frequency, struct ray *ray, uint16_t ahead);

/* The ray stands under or over a thing of material `ahead`, `thickness` metres high: it turns back or goes through. */
void ray_meet_level(const struct picture *picture, double frequency, struct ray *ray, uint16_t ahead, double thickness);

/* The ray has reached floor or ceiling: it turns back, or leaves (false). */
bool ray_meet_slab(const struct slabs *slabs, double frequency, struct ray *ray);
