/* People who walk through a floor: how the channels change with them. A person is an upright cylinder of
 * muscle, and a floor of two dimensions is solved empty, once from every transmitter and once from every receiver. The
 * waves that arrive where a person stands are scattered by the cylinder exactly, and travel on to the receivers through
 * the empty floor by reciprocity. Persons scatter each other unless a wall parts them. What goes back and forth between
 * a person and the walls is left out, unless PW_WALK_WALLS is asked for.
 *
 *     pw_walk_path path;
 *     pw_walk_options options = pw_walk_options_default();
 *     pw_walk *walk;
 *     PW_TRY(pw_walk_path_parse("6.2,8.6 9.2,8.6", &path, error));
 *     options.paths = &path;
 *     options.person_count = 1;
 *     PW_TRY(pw_walk_solve(scenario, &options, &walk, error));
 *     PW_TRY(pw_walk_write(walk, "walk.h5", error));
 *     pw_walk_free(walk); */
#ifndef PLANWAVE_WALK_H
#define PLANWAVE_WALK_H

#include "planwave.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PW_WALK_CORNERS = 256, PW_WALK_PERSONS = 32 };

/* A line of straight pieces; of one point: the person stands there. */
typedef struct pw_walk_path {
    double x[PW_WALK_CORNERS], y[PW_WALK_CORNERS]; /* (count) [m] */
    int count;
} pw_walk_path;
/* Reads "2,3 4.5,3". PW_USAGE: a text that says none, or more than PW_WALK_CORNERS points. */
pw_status pw_walk_path_parse(const char *text, pw_walk_path *path, pw_error *error);

typedef enum pw_walk_method {
    PW_WALK_CYLINDER,
    PW_WALK_EXACT, /* every pose solved with the persons in the plan; in three dimensions it alone is there */
    PW_WALK_WALLS /* the cylinder, and what goes back and forth between persons and walls: more runs of the empty floor,
                     from points along the paths */
} pw_walk_method;

typedef struct pw_walk_options {
    const pw_walk_path *paths; /* (person_count), one to PW_WALK_PERSONS; who arrives first waits */
    int person_count;
    double speed;       /* m/s; default 1.2 */
    double rate;        /* Hz: poses a second; default 100 */
    double radius;      /* m, of a person; default 0.15 */
    double height;      /* m, of a person in three dimensions; default 1.7 */
    const char *storey; /* that they walk on, in three dimensions; NULL: the lowest */
    pw_walk_method method;
    int checks; /* poses that are solved with the persons in the plan, too; then on cells that resolve them */
    const char *subcarriers; /* as pw_subcarriers takes them; NULL: the frequencies of the running spectra */
    const char *const *transmitters, *const *receivers; /* by name; none: all */
    int transmitter_count, receiver_count;
    pw_compute compute;
    pw_monitor monitor;
    /* Told what is solved and how long it will take; and what is amiss with the plan or the runs. Either may be NULL.
     */
    void (*note)(const char *sentence, void *user), (*warn)(const char *sentence, void *user);
    void *user;
} pw_walk_options;
pw_walk_options pw_walk_options_default(void);

typedef struct walk pw_walk;

/* Solves the floor and computes all poses. PW_USAGE: options out of their range, or names that are not there;
 * PW_BAD_INPUT: three dimensions by another method than PW_WALK_EXACT, no receivers or running spectra, stations that
 * are not alike to all sides, or a person that meets a wall, a station, another person, the ceiling or the edge of the
 * plan. The caller frees *walk with pw_walk_free. */
pw_status pw_walk_solve(const pw_scenario *scenario, const pw_walk_options *options, pw_walk **walk, pw_error *error);
/* NULL is allowed. */
void pw_walk_free(pw_walk *walk);

typedef struct pw_walk_facts {
    int persons, poses, transmitters, receivers, frequencies, checks;
    double rate;           /* Hz */
    double least_rate;     /* Hz: at a lower rate Doppler shifts may fold; 0: nobody walks */
    int runs;              /* one for each transmitter of each plan that was solved */
    double poses_a_second; /* computed, after the floor was solved */
    double fit_error;      /* how far the field around the persons is off waves in air, relative, rms */
    double tissue_error;   /* of the material of whole solves, against the published values, relative, at most */
} pw_walk_facts;
pw_walk_facts pw_walk_describe(const pw_walk *walk);

/* Names of transmitters, and after them of receivers; owned, as all below. */
const char *pw_walk_station(const pw_walk *walk, int station);
const double *pw_walk_frequencies(const pw_walk *walk); /* (frequencies) [Hz] */
const double *pw_walk_positions(const pw_walk *walk);   /* (persons, poses, x and y) [m] */
/* H between isotropic antennas, in two dimensions with the amplitude of three at the distance of the link: (poses,
 * frequencies, receivers, transmitters, re/im), and of the empty floor without the poses. */
const float *pw_walk_csi(const pw_walk *walk);
const double *pw_walk_empty(const pw_walk *walk);
/* Mean power over the frequencies of the empty floor over that now, (poses, receivers, transmitters) [dB]. */
const double *pw_walk_blockage(const pw_walk *walk);

/* A pose that was solved with the persons in the plan, on one link. */
typedef struct pw_walk_check {
    int pose, receiver, transmitter;
    double field;     /* ||H - whole|| / ||whole||, over the frequencies */
    double scattered; /* the same of what the persons change, H less that of the empty floor */
    double blockage;  /* dB, of the whole solve */
} pw_walk_check;
/* Checks count from 0 to facts.checks - 1. */
pw_walk_check pw_walk_check_at(const pw_walk *walk, int check);

/* The summary. */
void pw_walk_print(const pw_walk *walk, FILE *stream);
/* All of it as HDF5 into `path`, which ends in .h5, csi for numpy into .npy, and a picture of the first link into .png.
 */
pw_status pw_walk_write(const pw_walk *walk, const char *path, pw_error *error);

/* An animated picture, .gif, as long as the walk: the floor with the persons on it, the links in the colour of their
 * blockage, and the blockages. */
pw_status pw_walk_film(const pw_walk *walk, const char *path, pw_error *error);

#ifdef __cplusplus
}
#endif
#endif
