/* Pictures through gnuplot (plot.h). Script and data lie in a folder of their own under TMPDIR that is removed at the
 * end; a script file instead of a pipe means that a gnuplot that dies early cannot hurt us by a signal. */
#include "base/picture/plot.h"

#include "base/file/atomic_file.h"
#include "base/file/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A string that lives as long as the plot. */
struct plot_text {
    struct plot_text *next;
    char text[];
};

struct plot {
    char target[PATH_MAX];
    char *temporary;                /* beside the target, what gnuplot writes; NULL: nothing of ours is there */
    struct temporary_folder folder; /* script, data and gnuplot's messages */
    bool trial;                     /* nothing is to come of it */
    FILE *script;
    int data_count;
    struct plot_text *texts;
    bool failed;
    pw_error error; /* the first failure */
};

static char *text_create(struct plot *plot, size_t size)
{
    struct plot_text *text = malloc(sizeof *text + size);
    if (text == NULL) {
        if (!plot->failed) {
            plot->failed = true;
            fail(&plot->error, PW_NO_RESOURCE, "not enough memory for a text of the picture '%s'", plot->target);
        }
        return NULL;
    }
    text->next = plot->texts;
    plot->texts = text;
    return text->text;
}

/* Path of a file in the plot's folder; false when it does not fit. */
static bool inner_path(const struct plot *plot, const char *name, char path[PATH_MAX])
{
    int length = snprintf(path, PATH_MAX, "%s/%s", plot->folder.path, name);
    return length > 0 && length < PATH_MAX;
}

static void plot_remember(struct plot *plot, const char *what)
{
    if (!plot->failed) {
        plot->failed = true;
        fail(&plot->error, PW_NO_RESOURCE, "cannot write %s of the picture '%s': %s", what, plot->target,
             strerror(errno));
    }
}

