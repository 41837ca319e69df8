/* A problem as bytes and back, for a part that is stepped in another process of the same program. */
#pragma once

#include "problem/problem.h"

/* Into *bytes, which the caller frees. */
pw_status problem_to_bytes(const struct problem *problem, char **bytes, size_t *size, pw_error *error);
/* After a failure problem_free frees what there is. */
pw_status problem_from_bytes(const char *bytes, size_t size, struct problem *problem, pw_error *error);
