/* Telling the caller's monitor how far long work is, and passing its wish to stop on as PW_INTERRUPTED. Work that is
 * made of several parts gives each of them a monitor of its own, which counts from 0 to 1 again. */
#ifndef MONITOR_H
#define MONITOR_H

#include "base/status.h"

/* PW_INTERRUPTED when the monitor asks to stop; `done` runs from 0 to 1. NULL or a monitor of zeros: nobody is told. */
pw_status monitor_tell(const pw_monitor *monitor, double done, pw_error *error);

/* The share [from, to] of `whole`. It is handed on as monitor_of_part(&part), and must live as long as that is used. */
struct monitor_part {
    const pw_monitor *whole; /* borrowed; may be NULL */
    double from, to;
};
pw_monitor monitor_of_part(struct monitor_part *part);

#endif
