/* A race made on purpose, and the same with a barrier, so that `make sanitize-threads` can show that it sees the one
 * and passes the other. With an argument: the barrier. */
#include <stdio.h>

int main(int argc, char **argv)
{
    (void)argv;
    int values[2] = {0, 0}, sum = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp for nowait
        for (int k = 0; k < 2; k++) {
            values[k] = k + 1;
        }
        if (argc > 1) {
#pragma omp barrier
        }
#pragma omp for reduction(+ : sum)
        for (int k = 0; k < 2; k++) {
            sum += values[1 - k];
        }
    }
    printf("%d\n", sum);
    return sum < 0;
}
