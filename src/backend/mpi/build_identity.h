/* Which planwave this is: ranks of one job must be of one build, since they send each other plain structures. */
#ifndef BUILD_IDENTITY_H
#define BUILD_IDENTITY_H

enum { BUILD_IDENTITY_SIZE = 192 };

/* "0.1.0 (f613cb4ddd), build 3f2a..."; the last from the linker, where it leaves such a note. Zeros fill the rest. */
void build_identity(char text[BUILD_IDENTITY_SIZE]);

#endif
