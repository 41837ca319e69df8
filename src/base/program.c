/* Other programs, started without a shell (api/support.h). */
#include "api/support.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int redirect(posix_spawn_file_actions_t *actions, int from, int to)
{
    return from >= 0 ? posix_spawn_file_actions_adddup2(actions, from, to)
                     : posix_spawn_file_actions_addopen(actions, to, "/dev/null", O_RDWR, 0);
}

int pw_program_start(const char *const *words, int output, int messages, int *process)
{
    posix_spawn_file_actions_t actions;
    int reason = posix_spawn_file_actions_init(&actions);
    if (reason != 0) {
        return reason;
    }
    reason = redirect(&actions, -1, STDIN_FILENO);
    reason = reason == 0 ? redirect(&actions, output, STDOUT_FILENO) : reason;
    reason = reason == 0 ? redirect(&actions, messages, STDERR_FILENO) : reason;
    /* The program changes none of its words; the interface is older than const. */
    char *const *arguments = (char *const *)(uintptr_t)words;
    reason = reason == 0 ? posix_spawnp(process, words[0], &actions, NULL, arguments, environ) : reason;
    posix_spawn_file_actions_destroy(&actions);
    return reason;
}

int pw_program_wait(int process)
{
    int state;
    while (waitpid(process, &state, 0) < 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    return state;
}
