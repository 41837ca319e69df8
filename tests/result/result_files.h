/* What the tests of the result file share: a folder for two files, a result made by hand in one of them, and Python
 * with h5py, where it is there, to look at it from outside. */
#ifndef RESULT_FILES_H
#define RESULT_FILES_H

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/check.h"

#include "tests/support/hand_made.h"

#define complain(...)                                                                                                  \
    do {                                                                                                               \
        print_error(__VA_ARGS__);                                                                                      \
        print_error("\n");                                                                                             \
        assert_true(false);                                                                                            \
    } while (0)

static char folder[] = "/tmp/planwave_result_XXXXXX";
static char path[256], other[256];

static inline int folder_create(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/out.h5", folder);
    snprintf(other, sizeof other, "%s/other.h5", folder);
    return 0;
}

static inline int folder_remove(void **state)
{
    (void)state;
    unlink(path);
    unlink(other);
    return rmdir(folder); /* fails when a temporary file was left */
}

static inline void write_made(pw_precision precision, const char *file)
{
    struct hand_made made;
    pw_error error = {""};
    hand_made_create(&made, precision);
    if (hand_made_write(&made, file, true, &error) != PW_OK) {
        complain("%s", error.message);
    }
    hand_made_free(&made);
}

static inline pw_result *open_made(const char *file)
{
    pw_result *result = NULL;
    pw_error error = {""};
    if (pw_result_open(file, &result, &error) != PW_OK) {
        complain("%s", error.message);
    }
    return result;
}

/* A child whose crash is a crash: without cmocka's handlers, and not for ever. */
static inline pid_t fork_child(unsigned seconds)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        signal(SIGBUS, SIG_DFL);
        signal(SIGFPE, SIG_DFL);
        signal(SIGILL, SIG_DFL);
        alarm(seconds);
    }
    return child;
}

static inline int run_python(const char *script, const char *file)
{
    char command[2400];
    snprintf(command, sizeof command, "/usr/bin/python3 -c '%s' %s 2>&1", script, file);
    return system(command);
}

static inline bool have_h5py(void)
{
    return run_python("import h5py, numpy", "") == 0;
}

#endif
