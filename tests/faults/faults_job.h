/* A small job with everything in it, from the text of a scenario to the result, for tests that make its calls fail. It
 * saves a checkpoint after every batch of steps, since a quarter of a second passes between two looks at the clock. */
#ifndef FAULTS_JOB_H
#define FAULTS_JOB_H

#include "tests/faults/faults.h"
#include "tests/support/check.h"
#include "tests/support/solve.h"

struct job {
    const char *backend;
    bool resume, read_too;
    int reports;                   /* so far */
    int stop_at;                   /* the report that asks to stop; 0: none */
    void (*at_report)(int report); /* may be NULL */
};

extern char job_folder[64], job_path[80], job_whole[80]; /* where all of it lies; a result; the one to compare with */
extern char job_scenario[1000];

/* For cmocka: makes the folder with a plan in it, and removes both. */
int job_folder_create(void **state);
int job_folder_remove(void **state);
/* In a process of its own: the folder of another one. */
void job_folder_use(const char *folder);

size_t job_count_files(const char *pattern); /* in the folder */
void job_remove_files(const char *pattern);
bool job_exists(const char *file);
bool job_same_bits(const char *a, const char *b); /* of two results */

struct solved job_prepare(void);
pw_status fault_job_run(const struct setup *setup, struct job *job, const char *file, pw_error *error);
/* From the text to the result, and back when the job says so. */
pw_status job_run_text(struct job *job, const char *file, pw_error *error);
/* The result that all others are compared with. */
void job_write_whole(const struct setup *setup, const char *backend);

/* Every checkpoint that lies there is whole, and nothing else lies there. */
void job_assert_only_whole_files(const struct setup *setup);
/* Whatever happened before, this ends with the right bits. */
void job_assert_goes_on(const struct setup *setup, const char *backend);

#endif
