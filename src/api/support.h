/* For applications that stand on this interface: what the library itself uses to fail with a sentence, to take memory,
 * to tell how far it is, and to write files that appear whole or not at all.
 *
 *     static pw_status list_write(const char *path, const double *values, int count, pw_error *error)
 *     {
 *         FILE *file = pw_file_create(path, error);
 *         if (file == NULL) {
 *             return PW_NO_RESOURCE;
 *         }
 *         for (int n = 0; n < count; n++) {
 *             fprintf(file, "%g\n", values[n]);
 *         }
 *         return pw_file_finish(file, path, error);
 *     }
 */
#ifndef PLANWAVE_SUPPORT_H
#define PLANWAVE_SUPPORT_H

#include "api/base.h"

PW_C_BEGIN

/* ---- failing, memory ---- */

/* Writes the message into *error (which may be NULL) and returns `status`: `return pw_fail(error, PW_USAGE, ...)`. */
__attribute__((format(printf, 3, 4))) pw_status pw_fail(pw_error *error, pw_status status, const char *format, ...);

/* Static analysis cannot see across files that pw_fail() never returns PW_OK. */
#ifdef __clang_analyzer__
#define pw_fail(error, status, ...) ((pw_fail)(error, status, __VA_ARGS__), (status))
#endif

/* Zeroed memory for `count` elements of `size` bytes, at least one byte; the caller frees it. Without memory NULL, and
 * a message that names `what` and the bytes. */
void *pw_allocate(size_t count, size_t size, const char *what, pw_error *error);

/* Makes room for one more in an array of `count` elements of `size` bytes, with room for *room [elements] so far.
 * `array` is the address of the pointer to it, which moves: pw_array_grow(&list, &room, count, sizeof *list, ...).
 * PW_NO_RESOURCE, with a message that names `what`: no memory, and the array is as it was. */
pw_status pw_array_grow(void *array, size_t *room, size_t count, size_t size, const char *what, pw_error *error);

/* Bytes that this machine or its control group has left, or the limit below; 0 when none tells. */
uint64_t pw_memory_available(void);

/* Reads "2GB", "1.5 GiB" or "800MB", the value of `option`. PW_USAGE: another text, under 1kB or over 1000000TB. */
pw_status pw_memory_parse(const char *text, const char *option, uint64_t *bytes, pw_error *error);

/* What needs more memory than `text` ("2GB") is refused from now on, wherever that is looked at beforehand: by set-ups,
 * forecasts and pw_memory_check. NULL: as much as there is. For the beginning of a program. PW_USAGE: another
 * text. */
pw_status pw_memory_limit(const char *text, pw_error *error);

/* PW_NO_RESOURCE, with the numbers and `advice`, when `bytes` are more than 95 % of what is left. */
pw_status pw_memory_check(double bytes, const char *what, const char *advice, pw_error *error);

/* Adds a line to pw_build_facts(), as of the libraries that an application uses; before that is first called. `text` is
 * not copied. At most 8 are kept. */
void pw_build_facts_add(const char *text);

/* ---- notes ---- */

/* Sentences that are collected on the way, for whoever asked for the work. */
typedef struct pw_notes {
    char **text; /* (count), owned */
    size_t count;
} pw_notes;
/* Adds a sentence unless it is there already. Without memory it is lost, and the work goes on. */
__attribute__((format(printf, 2, 3))) void pw_note(pw_notes *notes, const char *format, ...);
void pw_notes_free(pw_notes *notes);

/* ---- telling how far work is ---- */

/* PW_INTERRUPTED when the monitor asks to stop; `done` runs from 0 to 1. NULL or a monitor of zeros: nobody is told. */
pw_status pw_monitor_tell(const pw_monitor *monitor, double done, pw_error *error);

/* The share [from, to] of `whole`, for a part of the work that counts from 0 to 1 itself. It is handed on as
 * pw_monitor_of_part(&part), and must live as long as that is used. */
typedef struct pw_monitor_part {
    const pw_monitor *whole; /* borrowed; may be NULL */
    double from, to;
} pw_monitor_part;
pw_monitor pw_monitor_of_part(pw_monitor_part *part);

