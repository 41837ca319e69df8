/* Monitors of long work (monitor.h). How often they are told is up to the work. */
#include "base/monitor.h"

pw_status monitor_tell(const pw_monitor *monitor, double done, pw_error *error)
{
    if (monitor == NULL || monitor->tell == NULL || monitor->tell(done, monitor->user)) {
        return PW_OK;
    }
    return fail(error, PW_INTERRUPTED, "interrupted by the caller at %.0f %%; nothing was written", 100.0 * done);
}

static bool part_tell(double done, void *user)
{
    const struct monitor_part *part = user;
    return part->whole->tell(part->from + done * (part->to - part->from), part->whole->user);
}

pw_monitor monitor_of_part(struct monitor_part *part)
{
    if (part->whole == NULL || part->whole->tell == NULL) {
        return (pw_monitor){0};
    }
    return (pw_monitor){.tell = part_tell, .user = part};
}
