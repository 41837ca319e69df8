/* DWG files by way of dwg2dxf (dwg.h). */
#include "drawing/vector/dxf/dwg.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The program's wait status, or -1 with errno when it could not be started. No shell is involved. */
static int dwg2dxf_run(const char *path, const char *dxf)
{
    char *const command[] = {"dwg2dxf", "-y", "-o", (char *)(uintptr_t)dxf, (char *)(uintptr_t)path, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    int status = -1;
    int reason = posix_spawn_file_actions_init(&actions);
    if (reason == 0) {
        reason = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        reason = reason ? reason : posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        reason = reason ? reason : posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        reason = reason ? reason : posix_spawnp(&child, "dwg2dxf", &actions, NULL, command, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    if (reason != 0) {
        errno = reason;
        return -1;
    }
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    return status;
}

pw_status dwg_convert(const char *path, struct dwg_converted *converted, pw_error *error)
{
    char *absolute = realpath(path, NULL); /* so that no name is taken for an option */
    converted->lock = -1;
    PW_TRY(pw_temporary_folder_make(converted->folder, sizeof converted->folder, &converted->lock, "dwg",
                                    "the drawing that dwg2dxf makes", error));
    snprintf(converted->dxf, sizeof converted->dxf, "%s/plan.dxf", converted->folder);
    struct stat made;
    int status = absolute == NULL ? -1 : dwg2dxf_run(absolute, converted->dxf), reason = errno;
    free(absolute);
    PW_FAIL_IF(status == -1 && reason == ENOENT, error, PW_BAD_INPUT,
               "'%s' is a DWG file, whose form is not public. Install LibreDWG, whose dwg2dxf is then used, or "
               "save the drawing as DXF: dwg2dxf -o PLAN.dxf PLAN.dwg, the ODA File Converter, or a CAD program",
               path);
    PW_FAIL_IF(status == -1, error, PW_NO_RESOURCE, "cannot start dwg2dxf to read '%s': %s", path, strerror(reason));
    PW_FAIL_IF(!WIFEXITED(status) || WEXITSTATUS(status) != 0 || stat(converted->dxf, &made) != 0 || made.st_size == 0,
               error, PW_BAD_INPUT, "dwg2dxf of LibreDWG cannot read '%s'; save it as DXF in a CAD program", path);
    return PW_OK;
}

void dwg_free(struct dwg_converted *converted)
{
    pw_temporary_folder_remove(converted->folder, &converted->lock);
}
