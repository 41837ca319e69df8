/* Films of frames through ffmpeg (animation.h); no shell is involved. */
#include "program/animation.h"

#include "planwave.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

/* 0: made; -1 with errno: ffmpeg could not be started. A film that it failed at is removed. */
static int film_make(const char *folder, const char *name, const char *ending, char film[PATH_SIZE])
{
    char series[PATH_SIZE];
    /* "./" so that a folder that begins with a dash is no option; a '%' in its name is doubled for the sake of the
     * pattern. */
    size_t used = (size_t)snprintf(series, sizeof series, "%s", folder[0] == '/' ? "" : "./");
    for (const char *c = folder; *c != '\0' && used < sizeof series - 256; c++) {
        series[used++] = *c;
        if (*c == '%') {
            series[used++] = '%';
        }
    }
    snprintf(series + used, sizeof series - used, "/%s-%%06d.png", name);
    snprintf(film, PATH_SIZE, "%s%s/%s.%s", folder[0] == '/' ? "" : "./", folder, name, ending);
    const char *const command[] = {"ffmpeg", "-y",   "-loglevel", "error",   "-framerate", "25",
                                   "-i",     series, "-pix_fmt",  "yuv420p", film,         NULL};
    int process, reason = pw_program_start(command, -1, -1, &process);
    if (reason != 0) {
        errno = reason;
        return -1;
    }
    int state = pw_program_wait(process);
    if (state == 0) {
        return 0;
    }
    (void)unlink(film);
    return 1;
}

static void series_film(const char *folder, const char *name, int quiet)
{
    char film[PATH_SIZE];
    int status = film_make(folder, name, "mp4", film);
    if (status > 0) {
        status = film_make(folder, name, "webm", film);
    }
    if (quiet) {
        return;
    }
    if (status == 0) {
        printf("wrote %s\n", film);
    } else if (status > 0) {
        printf("ffmpeg could not make a film of %s/%s-*.png; the pictures are there\n", folder, name);
    } else {
        printf("no ffmpeg here; with it: ffmpeg -framerate 25 -i '%s/%s-%%06d.png' -pix_fmt yuv420p %s.mp4\n", folder,
               name, name);
    }
}

void animation_make(const char *folder, int quiet)
{
    static const char first[] = "-000000.png";
    DIR *entries = opendir(folder);
    if (entries == NULL) {
        return;
    }
    for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        size_t length = strlen(entry->d_name), tail = sizeof first - 1;
        if (length > tail && strcmp(entry->d_name + length - tail, first) == 0) {
            char name[256];
            snprintf(name, sizeof name, "%.*s", (int)(length - tail), entry->d_name);
            series_film(folder, name, quiet);
        }
    }
    closedir(entries);
}
