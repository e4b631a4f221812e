#include "unit.h"

#include "auth/key_ring.h"

/* Each is another key. */
static const unsigned char BYTES[][KEY_BYTES] = {{1}, {2}, {3}, {4}};

static struct key_ring ring_of(const enum key_role *roles, size_t count) {
    struct key_ring ring = {.count = 0};
    for (size_t i = 0; i < count; i++) {
        ck_assert(key_ring_add(&ring, roles[i], BYTES[i]));
    }
    return ring;
}

START_TEST(roles_have_names) {
    ck_assert_str_eq(key_role_name(KEY_CURRENT), "current");
    ck_assert_str_eq(key_role_name(KEY_NEXT), "next");
    ck_assert_str_eq(key_role_name(KEY_OLD), "old");
}
END_TEST

/* Stored ciphertexts name their key by it. As sha256sum has it of "recaudo key id:", a NUL and the key. */
START_TEST(id_of_a_key_never_changes) {
    struct key_ring ring = {.count = 0};
    unsigned char bytes[KEY_BYTES];
    char id[KEY_ID_HEX_SIZE] = "";
    for (size_t i = 0; i < KEY_BYTES; i++) {
        bytes[i] = (unsigned char)(i % 16 * 0x11);
    }
    ck_assert(key_ring_add(&ring, KEY_CURRENT, bytes));
    key_ring_print_id(&ring.keys[0], id);
    ck_assert_str_eq(id, "8a35b0fc");
}
END_TEST

START_TEST(finds_only_keys_that_it_has) {
    struct key_ring ring = ring_of((const enum key_role[]){KEY_OLD, KEY_CURRENT}, 2);
    ck_assert_ptr_eq(key_ring_find(&ring, KEY_OLD), &ring.keys[0]);
    ck_assert_ptr_eq(key_ring_find(&ring, KEY_CURRENT), &ring.keys[1]);
    ck_assert_ptr_null(key_ring_find(&ring, KEY_NEXT));
    ck_assert_ptr_eq(key_ring_find_id(&ring, ring.keys[1].id), &ring.keys[1]);
    ring.count = 1; /* what follows is no key of it */
    ck_assert_ptr_null(key_ring_find(&ring, KEY_CURRENT));
    ck_assert_ptr_null(key_ring_find_id(&ring, ring.keys[1].id));
}
END_TEST

START_TEST(next_becomes_current_and_current_old) {
    struct key_ring ring = ring_of((const enum key_role[]){KEY_CURRENT, KEY_OLD, KEY_NEXT, KEY_NEXT}, 4);
    ring.count = 3;
    key_ring_promote(&ring);
    ck_assert(ring.keys[0].role == KEY_OLD && ring.keys[1].role == KEY_OLD && ring.keys[2].role == KEY_CURRENT);
    ck_assert_int_eq(ring.keys[3].role, KEY_NEXT);
}
END_TEST

/* Nothing but the dropped keys is wiped. */
START_TEST(old_keys_are_dropped_and_wiped) {
    static const struct sealing_key WIPED;
    struct key_ring ring = ring_of((const enum key_role[]){KEY_CURRENT, KEY_OLD, KEY_NEXT, KEY_NEXT}, 4);
    const struct key_ring before = ring;
    ring.count = 2;
    key_ring_drop_old(&ring);
    ck_assert_uint_eq(ring.count, 1);
    ck_assert_int_eq(memcmp(&ring.keys[0], &before.keys[0], sizeof WIPED), 0);
    ck_assert_int_eq(memcmp(&ring.keys[1], &WIPED, sizeof WIPED), 0);
    ck_assert_int_eq(memcmp(&ring.keys[2], &before.keys[2], 2 * sizeof WIPED), 0);
}
END_TEST

START_TEST(keys_after_an_old_one_move_up) {
    struct key_ring ring = ring_of((const enum key_role[]){KEY_OLD, KEY_CURRENT, KEY_NEXT}, 3);
    key_ring_drop_old(&ring);
    ck_assert_uint_eq(ring.count, 2);
    ck_assert(ring.keys[0].role == KEY_CURRENT && ring.keys[0].bytes[0] == 2);
    ck_assert(ring.keys[1].role == KEY_NEXT && ring.keys[1].bytes[0] == 3);
}
END_TEST

START_TEST(nothing_is_left_of_a_wiped_ring) {
    static const struct key_ring EMPTY;
    struct key_ring ring;
    memset(&ring, 'x', sizeof ring);
    key_ring_wipe(&ring);
    ck_assert_int_eq(memcmp(&ring, &EMPTY, sizeof ring), 0);
}
END_TEST

TCase *key_ring_tests(void) {
    TCase *tests = unit_case("key_ring");
    tcase_add_test(tests, roles_have_names);
    tcase_add_test(tests, id_of_a_key_never_changes);
    tcase_add_test(tests, finds_only_keys_that_it_has);
    tcase_add_test(tests, next_becomes_current_and_current_old);
    tcase_add_test(tests, old_keys_are_dropped_and_wiped);
    tcase_add_test(tests, keys_after_an_old_one_move_up);
    tcase_add_test(tests, nothing_is_left_of_a_wiped_ring);
    return tests;
}
