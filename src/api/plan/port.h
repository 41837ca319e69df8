/* Stations of several antennas: each antenna, a port, is a transmitter or a receiver of its own that says whose it is.
 */
#ifndef PLANWAVE_PORT_H
#define PLANWAVE_PORT_H

#include "api/support.h"

PW_C_BEGIN

typedef struct pw_port {
    char station[PW_NAME_SIZE];
    int number; /* from 1; 0: the terminal is a station on its own */
    /* Rows, columns and polarisations of the station, whose product is the number of its ports. Ports count from the
     * top of a column down, then column by column, then polarisation by polarisation. */
    int shape[3];
} pw_port;

PW_C_END

#endif