/* ---- files ---- */

/* Opens a temporary file that pw_file_finish names `path`; NULL with the message of PW_NO_RESOURCE on failure. */
FILE *pw_file_create(const char *path, pw_error *error);
/* Closes the file and gives it its name. When that fails, or an earlier write had failed, the temporary file is removed
 * and `path` is as it was. */
pw_status pw_file_finish(FILE *file, const char *path, pw_error *error);
/* The same where `status`, of what was to fill the file, is PW_OK. Else removes the temporary file and returns it. */
pw_status pw_file_conclude(FILE *file, const char *path, pw_status status, pw_error *error);

/* Opens `path` for reading. NULL with the message of PW_BAD_INPUT when it is missing, unreadable or not a regular file:
 * reading a pipe could block for ever. */
FILE *pw_file_open(const char *path, pw_error *error);
/* All of such a file, with a zero byte behind it, which the caller frees; PW_BAD_INPUT where it has more than `most`
 * bytes. */
pw_status pw_file_read(const char *path, size_t most, char **bytes, size_t *size, pw_error *error);

/* From here on the library calls `look` before it opens a file for reading, from any thread; when that fails, so does
 * the reading, with its status. NULL: nobody is asked. */
void pw_files_watch(pw_status (*look)(const char *path, pw_error *error));

/* Makes the folder and those above it; *made: how many were not there. */
pw_status pw_folder_make(const char *path, int *made, pw_error *error);
/* Removes the innermost `made` folders of `path` again, as far as they are empty. */
void pw_folder_unmake(const char *path, int made);

/* Makes "planwave-KIND-XXXXXX" in TMPDIR or else /tmp, for its owner alone, and locks it as long as *lock is open.
 * Folders of the same kind and user that nobody has locked for a minute are removed, with the files in them.
 * PW_NO_RESOURCE, with a path of "": a message that names `purpose`; so, too, a path of `size` characters or more. */
pw_status pw_temporary_folder_make(char *path, size_t size, int *lock, const char *kind, const char *purpose,
                                   pw_error *error);
/* With the files in it. A path of "" and a lock of -1, as they are after it, are none. */
void pw_temporary_folder_remove(char *path, int *lock);

/* How `folder` is called from the folder of the file `path`, with a slash at its end; "" for the same one. Both folders
 * must be there, the file itself need not. The caller frees *relative. */
pw_status pw_relative_folder(const char *path, const char *folder, char **relative, pw_error *error);

/* Closes what open_memstream() opened (or did not: NULL is allowed). False, with nothing left in *text, when there was
 * not enough memory for all of the text. */
bool pw_text_close(FILE *out, char **text);

/* ---- tables as text ---- */

/* Writes what `format` says, as printf does of %s, %d, %g and %f, for a line of a table or a part of it:
 *
 *     pw_csv_write(file, "%s,%.6g,% .6g\n", name, x, height);
 *
 * A text gets quotes where a comma or the like asks for them (RFC 4180), or where the format has them. A number that is
 * not known is "nan", and with a blank as in "% .6g" an empty field. */
__attribute__((format(printf, 2, 3))) void pw_csv_write(FILE *file, const char *format, ...);

enum { PW_LINE_SIZE = 4096 };

/* A table that is read line by line, as people and spreadsheets write it. */
typedef struct pw_lines {
    const char *path; /* borrowed */
    const char *what; /* "points", for messages; borrowed */
    FILE *file;
    int number; /* of the line, from 1 */
    char text[PW_LINE_SIZE];
} pw_lines;
/* PW_BAD_INPUT: as of pw_file_open(). */
pw_status pw_lines_open(pw_lines *lines, const char *path, const char *what, pw_error *error);
/* The next line that is neither empty nor a comment, from its first letter on; NULL after the last. PW_BAD_INPUT: a
 * line too long, or a file that cannot be read. */
pw_status pw_lines_next(pw_lines *lines, char **line, pw_error *error);
void pw_lines_close(pw_lines *lines);

