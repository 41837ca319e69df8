/* The order of numbers (api/support.h). */
#include "api/support.h"

int pw_number_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
