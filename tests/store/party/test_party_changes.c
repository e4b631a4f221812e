#include "store.h"

#include "store/console/users.h"
#include "store/db/party_row.h"
#include "store/external/integrations.h"
#include "store/party/countries.h"
#include "store/party/currencies.h"
#include "store/party/merchants.h"
#include "store/party/networks.h"

#include <inttypes.h>

/* What operators change of networks, merchants, integrations and users, and the lists of them. The clock stands still
 * at noon. */

#define NOON "'2030-05-05 12:00:00'"
#define JUST " + INTERVAL 1 MICROSECOND"

static const struct text ANA = TEXT("Ana"), EVA = TEXT("Eva");

static struct connection *by_operator;
static struct text said;
static uint64_t south, north; /* merchants */

static void set_up(void) {
    said = TEXT("");
    by_operator = database_connect(OPERATOR);
    database_stop_clock(by_operator, NOON);
    south = new_merchant(.name = "'south'", .notify_url = "'http://s/'");
    north = new_merchant(.name = "'north'", .notify_url = "'http://n/'");
}

static void tear_down(void) {
    connection_close(by_operator);
    database_run("TRUNCATE TABLE console_users");
}

static void say(struct text words) {
    said = arena_print(arena, "%.*s%.*s; ", TEXT_ARGS(said), TEXT_ARGS(words));
}

static void say_merchant(void *context, const struct merchant_description *merchant) {
    const struct merchant_settings *is = &merchant->settings;
    (void)context;
    say(arena_print(arena, "%.*s %.*s %d %.*s %.*s %.*s %d %.*s", TEXT_ARGS(merchant->name), TEXT_ARGS(is->commerce),
                    (int)is->country, TEXT_ARGS(is->notify_url), TEXT_ARGS(is->notify_digest),
                    TEXT_ARGS(is->acknowledgement), merchant->enabled, TEXT_ARGS(merchant->changed_by)));
}

/* A change of the merchant south, and what is told of it then. */
static const struct {
    struct merchant_settings settings;
    const char *told;
} CHANGES[] = {
    {{.country = 0}, "south Tienda 343 http://s/ sha256 strict 1 Ana; "},
    {{.commerce = TEXT("Shop")}, "south Shop 343 http://s/ sha256 strict 1 Ana; "},
    {{.country = 345}, "south Tienda 345 http://s/ sha256 strict 1 Ana; "},
    {{.notify_url = TEXT("http://t/")}, "south Tienda 343 http://t/ sha256 strict 1 Ana; "},
    {{.notify_url = TEXT("")}, "south Tienda 343  sha256 strict 1 Ana; "},
    {{.notify_digest = TEXT("sha512")}, "south Tienda 343 http://s/ sha512 strict 1 Ana; "},
    {{.acknowledgement = TEXT("http2xx")}, "south Tienda 343 http://s/ sha256 http2xx 1 Ana; "},
};

START_TEST(only_what_is_given_changes_of_a_merchant) {
    ck_assert_int_eq(merchants_change(by_operator, TEXT("south"), &CHANGES[_i].settings, ANA), STATUS_OK);
    ck_assert_int_eq(merchants_change(by_operator, TEXT("west"), &CHANGES[_i].settings, ANA), STATUS_CHANGED);
    ck_assert_int_eq(merchants_list(by_operator, arena, say_merchant, NULL), STATUS_OK);
    const char *north_is = "north Tienda 343 http://n/ sha256 strict 1 test; ";
    assert_text(said, arena_print(arena, "%s%s", north_is, CHANGES[_i].told).at);
}
END_TEST

/* Returns who is enabled, and who did that. */
static const char *enabled(const char *table) {
    return database_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', name, enabled, changed_by) ORDER BY name) FROM %s", table);
}

typedef enum status enables(struct connection *connection, struct text name, bool enabled, struct text actor);

static const struct {
    enables *call;
    const char *table;
} ENABLED[] = {{networks_set_enabled, "networks"},
               {merchants_set_enabled, "merchants"},
               {console_users_set_enabled, "console_users"}};

static void add_users(void) {
    const struct console_user_change users[] = {{TEXT("south"), ROLE_VIEWER, 0, TEXT("test")},
                                                {TEXT("north"), ROLE_MERCHANT, north, TEXT("test")}};
    for (size_t i = 0; i < COUNT_OF(users); i++) {
        ck_assert_int_eq(console_users_add(by_operator, &users[i]), STATUS_OK);
    }
}

