/* How long a name may be: of transmitters, receivers, materials, and of members of files. */
#ifndef NAME_H
#define NAME_H

enum { NAME_SIZE = 64 }; /* bytes, the final zero included */

#endif
