/* How long a name may be that a user gives to a transmitter, a receiver or a material, its end included. */
#ifndef NAMES_H
#define NAMES_H

enum { NAME_SIZE = 64 };

#endif