START_TEST(they_are_disabled_once) {
    const char *table = ENABLED[_i].table;
    sample_network("south");
    sample_network("north");
    add_users();
    ck_assert_int_eq(ENABLED[_i].call(by_operator, TEXT("south"), true, ANA), STATUS_CHANGED);
    ck_assert_int_eq(ENABLED[_i].call(by_operator, TEXT("west"), false, ANA), STATUS_CHANGED);
    ck_assert_int_eq(ENABLED[_i].call(by_operator, TEXT("south"), false, ANA), STATUS_OK);
    ck_assert_str_eq(enabled(table), "north 1 test,south 0 Ana");
    ck_assert_int_eq(ENABLED[_i].call(by_operator, TEXT("south"), false, EVA), STATUS_CHANGED);
    ck_assert_str_eq(enabled(table), "north 1 test,south 0 Ana");
    ck_assert_int_eq(ENABLED[_i].call(by_operator, TEXT("south"), true, EVA), STATUS_OK);
    ck_assert_str_eq(enabled(table), "north 1 test,south 1 Eva");
}
END_TEST

static void say_network(void *context, const struct network_description *network) {
    const struct network_access *access = &network->access;
    (void)context;
    said = arena_print(arena, "%.*s%.*s [%.*s] %d %d %d %d %s %s%.*s; ", TEXT_ARGS(said), TEXT_ARGS(network->name),
                       TEXT_ARGS(access->allow), (int)access->rate.per_second, (int)access->rate.burst,
                       access->signing.ids_are_distinct, access->signing.signature,
                       network->plain_until == 0 ? "now" : "later", network->unsigned_used_at == 0 ? "" : "unsigned ",
                       TEXT_ARGS(network->changed_by));
}

static enum status set_access(const struct network_access *access, instant changed_later, struct text actor) {
    struct network_description was;
    ck_assert_int_eq(networks_describe(by_operator, TEXT("south"), arena, &was), STATUS_OK);
    was.changed_at += changed_later;
    return networks_set_access(by_operator, &was, access, actor);
}

/* Returns what requests are judged by: whether ids are distinct, and for how many seconds others are confirmed. */
static const char *found(void) {
    struct party_row row;
    ck_assert_int_eq(networks_find(by_operator, TEXT("south"), arena, &row), STATUS_OK);
    ck_assert_uint_eq(row.id, database_number("SELECT id FROM networks WHERE name = 'south'"));
    return arena_print(arena, "%d %d", row.ids_are_distinct, (int)((row.plain_for + SECOND - 1) / SECOND)).at;
}

/* Ids must be distinct from a day later on; what was decided stays so. */
START_TEST(the_access_of_a_network_is_set) {
    struct network_access access = {TEXT("192.0.2.0/24"), {5, 6}, {true, SIGNATURE_ACCEPTED}};
    const struct network_access open = {TEXT(""), {0, 0}, {false, SIGNATURE_OFF}};
    sample_network("south");
    sample_network("north");
    ck_assert_int_eq(set_access(&access, 1, ANA), STATUS_CHANGED);
    ck_assert_int_eq(set_access(&access, 0, ANA), STATUS_OK);
    ck_assert_str_eq(database_text("SELECT distinct_from = " NOON " + INTERVAL 1 DAY FROM networks"
                                   " WHERE name = 'south'"),
                     "1");
    ck_assert_int_eq(networks_list(by_operator, arena, say_network, NULL), STATUS_OK);
    assert_text(said, "north [] 0 0 0 0 now test; south [192.0.2.0/24] 5 6 1 1 later Ana; ");
    ck_assert_str_eq(found(), "1 86400");
    database_run("UPDATE networks SET distinct_from = " NOON " WHERE name = 'south'");
    ck_assert_str_eq(found(), "1 0");
    said = TEXT("");
    access.signing.signature = SIGNATURE_REQUIRED;
    ck_assert_int_eq(set_access(&access, 0, EVA), STATUS_OK);
    ck_assert_int_eq(networks_list(by_operator, arena, say_network, NULL), STATUS_OK);
    assert_text(said, "north [] 0 0 0 0 now test; south [192.0.2.0/24] 5 6 1 2 now Eva; ");
    said = TEXT("");
    ck_assert_int_eq(set_access(&open, 0, ANA), STATUS_OK);
    ck_assert_int_eq(networks_list(by_operator, arena, say_network, NULL), STATUS_OK);
    assert_text(said, "north [] 0 0 0 0 now test; south [] 0 0 0 0 now Ana; ");
    ck_assert_str_eq(found(), "0 0");
}
END_TEST

