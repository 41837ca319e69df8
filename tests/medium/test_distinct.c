/* Keys and their numbers (base/numbers/distinct.h), against a search through all of them. */
#include "base/numbers/distinct.h"
#include "base/numbers/splitmix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A size that is no multiple of a word. */
struct key {
    uint8_t bytes[13];
};

enum { KEYS = 5000, KINDS = 3000 };

/* Key number n of a sequence in which many come again; kinds that differ do so in one byte or in several. */
static struct key key_at(uint64_t n)
{
    struct key key = {{0}};
    const uint32_t kind = (uint32_t)(splitmix_at(n) % KINDS);
    memcpy(key.bytes + 9, &kind, sizeof kind);
    return key;
}

static void first_come_numbers(struct distinct *set)
{
    static struct key known[KEYS];
    size_t count = 0;
    for (uint64_t n = 0; n < KEYS; n++) {
        const struct key key = key_at(n);
        size_t expected = 0;
        uint32_t number = UINT32_MAX;
        while (expected < count && memcmp(&known[expected], &key, sizeof key) != 0) {
            expected++;
        }
        if (expected == count) {
            known[count++] = key;
        }
        assert_int_equal(distinct_number(set, &key, "keys", &number, NULL), PW_OK);
        assert_int_equal(number, expected);
        assert_int_equal(set->count, count);
        assert_memory_equal(distinct_key(set, number), &key, sizeof key);
    }
    assert_true(count > 1024); /* the table has grown */
}

static void test_numbers(void **state)
{
    (void)state;
    struct distinct set = {.size = sizeof(struct key)};
    first_come_numbers(&set);
    distinct_free(&set);
    assert_null(set.keys);
}

/* What was taken out is new again. */
static void test_clear(void **state)
{
    (void)state;
    struct distinct set = {.size = sizeof(struct key)};
    distinct_clear(&set); /* of nothing */
    first_come_numbers(&set);
    const size_t room = set.room;
    distinct_clear(&set);
    assert_int_equal(set.count, 0);
    first_come_numbers(&set);
    assert_int_equal(set.room, room);
    distinct_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers), cmocka_unit_test(test_clear)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
