/* One standing wave of a PEC box, started as a grid function and advanced by a backend. With image theory sin(m pi
 * i/nx) sin(n pi j/ny) is an exact eigenvector of the discrete problem, for every scheme. */
#ifndef MODE_H
#define MODE_H

#include "validation/support/case.h"

struct mode {
    const char *scheme;
    double courant;
    int nx, ny; /* cells of 1 cm */
    int m, n;   /* half waves */
};

struct mode_outcome {
    struct stencil stencil; /* that stepped the mode, tuned to its scenario when the scheme is */
    double time_step;       /* s */
    double wave_number;     /* rad/m, of the continuous mode */
    double law;             /* rad/s, from the dispersion relation of physics.md section 2 */
    double measured;        /* rad/s, from the fields */
    double field_error;     /* largest |Ez - cos(law t) mode| after the run, the mode's peak being one */
    double in_space;        /* rad/s, measured with the time step's part taken out: (2/dt) sin(measured dt/2) */
};

struct mode_outcome mode_run(const struct mode *mode, const char *backend);

#endif