static void say_user(void *context, const struct console_user *user) {
    struct text role = console_role_name(user->role);
    (void)context;
    say(arena_print(arena, "%.*s %.*s %.*s %.*s", TEXT_ARGS(user->name), TEXT_ARGS(role),
                    TEXT_ARGS(user->merchant_name), TEXT_ARGS(user->changed_by)));
}

/* Another role, or the same of another merchant, is a change. */
static const struct {
    struct text name;
    enum console_role role;
    int merchant; /* 1: south, 2: north */
    enum status status;
    const char *told;
} ROLES[] = {
    {TEXT("south"), ROLE_VIEWER, 0, STATUS_CHANGED, "north merchant north test; south viewer  test; "},
    {TEXT("south"), ROLE_SUPPORT, 0, STATUS_OK, "north merchant north test; south support  Ana; "},
    {TEXT("south"), ROLE_MERCHANT, 1, STATUS_OK, "north merchant north test; south merchant south Ana; "},
    {TEXT("north"), ROLE_MERCHANT, 2, STATUS_CHANGED, "north merchant north test; south viewer  test; "},
    {TEXT("north"), ROLE_MERCHANT, 1, STATUS_OK, "north merchant south Ana; south viewer  test; "},
    {TEXT("north"), ROLE_OPERATOR, 0, STATUS_OK, "north operator  Ana; south viewer  test; "},
    {TEXT("west"), ROLE_OPERATOR, 0, STATUS_CHANGED, "north merchant north test; south viewer  test; "},
};

START_TEST(a_user_gets_another_role) {
    struct console_user user;
    add_users();
    const struct console_user_change change = {
        ROLES[_i].name, ROLES[_i].role, ROLES[_i].merchant == 0 ? 0 : (ROLES[_i].merchant == 1 ? south : north), ANA};
    ck_assert_int_eq(console_users_set(by_operator, &change), ROLES[_i].status);
    ck_assert_int_eq(console_users_list(by_operator, arena, say_user, NULL), STATUS_OK);
    assert_text(said, ROLES[_i].told);
    ck_assert_int_eq(console_users_find(by_operator, TEXT("north"), arena, &user), STATUS_OK);
    assert_text(user.name, "north");
    ck_assert_int_eq(console_users_find(by_operator, TEXT("west"), arena, &user), STATUS_NONE);
}
END_TEST

static void say_integration(void *context, const struct integration_row *row) {
    (void)context;
    say(arena_print(arena, "%d %.*s %.*s %.*s %.*s %.*s%s", (int)row->kind, TEXT_ARGS(row->code),
                    TEXT_ARGS(row->merchant), TEXT_ARGS(row->endpoint), TEXT_ARGS(row->currency),
                    TEXT_ARGS(row->changed_by), row->removed_at == 0 ? "" : " removed"));
}

static uint64_t add_integration(uint64_t merchant, bool is_agreement, const char *code) {
    uint64_t id = 0;
    const struct integration_settings settings = {
        .merchant_id = merchant,
        .kind = is_agreement ? INTEGRATION_AGREEMENT : INTEGRATION_PREFIX,
        .code = text_of(code),
        .network_id = is_agreement ? database_number("SELECT id FROM networks WHERE name = 'south'") : 0,
        .endpoint = TEXT("http://i/"),
        .currency = TEXT("COP")};
    ck_assert_int_eq(integrations_insert(by_operator, &settings, TEXT("test"), &id), STATUS_OK);
    return id;
}

static const struct {
    bool of_north, removed_too;
    const char *told;
} INTEGRATIONS[] = {
    {false, false,
     "1 7000 south http://i/ COP test; 2 6000 south http://i/ COP test; 2 8000 north http://i/ COP test;"
     " 2 9000 north http://j/ COP Ana; "},
    {true, false, "2 8000 north http://i/ COP test; 2 9000 north http://j/ COP Ana; "},
    {true, true,
     "2 8000 north http://i/ COP test; 2 8000 north http://i/ COP Eva removed; 2 9000 north http://j/ COP Ana; "},
};

