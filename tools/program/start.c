/* What must be right before threads begin: their number, their stacks, and how they wait for each other. */
#include "program/tool.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const rlim_t STACK_LEAST = 1 << 20, STACK_WANTED = 8 << 20; /* bytes */

/* Each number of "4" or "4,2", which are for nested loops. */
static pw_status check_thread_numbers(void)
{
    const char *numbers = getenv("OMP_NUM_THREADS"), *at = numbers;
    while (at != NULL && *at != '\0') {
        char *end;
        long count = strtol(at, &end, 10);
        if (end != at && count > THREADS_MOST) {
            complain("OMP_NUM_THREADS is '%s': allowed are 1 to %d threads", numbers, THREADS_MOST);
            return PW_USAGE;
        }
        at = strchr(end, ',');
        at = at != NULL ? at + 1 : NULL;
    }
    return PW_OK;
}

/* Threads that begin later get stacks of this size. *changed: the limit was raised, as far as the system lets it. */
static pw_status raise_stack(bool *changed)
{
    struct rlimit limit;
    *changed = false;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= STACK_WANTED) {
        return PW_OK;
    }
    rlim_t before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max < STACK_WANTED ? limit.rlim_max : STACK_WANTED;
    *changed = limit.rlim_cur > before && setrlimit(RLIMIT_STACK, &limit) == 0;
    if (!*changed && before < STACK_LEAST) {
        complain("the limit of the stack is %llu kB, and at least %llu kB are needed: ulimit -s %llu",
                 (unsigned long long)before / 1024, (unsigned long long)STACK_LEAST / 1024,
                 (unsigned long long)STACK_WANTED / 1024);
        return PW_NO_RESOURCE;
    }
    return PW_OK;
}

/* Returns where that does not work: this process goes on as it is. By its path, since lists of processes name it by
 * what it was started by; by the link where the path leads to it no longer. */
static void start_anew(char **argv)
{
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length > 0) {
        path[length] = '\0';
        (void)execv(path, argv);
    }
    (void)execv("/proc/self/exe", argv);
}

/* OpenMP reads how its threads wait, and how large their stacks are, before main() begins. So the program starts anew
 * where one of them was not right. Without GOMP_SPINCOUNT a thread that has nothing to do looks for work 300 000 times
 * before it sleeps, and on a loaded machine keeps the one that it waits for from its core. */
pw_status start_well(char **argv)
{
    static const char SPINS[] = "GOMP_SPINCOUNT";
    bool raised, spins = getenv(SPINS) == NULL && getenv("OMP_WAIT_POLICY") == NULL;
    pw_status status = check_thread_numbers();
    PW_THEN(status, raise_stack(&raised));
    PW_TRY(status);
    if (spins && setenv(SPINS, "1000", 1) != 0) {
        spins = false;
    }
    if (spins || raised) {
        start_anew(argv);
    }
    return PW_OK;
}
