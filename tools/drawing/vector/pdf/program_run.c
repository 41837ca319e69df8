/* Runs another program within bounds (program_run.h). */
#include "drawing/vector/pdf/program_run.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

enum { SECONDS = 60, MEMORY_MEGABYTES = 2048, OUTPUT_MEGABYTES = 200 };

/* Bounds what the process may use from now on. It has hardly begun, so that what it used before is no matter. */
static void process_bound(pid_t process)
{
    const struct rlimit memory = {(rlim_t)MEMORY_MEGABYTES << 20, (rlim_t)MEMORY_MEGABYTES << 20};
    const struct rlimit output = {(rlim_t)OUTPUT_MEGABYTES << 20, (rlim_t)OUTPUT_MEGABYTES << 20};
    (void)prlimit(process, RLIMIT_AS, &memory, NULL);
    (void)prlimit(process, RLIMIT_FSIZE, &output, NULL);
}

/* Waits for the end; a process that takes too long is killed. False: it was. */
static bool process_wait(pid_t process, int *state)
{
    double deadline = pw_clock() + SECONDS;
    for (long pause = 1000000;;) { /* ns; from 1 ms on, to 50 ms */
        pid_t ended = waitpid(process, state, WNOHANG);
        if (ended == process || (ended < 0 && errno != EINTR)) {
            return true;
        }
        if (pw_clock() > deadline) {
            (void)kill(process, SIGKILL);
            (void)waitpid(process, state, 0);
            return false;
        }
        (void)nanosleep(&(struct timespec){0, pause}, NULL);
        pause = pause < 50000000 ? 2 * pause : pause;
    }
}

/* The first line of what was written to standard error, without control characters. */
static void line_take(FILE *file, char said[PROGRAM_WORDS])
{
    rewind(file);
    size_t count = fread(said, 1, PROGRAM_WORDS - 1, file);
    said[count] = '\0';
    said[strcspn(said, "\r\n")] = '\0';
    for (char *at = said; *at != '\0'; at++) {
        *at = (char)((unsigned char)*at < 0x20 || *at == 0x7f ? ' ' : *at);
    }
}

pw_status program_run(const char *const *words, const char *package, FILE *output, bool *good, char said[PROGRAM_WORDS],
                      pw_error *error)
{
    *good = false;
    said[0] = '\0';
    FILE *errors = tmpfile();
    FAIL_IF(errors == NULL, error, PW_NO_RESOURCE, "no temporary file for what %s says: %s", words[0], strerror(errno));
    int process = 0, state = 0;
    int status = pw_program_start(words, fileno(output), fileno(errors), &process);
    if (status != 0) {
        (void)fclose(errors);
        return fail(error, PW_NO_RESOURCE, "the program %s, which Debian has in the package %s, cannot be run: %s",
                    words[0], package, strerror(status));
    }
    process_bound(process);
    bool in_time = process_wait(process, &state);
    line_take(errors, said);
    (void)fclose(errors);
    if (!in_time) {
        snprintf(said, PROGRAM_WORDS, "it took more than %d s and was ended", (int)SECONDS);
    }
    *good = in_time && WIFEXITED(state) && WEXITSTATUS(state) == 0;
    return PW_OK;
}
