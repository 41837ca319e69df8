/* Random numbers for applications (api/support.h). */
#include "base/numbers/splitmix.h"

#include "api/support.h"

uint64_t pw_random_next(uint64_t *state)
{
    return splitmix_next(state);
}

uint64_t pw_random_hash(uint64_t value)
{
    return splitmix_hash(value);
}

double pw_random_unit(uint64_t bits)
{
    return splitmix_unit(bits);
}
