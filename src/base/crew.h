/* A crew: independent pieces of long work on several threads of the host, while the thread that asked for it takes what
 * is done, tells how far it is and hears whether to stop. */
#pragma once

#include "base/status.h"

struct crew_post; /* one piece at work */

struct crew {
    int count;   /* pieces */
    int members; /* threads; each keeps one finished piece at most until it is taken */
    /* Does piece `index`; called by any member. It calls crew_tell now and then, and when that says false it ends with
     * PW_INTERRUPTED. */
    pw_status (*work)(int index, struct crew_post *post, void *user, pw_error *error);
    /* Takes piece `index`, whose work ended with PW_OK; called by the thread of crew_run, in any order. */
    pw_status (*take)(int index, void *user, pw_error *error);
    void *user;
    pw_monitor monitor; /* told by the thread of crew_run; default: nobody */
};

/* Works on all pieces. The first failure ends the work: *failed is then the piece that failed, or -1 when none did, as
 * with PW_INTERRUPTED by the monitor. What the other pieces had begun has ended when this returns. */
pw_status crew_run(const struct crew *crew, int *failed, pw_error *error);

/* From `work`: `done` of the piece, from 0 to 1. False: stop. */
bool crew_tell(struct crew_post *post, double done);
