/* The bookkeeping of a validation program (case.h). */
#include "validation/support/case.h"

#include "base/picture/plot.h"

#include <stdarg.h>
#include <time.h>

void case_require(pw_status status, const char *message)
{
    if (status != PW_OK) {
        fprintf(stderr, "%s\n", message);
        exit(2);
    }
}

static FILE *open_file(const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        perror(path);
        exit(2);
    }
    return file;
}

void case_close(FILE *file)
{
    if (ferror(file) || fclose(file) != 0) {
        perror("validation: writing");
        exit(2);
    }
}

struct validation case_begin(int argc, char **argv, const char *name, const char *title, const char *law)
{
    if (argc < 3) {
        fprintf(stderr, "usage: %s BACKEND FOLDER [quick]\n", argv[0]);
        exit(2);
    }
    struct validation validation = {.name = name,
                                    .backend = argv[1],
                                    .folder = argv[2],
                                    .quick = argc > 3 && strcmp(argv[3], "quick") == 0,
                                    .started = clock_seconds()};
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.md", validation.folder, name);
    validation.section = open_file(path);
    setvbuf(stdout, NULL, _IOLBF, 0);
    case_text(&validation, "## %s\n\n%s\n\n| figure | measured | gate | |\n| --- | --- | --- | --- |\n", title, law);
    return validation;
}

static void report_line(struct validation *validation, const char *label, double figure, const char *gate, bool gated,
                        bool passed)
{
    const char *verdict = !gated ? "" : passed ? "pass" : "FAIL";
    printf("%-12s %-4s %-78s %-10.3g %s\n", validation->name, verdict, label, figure, gate);
    case_text(validation, "| %s | %.4g | %s | %s |\n", label, figure, gate, gated && !passed ? "**FAIL**" : verdict);
    validation->gates += gated;
    validation->failures += gated && !passed;
}

