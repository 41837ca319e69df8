/* When a call is due to fail. */
#include "tests/faults/faults.h"
#include "tests/support/sanitized.h"

#include <execinfo.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLACE_LIMIT = 8192, CALLERS = 6 }; /* the last two or three are outside of this folder */
static struct {
    void *callers[CALLERS];
    long first; /* call */
} places[PLACE_LIMIT];
static int place_count;

void fault_list_begin(struct fault_plan *plan, bool anew)
{
    place_count = anew ? 0 : place_count;
    for (int n = 0; n < place_count; n++) {
        places[n].first = 0; /* tried before */
    }
    *plan = (struct fault_plan){.fault = FAULT_LIST};
}

static void note_place(long call)
{
    void *callers[CALLERS] = {NULL};
    backtrace(callers, CALLERS);
    for (int n = 0; n < place_count; n++) {
        if (memcmp(places[n].callers, callers, sizeof callers) == 0) {
            return;
        }
    }
    if (place_count < PLACE_LIMIT) {
        memcpy(places[place_count].callers, callers, sizeof callers);
        places[place_count++].first = call;
    }
}

long fault_next(enum fault fault, long at)
{
    const int step = (fault == FAULT_EVER ? 3 : 1) * (SANITIZED ? 3 : 1);
    int next = 0;
    if (fault_stride(fault) == 1) {
        return at + 1;
    }
    while (next < place_count && places[next].first <= at) {
        next++;
    }
    next += at > 0 ? step - 1 : 0;
    return next < place_count ? places[next].first : LONG_MAX;
}

bool fault_is_due(struct fault_plan *plan)
{
    if (plan->fault == FAULT_NONE) {
        return false;
    }
    plan->calls++;
    if (plan->fault == FAULT_LIST) {
        note_place(plan->calls);
        return false;
    }
    if (plan->fault == FAULT_KILL && plan->calls == plan->at) {
        kill(getpid(), SIGKILL);
    }
    return plan->fault == FAULT_EVER ? plan->calls >= plan->at : plan->fault != FAULT_STOP && plan->calls == plan->at;
}

bool fault_stop_asked(const struct fault_plan *plan)
{
    return plan->fault == FAULT_STOP && plan->calls >= plan->at;
}

/* Strides under the sanitizers have no factor in common with the other ones, so that they do not try the same calls
 * again and again where calls come in groups. */
long fault_stride(enum fault fault)
{
    const char *wish = getenv("FAULTS");
    if (wish != NULL && strcmp(wish, "all") == 0) {
        return 1;
    }
    if (SANITIZED) {
        return fault == FAULT_EVER ? 17 : 7;
    }
    return fault == FAULT_EVER ? 10 : 3;
}
