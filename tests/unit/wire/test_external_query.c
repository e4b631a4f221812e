#include "unit.h"

#include "wire/merchant/external_query.h"

START_TEST(renders_a_query) {
    struct arena *arena = arena_create();
    const struct external_query_values values = {.reference = TEXT("0077\"1"),
                                                 .currency = TEXT("18446744073709551615"),
                                                 .netname = TEXT("Red Ñandú"),
                                                 .timestamp_start = TEXT("1795253400")};
    assert_text(external_query_render(&values, "0a1b", arena),
                "{\"reference\":\"0077\\\"1\",\"netname\":\"Red Ñandú\",\"currency\":18446744073709551615,"
                "\"timestamp_start\":1795253400,\"checksum\":\"0a1b\"}");
    arena_destroy(arena);
}
END_TEST

TCase *external_query_message_tests(void) {
    TCase *tests = unit_case("external_query_message");
    tcase_add_test(tests, renders_a_query);
    return tests;
}
