/* How energy travels through a floor plan, by Monte Carlo: rays leave the transmitters in all directions, are
 * reflected or refracted at every face by Fresnel's coefficients (Ez across the plane), and lose energy in media that
 * conduct. What comes out is how fast the energy decays, and what the energy has passed on its way to each part of the
 * floor: metres of air, metres of wall, faces, metal. Neither takes a grid, and both are good to some tenths: phases,
 * diffraction are left out but for thin layers. The error of a solver is built on it in
 * error_law.h. */
#pragma once

#include "plan/building.h"

/* Classes of media by relative permittivity: air, and what is about as dense as wood, plasterboard, brick, concrete and
 * glass. */
enum medium_class { CLASS_AIR, CLASS_WOOD, CLASS_BOARD, CLASS_BRICK, CLASS_CONCRETE, CLASS_GLASS, CLASS_COUNT };
enum { TRANSPORT_BINS = 2048, PATCHES_MOST = 400 };
static const double SHEET_MOST = 0.12; /* m */

/* What the parts of the floor are for: to tell the error, or to choose cells by it. What is behind a thick wall must be
 * right as well, and few rays come there; so the choice keeps half at least of what media do, also where it is no
 * longer wrong (`kept`). It also takes rays at places so far apart that a plan of few metres is judged by its echoes,
 * as when its cells were fitted. */
enum transport_purpose { TO_TELL, TO_CHOOSE, PURPOSES };

/* What a ray has passed on its way, or the mean of it over many. */
struct passed {
    double air; /* m, in air */
    /* How the amplitude and the phase [rad] change, relatively, with the error of the group velocity of the grid in
     * media of each class (ray.c). */
    double wear[CLASS_COUNT], turn[CLASS_COUNT];
    double kept_wear[CLASS_COUNT], kept_turn[CLASS_COUNT]; /* more of both, for the choice */
    double face_squares;    /* sum over dielectric faces of the squares of what their places change at random (ray.c) */
    double layer_squares;   /* the same of thin layers, a layer being one event */
    double metal;           /* reflections by metal ... */
    double slabs[2];        /* ... and those of them by the floor and by the ceiling, in three dimensions */
    double lossy;           /* reflections by good conductors, by the squares of their cosines ... */
    double lossy_depth;     /* Np/m, ... and the sum of what they damp by, times the same */
    double sheets;          /* those by sheets of metal no thicker than SHEET_MOST ... */
    double sheet_thickness; /* m, ... and the sum of their thicknesses */
};

/* One part of the floor. Means are over the energy that has come there. */
struct transport_patch {
    double energy; /* relative; 0: none came */
    struct passed mean;
    double air_square;                             /* m^2, mean of the squares of the ways in air */
    double wear_product[CLASS_COUNT][CLASS_COUNT]; /* mean of the products of wear by two classes */
    double delay, delay_square;                    /* s, s^2: means */
};

struct energy_transport {
    struct transport_patch patch[PURPOSES][PATCHES_MOST];
    int patch_count;
    double permittivity[CLASS_COUNT]; /* relative, mean over the area of the media of each class; 0: none */
    double largest_permittivity;      /* relative, of the media of the plan, metal left out */
    /* A face near a transmitter changes what it sends out everywhere: the square of how much of the field at the
     * transmitter is what the face sends back, the mean over the transmitters, by the class of the denser medium; and
     * the same of metal. Falls off within half a wavelength. */
    double near_face[CLASS_COUNT], near_metal;
    bool has_walls;                /* something on the plan is not air */
    bool has_conductors;           /* something conducts well, but is no metal: a coating, say */
    double slab_faces[2];          /* m: heights of the floor's upper and the ceiling's lower face */
    double bin;                    /* s, width of a bin of `energy` */
    double energy[TRANSPORT_BINS]; /* energy on the plan, relative to what was sent out at once at t = 0 */
};

/* Sends rays from every transmitter of the scenario through the building: in two dimensions one plan, in three all that
 * stands in the storey of the first transmitter. PW_NO_RESOURCE: no memory for pictures of at most about 16 million
 * pixels. */
pw_status energy_transport_compute(const struct building *building, const struct scenario *scenario,
                                   struct energy_transport *transport, pw_error *error);

/* Time [s] in which the energy on the plan falls to `ratio` of what was sent out, by an exponential through the first
 * 20 dB, which the rays tell well; HUGE_VAL when it does not fall by so much within the bins. */
double energy_transport_decay_time(const struct energy_transport *transport, double ratio);

/* RMS delay spread [s] of the energy at its patch, the mean over the patches. */
double energy_transport_delay_spread(const struct energy_transport *transport);
