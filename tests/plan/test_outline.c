/* What lies inside an outline of many points, which is looked at in slices: against all sides one by one. */
#include "tests/support/check.h"

#include "base/numbers/splitmix.h"
#include "plan/outline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Every side looked at, by the even-odd rule to the right. */
static bool plainly_inside(const struct point *points, int count, double x, double y)
{
    bool inside = false;
    for (int p = 0; p < count; p++) {
        struct point a = points[p], b = points[(p + 1) % count];
        if ((a.y > y) != (b.y > y) && x < a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y)) {
            inside = !inside;
        }
    }
    return inside;
}

static void compare(const struct point *points, int count, uint64_t seed)
{
    struct outline outline;
    const struct shape shape = {.kind = SHAPE_POLYGON, .points = (struct point *)points, .point_count = count};
    assert_int_equal(outline_create("test", &shape, &outline, NULL), PW_OK);
    for (int n = 0; n < 4000; n++) {
        double x = outline.low.x + (outline.high.x - outline.low.x) * (1.2 * splitmix_unit(splitmix_next(&seed)) - 0.1);
        double y = outline.low.y + (outline.high.y - outline.low.y) * (1.2 * splitmix_unit(splitmix_next(&seed)) - 0.1);
        y = n % 3 == 0 ? points[n % count].y : y; /* heights at which sides begin and end */
        bool within = x >= outline.low.x && x <= outline.high.x && y >= outline.low.y && y <= outline.high.y;
        assert_int_equal(outline_contains(&outline, x, y), within && plainly_inside(points, count, x, y));
    }
    outline_free(&outline);
}

static void test_slices_change_nothing(void **unused)
{
    (void)unused;
    enum { MOST = 3000 };
    static struct point points[MOST];
    static const int COUNTS[] = {3, 24, 25, 26, 100, 999, MOST};
    uint64_t seed = 11;
    for (size_t c = 0; c < sizeof COUNTS / sizeof COUNTS[0]; c++) {
        for (int n = 0; n < COUNTS[c]; n++) { /* a star; random jumps, which cross each other; a comb of long teeth */
            double angle = 2 * acos(-1) * n / COUNTS[c], far = 1 + 0.5 * splitmix_unit(splitmix_next(&seed));
            points[n] = (struct point){far * cos(angle), far * sin(angle)};
        }
        compare(points, COUNTS[c], seed);
        for (int n = 0; n < COUNTS[c]; n++) {
            points[n] = (struct point){splitmix_unit(splitmix_next(&seed)), splitmix_unit(splitmix_next(&seed))};
        }
        compare(points, COUNTS[c], seed);
        for (int n = 0; n < COUNTS[c]; n++) {
            points[n] = (struct point){0.01 * n, n % 2 == 0 ? 0 : 7};
        }
        compare(points, COUNTS[c], seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_slices_change_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
