/* What every physics needs for its arrays (physics.h, part.h). */
#include "problem/physics/physics.h"

#include <string.h>

const struct member WHOLE[] = {{0}};

pw_status part_room(void *to, int64_t count, size_t size, pw_error *error)
{
    void *room = allocate((size_t)count, size, "a part of the grid", error);
    memcpy(to, &room, sizeof room);
    return room != NULL ? PW_OK : PW_NO_RESOURCE;
}

pw_status part_copy(void *to, const void *from, int64_t count, size_t size, pw_error *error)
{
    TRY(part_room(to, count, size, error));
    void *copy;
    memcpy(&copy, to, sizeof copy);
    if (count > 0) {
        memcpy(copy, from, (size_t)count * size);
    }
    return PW_OK;
}