/* The temporary picture must be writable before anything is computed for it. */
static pw_status target_reserve(struct plot *plot, pw_error *error)
{
    plot->temporary = disk_temporary_name(plot->target);
    FAIL_IF(plot->temporary == NULL, error, PW_NO_RESOURCE, "not enough memory for the picture '%s'", plot->target);
    (void)unlink(plot->temporary); /* of a process with this number that was killed */
    int file = open(plot->temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (file < 0) {
        pw_status status = fail(error, errno == ENOENT || errno == ENOTDIR ? PW_BAD_INPUT : PW_NO_RESOURCE,
                                "cannot write the picture '%s': %s", plot->target, strerror(errno));
        free(plot->temporary);
        plot->temporary = NULL;
        return status;
    }
    FAIL_IF(close(file) != 0, error, PW_NO_RESOURCE, "cannot write the picture '%s': %s", plot->target,
            strerror(errno));
    return PW_OK;
}

static pw_status folder_create(struct plot *plot, pw_error *error)
{
    char path[PATH_MAX];
    TRY(temporary_folder_make(plot->folder.path, sizeof plot->folder.path - NAME_MAX, &plot->folder.lock, "plot",
                              "a picture", error));
    FAIL_IF(!inner_path(plot, "script", path) || (plot->script = fopen(path, "we")) == NULL, error, PW_NO_RESOURCE,
            "cannot write in the temporary folder '%s': %s", plot->folder.path, strerror(errno));
    return PW_OK;
}

static bool name_ends(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

bool pw_is_picture(const char *path)
{
    return name_ends(path, ".png") || name_ends(path, ".svg") || name_ends(path, ".pdf");
}

/* Vector drawings keep the size they were laid out for: gnuplot scales neither the marks nor all distances of an SVG.
 */
static void terminal_send(struct plot *plot, int width, int height, double scale)
{
    double wide = width / scale, high = height / scale;
    if (name_ends(plot->target, ".svg")) {
        pw_plot_send(plot,
                     "set terminal svg noenhanced standalone size %.0f,%.0f font 'sans-serif,11' fontscale 1.2 "
                     "background rgb '#ffffff'\n",
                     wide, high);
    } else if (name_ends(plot->target, ".pdf")) {
        pw_plot_send(plot,
                     "set terminal pdfcairo noenhanced size %.4fin,%.4fin font 'sans,11' fontscale 0.75 linewidth 0.75 "
                     "pointscale 0.75 background rgb '#ffffff'\n",
                     wide / 96.0, high / 96.0);
    } else if (name_ends(plot->target, ".gif")) { /* each plot is a picture of a film */
        pw_plot_send(plot, "set terminal gif noenhanced animate delay 10 loop 0 size %d,%d font 'sans,10'\n", width,
                     height);
    } else {
        pw_plot_send(
            plot,
            "set terminal pngcairo noenhanced size %d,%d font 'sans,11' fontscale %g linewidth %g pointscale %g "
            "background rgb '#ffffff'\n",
            width, height, scale, scale, scale);
    }
}

pw_status pw_plot_open(const char *path, int width, int height, struct plot **plot, pw_error *error)
{
    return plot_open_scaled(path, width, height, 1.0, plot, error);
}

pw_status plot_open_scaled(const char *path, int width, int height, double scale, struct plot **result, pw_error *error)
{
    *result = NULL;
    FAIL_IF(path == NULL || path[0] == '\0' || strlen(path) >= PATH_MAX - 32, error, PW_BAD_INPUT,
            "the name of the picture is empty or too long");
    FAIL_IF(width < 1 || height < 1 || width > 16384 || height > 16384, error, PW_BAD_INPUT,
            "a picture of %d x %d pixels: each side must be 1 to 16384", width, height);
    struct plot *plot = allocate(1, sizeof *plot, "a picture", error);
    TRY_MADE(plot);
    plot->folder.lock = -1;
    snprintf(plot->target, sizeof plot->target, "%s", path);
    pw_status status = target_reserve(plot, error);
    THEN(status, folder_create(plot, error));
    if (status != PW_OK) {
        pw_plot_abandon(plot);
        return status;
    }
    pw_plot_send(plot, "set encoding utf8\n");
    terminal_send(plot, width, height, scale);
    pw_plot_send(plot, "set output %s\n", pw_plot_quote(plot, plot->temporary));
    *result = plot;
    return PW_OK;
}

void pw_plot_send(struct plot *plot, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (vfprintf(plot->script, format, arguments) < 0) {
        plot_remember(plot, "the script");
    }
    va_end(arguments);
}

/* Double quotes with octal escapes: in single ones gnuplot has no way to begin with a quote, or to write two in a row.
 */
const char *pw_plot_quote(struct plot *plot, const char *text)
{
    size_t size = 4 * strlen(text) + 3;
    char *quoted = text_create(plot, size);
    if (quoted == NULL) {
        return "\"\"";
    }
    char *out = quoted;
    *out++ = '"';
    for (const char *in = text; *in != '\0'; in++) {
        unsigned char character = (unsigned char)*in;
        if (character == '"' || character == '\\' || character == '`') {
            out += snprintf(out, size - (size_t)(out - quoted), "\\%03o", (unsigned)character);
        } else {
            *out++ = character < ' ' || character == 127 ? ' ' : *in;
        }
    }
    *out++ = '"';
    *out = '\0';
    return quoted;
}

/* In ems: widths of DejaVu Sans, the widest of the usual sans serif letters, by kinds of them; beyond ASCII that of
 * wide ones, as CJK has them. */
static double letter_width(unsigned char letter)
{
    return letter >= 0xe0                                  ? 1.0
           : letter >= 0xc0                                ? 0.7
           : letter >= 0x80                                ? 0.0 /* goes on */
           : strchr("ijl.,:;'|!()[]fIt/ ", letter) != NULL ? 0.4
           : strchr("mwMW@%", letter) != NULL              ? 1.0
           : letter >= 'A' && letter <= 'Z'                ? 0.75
                                                           : 0.63;
}

static const double PIXELS_OF_POINT = 96.0 / 72.0;

const char *pw_plot_colour(size_t curve)
{
    static const char *const COLOURS[] = {"#31688e", "#d95f02", "#35b779", "#7b3294", "#c03030", "#707070", "#b8a000"};
    return COLOURS[curve % (sizeof COLOURS / sizeof *COLOURS)];
}

double pw_plot_text_width(const char *text, double points)
{
    double ems = 0.0;
    for (const char *c = text; *c != '\0'; c++) {
        ems += letter_width((unsigned char)*c);
    }
    return ems * points * PIXELS_OF_POINT;
}

const char *pw_plot_quote_within(struct plot *plot, const char *text, double points, double pixels)
{
    static const char ELLIPSIS[] = "\u2026";
    if (pw_plot_text_width(text, points) <= pixels) {
        return pw_plot_quote(plot, text);
    }
    char *cut = text_create(plot, strlen(text) + sizeof ELLIPSIS);
    if (cut == NULL) {
        return "\"\"";
    }
    double width = points * PIXELS_OF_POINT; /* of the ellipsis */
    size_t length = 0;
    while (text[length] != '\0') {
        width += letter_width((unsigned char)text[length]) * points * PIXELS_OF_POINT;
        if (width > pixels) {
            break;
        }
        length++;
    }
    while (length > 0 && (text[length - 1] == ' ' || ((unsigned char)text[length] & 0xc0) == 0x80)) {
        length--; /* no half letter, and no blank before the ellipsis */
    }
    memcpy(cut, text, length);
    memcpy(cut + length, ELLIPSIS, sizeof ELLIPSIS);
    return pw_plot_quote(plot, cut);
}

const char *pw_plot_data(struct plot *plot, const void *data, size_t bytes)
{
    char name[32], path[PATH_MAX];
    snprintf(name, sizeof name, "data%d", plot->data_count++);
    if (!inner_path(plot, name, path)) {
        errno = ENAMETOOLONG;
        plot_remember(plot, "the data");
        return "\"\"";
    }
    FILE *file = fopen(path, "wbe");
    if (file == NULL) {
        plot_remember(plot, "the data");
        return "\"\"";
    }
    bool written = bytes == 0 || fwrite(data, 1, bytes, file) == bytes; /* data may be NULL then */
    if (!written) {
        plot_remember(plot, "the data");
    }
    if (fclose(file) != 0 && written) {
        plot_remember(plot, "the data");
    }
    return pw_plot_quote(plot, path);
}

/* First line of gnuplot's messages that is a complaint: not blank, not the echo of a command, not the caret under it.
 */
static void read_complaint(const char *path, char *complaint, size_t size)
{
    snprintf(complaint, size, "no message");
    FILE *file = fopen(path, "re");
    char line[512];
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        const char *text = strstr(line, "line ");
        if (text != NULL && strchr(text, ':') != NULL) {
            snprintf(complaint, size, "%s", text);
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

/* gnuplot's wait status, or -1 with errno when it could not be started. */
static int gnuplot_run(const char *script, const char *messages)
{
    const char *const words[] = {"gnuplot", "--default-settings", script, NULL};
    int process, said = open(messages, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (said < 0) {
        return -1;
    }
    int reason = pw_program_start(words, said, said, &process);
    close(said);
    errno = reason;
    return reason == 0 ? pw_program_wait(process) : -1;
}

/* Whether a picture has its end, that of PNG, PDF, SVG or GIF. gnuplot does not look whether a disk took all of it. */
static bool picture_is_whole(const char *path)
{
    static const char *const ends[] = {"IEND", "%%EOF", "</svg>"};
    char last[33] = "";
    bool whole = false;
    FILE *file = fopen(path, "rbe");
    if (file != NULL && fseek(file, -32, SEEK_END) == 0) {
        const size_t size = fread(last, 1, sizeof last - 1, file);
        whole = size > 1 && last[size - 2] == '\0' && last[size - 1] == ';';
        for (size_t n = 0; n < sizeof ends / sizeof *ends; n++) {
            whole = whole || memmem(last, size, ends[n], strlen(ends[n])) != NULL;
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return whole;
}

static pw_status plot_render(struct plot *plot, pw_error *error)
{
    char script[PATH_MAX], messages[PATH_MAX], complaint[512];
    FAIL_IF(!inner_path(plot, "script", script) || !inner_path(plot, "messages", messages), error, PW_NO_RESOURCE,
            "the temporary folder '%s' has too long a name", plot->folder.path);
    int status = gnuplot_run(script, messages);
    FAIL_IF(status == -1 && errno == ENOENT, error, PW_NO_RESOURCE,
            "gnuplot is needed to draw '%s' and was not found; install gnuplot-nox", plot->target);
    FAIL_IF(status == -1, error, PW_NO_RESOURCE, "cannot start gnuplot to draw '%s': %s", plot->target,
            strerror(errno));
    struct stat picture;
    if (!WIFEXITED(status) || WEXITSTATUS(status) == 127 || stat(plot->temporary, &picture) != 0 ||
        WEXITSTATUS(status) != 0 || picture.st_size == 0) {
        read_complaint(messages, complaint, sizeof complaint);
        return fail(error, PW_NO_RESOURCE,
                    "gnuplot could not draw '%s' (%s); gnuplot 5 with the cairo terminals (gnuplot-nox) is needed",
                    plot->target, complaint);
    }
    FAIL_IF(!picture_is_whole(plot->temporary), error, PW_NO_RESOURCE, "cannot write '%s': the disk is full",
            plot->target);
    if (plot->trial) {
        return PW_OK; /* and the temporary picture goes */
    }
    TRY(disk_rename(plot->temporary, plot->target, error));
    free(plot->temporary);
    plot->temporary = NULL;
    return PW_OK;
}

pw_status pw_plot_finish(struct plot *plot, pw_error *error)
{
    pw_plot_send(plot, "unset output\n");
    if (ferror(plot->script)) {
        plot_remember(plot, "the script");
    }
    if (fclose(plot->script) != 0) {
        plot_remember(plot, "the script");
    }
    plot->script = NULL;
    pw_status status = PW_OK;
    if (plot->failed) {
        status = fail(error, PW_NO_RESOURCE, "%s", plot->error.message);
    } else {
        status = plot_render(plot, error);
    }
    pw_plot_abandon(plot);
    return status;
}

pw_status pw_picture_try(const char *path, pw_error *error)
{
    struct plot *plot = NULL;
    TRY(pw_plot_open(path, 320, 240, &plot, error));
    plot->trial = true;
    pw_plot_send(plot, "plot [0:1] 0 notitle\n");
    return pw_plot_finish(plot, error);
}

void pw_plot_abandon(struct plot *plot)
{
    if (plot == NULL) {
        return;
    }
    if (plot->script != NULL) {
        (void)fclose(plot->script);
    }
    if (plot->temporary != NULL) {
        (void)unlink(plot->temporary);
        free(plot->temporary);
    }
    temporary_folder_remove(plot->folder.path, &plot->folder.lock);
    while (plot->texts != NULL) {
        struct plot_text *next = plot->texts->next;
        free(plot->texts);
        plot->texts = next;
    }
    free(plot);
}