START_TEST(integrations_are_changed_removed_and_listed) {
    struct integration_row row;
    sample_network("south");
    uint64_t changed = add_integration(north, false, "9000"), removed = add_integration(north, false, "8000");
    add_integration(south, false, "6000");
    add_integration(south, true, "7000");
    ck_assert_int_eq(integrations_change(by_operator, changed, TEXT("http://j/"), TEXT(""), ANA), STATUS_OK);
    ck_assert_int_eq(integrations_remove(by_operator, removed, EVA), STATUS_OK);
    ck_assert_int_eq(integrations_remove(by_operator, removed, ANA), STATUS_CHANGED);
    ck_assert_int_eq(integrations_change(by_operator, removed, TEXT("http://k/"), TEXT(""), ANA), STATUS_CHANGED);
    add_integration(north, false, "8000");
    ck_assert_int_eq(integrations_describe(by_operator, removed, arena, &row), STATUS_OK);
    ck_assert_uint_eq(row.id, removed);
    const struct integration_filter filter = {INTEGRATIONS[_i].of_north ? north : 0, INTEGRATIONS[_i].removed_too};
    ck_assert_int_eq(integrations_list(by_operator, &filter, arena, say_integration, NULL), STATUS_OK);
    assert_text(said, INTEGRATIONS[_i].told);
}
END_TEST

static void say_country(void *context, const struct country_row *country) {
    (void)context;
    say(arena_print(arena, "%d %.*s %.*s", (int)country->code, TEXT_ARGS(country->name), TEXT_ARGS(country->currency)));
}

START_TEST(countries_are_found_and_listed) {
    struct text currency, zone;
    ck_assert_int_eq(countries_list(by_operator, arena, say_country, NULL), STATUS_OK);
    assert_text(said, "314 Costa Rica CRC; 343 Colombia COP; 345 Ecuador USD; 348 Peru PEN; ");
    ck_assert_int_eq(countries_find(by_operator, 348, arena, &currency, &zone), STATUS_OK);
    assert_text(currency, "PEN");
    assert_text(zone, "America/Lima");
    ck_assert_int_eq(countries_find(by_operator, 349, arena, &currency, &zone), STATUS_NONE);
}
END_TEST

static void say_currency(void *context, const struct currency_row *row) {
    (void)context;
    say(arena_print(arena, "%.*s %d%s %.*s", TEXT_ARGS(row->code), (int)row->query_code, row->has_query_code ? "" : "?",
                    TEXT_ARGS(row->changed_by)));
}

/* A digit of one currency, which none had or which the others have. */
static const struct {
    struct text code;
    uint64_t digit;
    enum status status;
    const char *told;
} DIGITS[] = {
    {TEXT("PEN"), 7, STATUS_OK, "COP 1 ; CRC 0? ; PEN 7 Ana; USD 0 Eva; "},
    {TEXT("USD"), 7, STATUS_OK, "COP 1 ; CRC 0? ; PEN 0? ; USD 7 Ana; "},
    {TEXT("USD"), 0, STATUS_CHANGED, "COP 1 ; CRC 0? ; PEN 0? ; USD 0 Eva; "},
    {TEXT("PEN"), 1, STATUS_CLASH, "COP 1 ; CRC 0? ; PEN 0? ; USD 0 Eva; "},
    {TEXT("EUR"), 7, STATUS_CHANGED, "COP 1 ; CRC 0? ; PEN 0? ; USD 0 Eva; "},
};

START_TEST(a_digit_is_of_one_currency) {
    ck_assert_int_eq(currencies_set_query_code(by_operator, TEXT("USD"), 0, EVA), STATUS_OK);
    enum status status = currencies_set_query_code(by_operator, DIGITS[_i].code, DIGITS[_i].digit, ANA);
    ck_assert_int_eq(currencies_list(by_operator, arena, say_currency, NULL), STATUS_OK);
    database_run("UPDATE currencies SET query_code = IF(code = 'COP', 1, NULL), changed_by = NULL");
    ck_assert_int_eq(status, DIGITS[_i].status);
    assert_text(said, DIGITS[_i].told);
}
END_TEST

TCase *party_changes_tests(void) {
    TCase *tests = database_case("party_changes");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    add_table_test(tests, only_what_is_given_changes_of_a_merchant, CHANGES);
    add_table_test(tests, they_are_disabled_once, ENABLED);
    tcase_add_test(tests, the_access_of_a_network_is_set);
    add_table_test(tests, a_user_gets_another_role, ROLES);
    add_table_test(tests, integrations_are_changed_removed_and_listed, INTEGRATIONS);
    tcase_add_test(tests, countries_are_found_and_listed);
    add_table_test(tests, a_digit_is_of_one_currency, DIGITS);
    return tests;
}
