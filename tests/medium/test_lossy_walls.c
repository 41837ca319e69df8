/* What is said of the error of the field beside a wall of a good conductor, against the field that is solved: such a
 * wall stands anywhere in a cell, and reflects as its image does. */
#include "tests/support/solve.h"

enum { RECEIVERS = 12 };

/* The relative error over the receivers, face at 3 m + off; *said is what the set-up says. */
static double wall_error(double permittivity, double cell, double off, double *said)
{
    char text[2048];
    int used = snprintf(text, sizeof text,
                        "plan: {size: [4, 4], walls: [{from: [%g, -1], to: [%g, 5], thickness: 1, material: "
                        "{relative_permittivity: %g, conductivity: 10000 S/m}}]}\nband: {centre: 1e9, width: 1e8}\n"
                        "grid: {scheme: fd4o, cell: %g}\ntransmitters: [{at: [1.6, 2.1]}]\nspectra: {count: 3}\n"
                        "receivers:\n",
                        3.5 + off, 3.5 + off, permittivity, cell);
    double at[RECEIVERS][2];
    for (int r = 0; r < RECEIVERS; r++) {
        at[r][0] = 1.03 + 0.45 * (r % 4);
        at[r][1] = 0.9 + 1.1 * (r / 4);
        used += snprintf(text + used, sizeof text - (size_t)used, "  - {at: [%g, %g]}\n", at[r][0], at[r][1]);
    }
    struct solved solved = solve(text, PW_SINGLE, "cpu");
    const double k = 2 * M_PI * 1e9 / 299792458;
    double error = 0, size = 0;
    for (int r = 0; r < RECEIVERS; r++) {
        double *series = solve_series(&solved, 0, r);
        const double complex found = solve_channel(&solved, 0, series, 1) * solve_hankel(k);
        const double along = at[r][1] - 2.1, image = 2 * (3 + off) - at[r][0] - 1.6;
        const double complex law =
            solve_hankel(k * hypot(at[r][0] - 1.6, along)) - solve_hankel(k * hypot(image, along));
        error += pow(cabs(found - law), 2);
        size += pow(cabs(law), 2);
        free(series);
    }
    *said = pw_setup_facts(solved.setup).field_error;
    solve_free(&solved);
    return error / size;
}

/* Over the places of the face in a cell, which is not known before; a conductor turns waves back whatever its
 * permittivity. */
static void test_said_error_covers_good_conductors(void **state)
{
    (void)state;
    static const double cells[] = {0.02, 0.04, 0.04}, permittivity[] = {3, 3, 1};
    for (int c = 0; c < 3; c++) {
        double sum = 0, said = 0, largest = 0, least = 10;
        for (int n = 0; n < 4; n++) {
            sum += wall_error(permittivity[c], cells[c], 0.25 * n * cells[c], &said) / 4;
            largest = fmax(largest, said);
            least = fmin(least, said);
        }
        const double real = sqrt(sum);
        print_message("permittivity %g, cells of %g cm: off by %.1f %%, said %.1f to %.1f %%\n", permittivity[c],
                      100 * cells[c], 100 * real, 100 * least, 100 * largest);
        assert_true(least > 0.8 * real && largest < 5 * real);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_said_error_covers_good_conductors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
