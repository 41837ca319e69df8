/* Calls that fail on purpose. The linker puts functions __wrap_NAME of the test before NAME of a library (--wrap, see
 * the Makefile): faults_memory.c has those of memory, faults_disk.c those of files and of the clock; HDF5's, libpng's
 * and gnuplot's own calls are not reached. Each number that is printed is counted here. */
#ifndef FAULTS_H
#define FAULTS_H

#include <stdbool.h>
#include <stddef.h>

enum fault { FAULT_NONE, FAULT_ONCE, FAULT_EVER, FAULT_KILL, FAULT_STOP, FAULT_LIST };

struct fault_plan {
    enum fault fault;
    long at;    /* the call that fails, from 1 on */
    long calls; /* so far */
};

/* Counts a call; true when it shall fail. FAULT_KILL ends the process with SIGKILL before the call; with FAULT_STOP
 * nothing fails, but somebody asks the run to stop, as Ctrl-C does. */
bool fault_is_due(struct fault_plan *plan);
bool fault_stop_asked(const struct fault_plan *plan);

/* With FAULT_LIST nothing fails: the places of the program that make calls are noted, each with its first call. Then
 * fault_next() is the call of the next place after call `at` (0: of the first one); that all calls after it fail too,
 * and under sanitizers, which are slow, every third place is tried. After the last one: a call that no run makes. */
void fault_list_begin(struct fault_plan *plan, bool anew);
long fault_next(enum fault fault, long at);

/* From one fault to the next: every third call is tried; that all calls after it fail too, from every tenth one on. A
 * build with sanitizers, which is slow, tries every seventh call and every seventeenth one. FAULTS=all asks for every
 * one. */
long fault_stride(enum fault fault);

/* faults_memory.c */
extern struct fault_plan memory_faults;
void memory_count(bool on); /* keep account of what is given out from now on; starts with nothing */
size_t memory_left(void);   /* blocks given out and not given back */
void *memory_remember(void *pointer);
void memory_forget(const void *pointer);

/* faults_disk.c */
extern struct fault_plan disk_faults;
void clock_run(bool on); /* a quarter of a second passes between two looks at the clock */
int __real_rename(const char *from, const char *to);

#endif