/* What stands behind blanks, and behind the byte order mark that spreadsheets put before the first line. */
char *pw_line_begin(char *line);
/* False: the line, as fgets() reads it, was too long for its buffer, and the rest of it is still to be read. */
bool pw_line_is_whole(const char *line, FILE *file);
/* Cuts a line at commas, semicolons or tabs that are not in quotes into at most `most` fields, without blanks and
 * quotes around them. Their count; -1: there are more. */
int pw_line_cut(char *line, char **fields, int most);
/* Whether a column with this title holds heights: it begins with "height", or is "z", with or without a unit. */
bool pw_title_is_height(const char *title);

/* Width and precision of a text in UTF-8 that is printed into so many columns of a terminal: printf() counts bytes.
 *
 *     int field = pw_text_field(name, 14);
 *     printf("%-*.*s", field, field, name);     a longer text is cut before a letter; "%-*s" leaves it whole */
int pw_text_field(const char *text, int columns);

/* ---- JSON ---- */

/* `length` bytes as a JSON string; a byte that is not part of valid UTF-8 becomes U+FFFD. */
void pw_json_text_write(FILE *stream, const char *text, size_t length);
/* What `format` says: text that stays, names of members among it, and %s for a text in quotes or NULL, %g for a number
 * as of pw_json_number_write(), %.10g for one with fewer digits, %d, %lld, %zu. */
__attribute__((format(printf, 2, 3))) void pw_json_write(FILE *stream, const char *format, ...);
/* 17 digits. Infinity becomes 1e999, which parsers read as infinity; NaN becomes null. */
void pw_json_number_write(FILE *stream, double value);

/* ---- constants, the clock ---- */

#define PW_SPEED_OF_LIGHT          299792458.0      /* m/s */
#define PW_FREE_SPACE_IMPEDANCE    376.730313668    /* ohm */
#define PW_FREE_SPACE_PERMITTIVITY 8.8541878128e-12 /* F/m */

/* Seconds since a fixed moment, by a clock that nobody can set back. */
double pw_clock(void);

/* ---- names and quantities ---- */

/* How long a name of a transmitter, a receiver or a material may be, its end included. */
enum { PW_NAME_SIZE = 64 };
/* The name of a transmitter or receiver that is nearest to a text of another program: characters that names have not
 * become '_', and it ends where it would be too long. False: none is left, or options understand it otherwise. */
bool pw_name_make(const char *text, char name[PW_NAME_SIZE]);

/* The dimension of a quantity, with the unit of its numbers. */
typedef enum pw_dimension {
    PW_DIMENSION_NUMBER,       /* no unit */
    PW_DIMENSION_LENGTH,       /* m */
    PW_DIMENSION_TIME,         /* s */
    PW_DIMENSION_FREQUENCY,    /* Hz */
    PW_DIMENSION_CONDUCTIVITY, /* S/m */
    PW_DIMENSION_RATIO,        /* dB; the unit may be left out of 0 alone */
    PW_DIMENSION_POWER,        /* dBm; W and mW are converted; the unit must be written */
    PW_DIMENSION_GAIN,         /* dBi; the unit may be left out of 0 alone */
    PW_DIMENSION_CELLS,        /* cells */
    PW_DIMENSION_ANGLE,        /* rad */
    PW_DIMENSION_SHARE,        /* a part of one; % */
    PW_DIMENSION_RESISTANCE    /* ohm; of a sheet ohm per square */
} pw_dimension;

enum { PW_QUANTITY_SIZE = 64 };

/* Reads "2.4 GHz" or "7 cm": a decimal number, then a unit of `dimension`; a bare number is SI where that is not
 * ambiguous. PW_BAD_INPUT names the text and the allowed units; infinite and undefined numbers are refused. */
pw_status pw_quantity_parse(const char *text, pw_dimension dimension, double *value, pw_error *error);

/* Writes a finite `value` with the fewest digits that read back to the same double, in a readable unit; returns
 * `text`. */
const char *pw_quantity_format(double value, pw_dimension dimension, char text[PW_QUANTITY_SIZE]);

