/* Sums of products, several numbers at a time under every instruction set. */
#pragma once

#include <stddef.h>

/* sum[0] = sum over n of a[n] with[n], sum[1] = sum of b[n] with[n]. Products and sums are not fused and have one
 * order: the same bits on every processor. */
void dot_pair(const double *a, const double *b, const double *with, size_t count, double sum[2]);
