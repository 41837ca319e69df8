/* When a call is due to fail. */
#include "tests/faults/faults.h"
#include "tests/support/sanitized.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool fault_is_due(struct fault_plan *plan)
{
    if (plan->fault == FAULT_NONE) {
        return false;
    }
    plan->calls++;
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
    return fault == FAULT_EVER ? 19 : 5;
}