/* For qsort() of doubles: ascending. */
int pw_number_order(const void *a, const void *b);

/* ---- other programs ---- */

/* Starts the program words[0] of the PATH with these words, NULL after the last, and nothing to read. `output` and
 * `messages` are descriptors, which stay open here; -1: what it prints is lost. 0, or what errno would be. */
int pw_program_start(const char *const *words, int output, int messages, int *process);
/* How it ended, as waitpid() tells it; -1 with errno. */
int pw_program_wait(int process);

/* ---- random numbers ---- */

/* The same on every machine: splitmix64 (Steele, Lea, Flood, OOPSLA 2014). Any state will do to begin with. */
uint64_t pw_random_next(uint64_t *state);
/* A hash: each bit of the value decides about every bit of the result. */
uint64_t pw_random_hash(uint64_t value);
/* Bits as a number of [0, 1). */
double pw_random_unit(uint64_t bits);

/* ---- pictures of files ---- */

/* True for names that end in .png, .svg or .pdf, in either case. */
bool pw_is_picture(const char *path);

/* Renders a picture and removes it again: for work of hours that ends in `path`, so that a missing gnuplot or folder
 * shows before it. An existing picture is not touched. */
pw_status pw_picture_try(const char *path, pw_error *error);

/* Frees the memory that *`owner`, a pointer, points to: of PW_OWNED. */
void pw_release(void *owner);

/* Frees what each of the pointers points to, the first of them first: of PW_FREE_ALL. */
void pw_free_all(void *const *pointers, size_t count);

PW_C_END

/* Before a local variable: it is tidied up where its scope ends, so that a call that fails may return at once.
 *
 *     PW_OWNED double *values = pw_allocate(count, sizeof *values, "the values", error);
 *     PW_OWNED_BY(list_free) struct list list = {0};      list_free(&list) is called
 *     PW_OWNED_AS(pw_scenario) *scenario = NULL;          pw_scenario_free(scenario) is called
 *
 * It must have a value from the start. What the function hands on is set to NULL in it. */
#define PW_OWNED            PW_OWNED_BY(pw_release)
#define PW_OWNED_BY(free)   __attribute__((cleanup(free)))
#define PW_OWNED_AS(handle) PW_OWNED_BY(handle##_release) handle

/* Defines what PW_OWNED_AS calls for a handle that `close` closes. */
#define PW_RELEASES(handle, close)                                                                                     \
    void handle##_release(handle **owner)                                                                              \
    {                                                                                                                  \
        close(*owner);                                                                                                 \
    }

/* Frees the memory of each of the pointers; NULL is nothing: PW_FREE_ALL(list->names, list); */
#define PW_FREE_ALL(...)                                                                                               \
    pw_free_all((void *const[]){__VA_ARGS__}, sizeof((void *const[]){__VA_ARGS__}) / sizeof(void *))

/* Returns from the calling function with the status of a call that failed. */
#define PW_TRY(call)                                                                                                   \
    do {                                                                                                               \
        pw_status pw_try_status_ = (call);                                                                             \
        if (pw_try_status_ != PW_OK) {                                                                                 \
            return pw_try_status_;                                                                                     \
        }                                                                                                              \
    } while (0)

/* Returns from it with a message where `refused` holds: PW_FAIL_IF(rows < 1, error, PW_USAGE, "%d rows", rows); */
#define PW_FAIL_IF(refused, ...)                                                                                       \
    do {                                                                                                               \
        if (refused) {                                                                                                 \
            return pw_fail(__VA_ARGS__);                                                                               \
        }                                                                                                              \
    } while (0)

/* Returns from it with PW_NO_RESOURCE where something was not made, and the message says so: PW_TRY_MADE(file); */
#define PW_TRY_MADE(made) PW_TRY((made) ? PW_OK : PW_NO_RESOURCE)

/* Makes a call unless something before it failed, where there is to be tidied up behind: PW_THEN(status, call()); */
#define PW_THEN(status, call) ((status) = (status) == PW_OK ? (call) : (status))

#endif