void case_gate(struct validation *validation, double figure, double gate, const char *format, ...)
{
    char label[256], limit[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(label, sizeof label, format, arguments);
    va_end(arguments);
    snprintf(limit, sizeof limit, "<= %.4g", gate);
    report_line(validation, label, figure, limit, true, figure <= gate);
}

void case_gate_between(struct validation *validation, double figure, double low, double high, const char *format, ...)
{
    char label[256], limit[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(label, sizeof label, format, arguments);
    va_end(arguments);
    if (isinf(high)) {
        snprintf(limit, sizeof limit, ">= %.4g", low);
    } else {
        snprintf(limit, sizeof limit, "%.4g to %.4g", low, high);
    }
    report_line(validation, label, figure, limit, true, figure >= low && figure <= high);
}

void case_figure(struct validation *validation, double figure, const char *format, ...)
{
    char label[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(label, sizeof label, format, arguments);
    va_end(arguments);
    report_line(validation, label, figure, "", false, true);
}

void case_text(struct validation *validation, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(validation->section, format, arguments);
    va_end(arguments);
}

int case_side_by_side(const struct validation *validation, pw_precision precision, bool timed)
{
    int cores = omp_get_max_threads();
    if (strcmp(validation->backend, "reference") == 0) {
        return cores;
    }
    if (strcmp(validation->backend, "cuda") == 0) {
        return timed || precision == PW_SINGLE ? 1 : cores < 8 ? cores : 8;
    }
    return timed ? 1 : cores;
}

bool case_same_bits(const char *scenario, const char *backend)
{
    double *ez[2];
    size_t nodes = 0;
    for (int k = 0; k < 2; k++) {
        struct solved solved = solve_prepare(scenario, PW_SINGLE, k == 0 ? backend : "cpu");
        const struct problem *problem = &solved.setup->problem;
        nodes = (size_t)problem->axis[0].count * (size_t)problem->axis[1].count;
        pw_error error = {{0}};
        ez[k] = allocate(nodes, sizeof *ez[k], "a field", &error);
        case_require(ez[k] == NULL ? PW_NO_RESOURCE : PW_OK, error.message);
        case_require(pw_simulation_advance(solved.simulation, problem->steps / 10, &error), error.message);
        case_require(pw_simulation_field(solved.simulation, 0, ez[k], &error), error.message);
        solve_free(&solved);
    }
    bool same = memcmp(ez[0], ez[1], nodes * sizeof *ez[0]) == 0;
    free(ez[0]);
    free(ez[1]);
    return same;
}

FILE *case_data(const struct validation *validation, const char *suffix)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%s.dat", validation->folder, validation->name, suffix);
    return open_file(path);
}

void case_plot(struct validation *validation, const char *suffix, const char *caption, const char *commands)
{
    struct plot *plot = NULL;
    pw_error error = {{0}};
    char path[4096], data[4096];
    snprintf(path, sizeof path, "%s/plots/%s-%s.png", validation->folder, validation->name, suffix);
    snprintf(data, sizeof data, "%s/%s", validation->folder, validation->name);
    pw_status status = pw_plot_open(path, 760, strstr(commands, "layout 2,2") != NULL ? 600 : 460, &plot, &error);
    if (status == PW_OK) {
        pw_plot_send(plot, "data = %s\n", pw_plot_quote(plot, data));
        pw_plot_send(
            plot,
            "set termoption enhanced\nset termoption linewidth 1.4\n"
            "set grid lc rgb '#dddddd'\nset border lc rgb '#666666'\nset key outside right top\n"
            "set linetype 1 lc rgb '#444444'\nset linetype 2 lc rgb '#4477aa'\nset linetype 3 lc rgb '#228833'\n"
            "set linetype 4 lc rgb '#cc3311'\nset linetype 5 lc rgb '#66ccee'\nset linetype 6 lc rgb '#ccbb44'\n"
            "set linetype 7 lc rgb '#aa3377'\n%s\n",
            commands);
        status = pw_plot_finish(plot, &error);
    }
    if (status == PW_OK) {
        case_text(validation, "\n![%s](plots/%s-%s.png)\n\n*%s*\n\n", caption, validation->name, suffix, caption);
    } else {
        printf("%s: no plot: %s\n", validation->name, error.message);
        case_text(validation, "\n(no plot: %s)\n\n", error.message);
    }
}

/* As the system calls it; "" when it does not say. */
static void name_processor(char *name, size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    name[0] = '\0';
    while (file != NULL && name[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
        const char *value = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        if (value != NULL) {
            snprintf(name, size, "%.*s, ", (int)strcspn(value + 2, "\n"), value + 2);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

/* Where, when and from which revision: read by summary.awk. */
static void show_origin(struct validation *validation, double seconds)
{
    char device[128] = "unknown", date[32] = "unknown", processor[128];
    const struct backend *backend = backend_find(validation->backend, NULL);
    if (backend != NULL) {
        backend->probe(device, sizeof device, NULL);
    }
    name_processor(processor, sizeof processor);
    time_t now = time(NULL);
    struct tm calendar;
    if (localtime_r(&now, &calendar) != NULL) {
        strftime(date, sizeof date, "%Y-%m-%d", &calendar);
    }
    case_text(validation, "\nBackend `%s` (%s%s), %s, revision %s%s: %.0f s.\n\n", validation->backend, processor,
              device, date, pw_commit(), validation->quick ? ", quick subset" : "", seconds);
}

int case_end(struct validation *validation)
{
    double seconds = clock_seconds() - validation->started;
    printf("%-12s %s: %d of %d gates held (%.0f s)\n", validation->name,
           validation->failures == 0 ? "passed" : "FAILED", validation->gates - validation->failures, validation->gates,
           seconds);
    show_origin(validation, seconds);
    case_close(validation->section);
    return validation->failures == 0 ? 0 : 1;
}

void text_add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *more = NULL;
    int length = vasprintf(&more, format, arguments);
    va_end(arguments);
    char *grown = length < 0 ? NULL : realloc(text->text, text->length + (size_t)length + 1);
    if (grown == NULL) {
        fprintf(stderr, "validation: no memory\n");
        exit(2);
    }
    memcpy(grown + text->length, more, (size_t)length + 1);
    free(more);
    text->text = grown;
    text->length += (size_t)length;
}

void case_transfer(const struct solved *solved, int run, int count, const double *frequency, bool warp,
                   double complex *transfer)
{
    const struct setup *setup = solved->setup;
    const struct source *source = &setup->problem.sources[run];
    double dt = setup->problem.time_step, offset = source->sampled_at_step_end ? 1 : 0.5;
    int receivers = setup->scenario->receiver_count;
    int64_t steps = solved->simulation->step;
    pw_error error = {{0}};
    double *ez = allocate((size_t)receivers * (size_t)steps, sizeof *ez, "the receivers", &error);
    case_require(ez == NULL ? PW_NO_RESOURCE : pw_simulation_receivers(solved->simulation, run, ez, &error),
                 error.message);
    memset(transfer, 0, (size_t)(receivers * count) * sizeof *transfer);
    for (int f = 0; f < count; f++) {
        double half = M_PI * frequency[f] * dt, phase = warp ? 2 * asin(half) : 2 * half; /* per step */
        double complex current = 0;
        for (int64_t n = 0; n < steps; n++) {
            double complex turn = cexp(-I * fmod(phase * (double)n, 2 * M_PI));
            current += source->current[n] * turn;
            for (int r = 0; r < receivers; r++) {
                transfer[r * count + f] += ez[r * steps + n] * turn;
            }
        }
        for (int r = 0; r < receivers; r++) {
            transfer[r * count + f] *= cexp(-I * phase) / (current * cexp(-I * phase * offset));
        }
    }
    free(ez);
}

double complex case_line_field(double frequency, double distance)
{
    double w = 2 * M_PI * frequency;
    return -w * 4e-7 * M_PI / 4 * solve_hankel(w / SPEED_OF_LIGHT * distance);
}

double case_slope(int count, const double *x, const double *error)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int k = 0; k < count; k++) {
        double u = log(x[k]), v = log(error[k]);
        sx += u, sy += v, sxx += u * u, sxy += u * v;
    }
    return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}
