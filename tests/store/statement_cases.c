#include "statement_cases.h"

#define EVERYBODY    (AS_OWNER | AS_WORKER | AS_DISPATCHER | AS_DELIVERER | AS_OPERATOR | AS_CONSOLE)
#define BOTH         (AS_DISPATCHER | AS_DELIVERER)
#define BYTES_16     "llllllllllllllll"
#define BYTES_32     "ffffffffffffffffffffffffffffffff"
#define HEX_64       BYTES_32 BYTES_32
#define FUTURE       "@2999-01-01 00:00:00"
#define EVER         "@1970-01-01 00:00:00"
#define EVER_TEXT    "1970-01-01 00:00:00.000000"
#define A_YEAR_AFTER "@1971-01-01 00:00:00"
#define ROW(line, number)                                                                                              \
    "[" line ",\"PO-new-" number "\",\"99000" number                                                                   \
    "\",\"5.0000\",\"COP\",\"2999-01-01 00:00:00\",\"\",null,null,null,null,null]"
#define NEWEST(since, merchant)          since, merchant, merchant, "#100"
#define IN_STATE(state, since, merchant) state, state, NEWEST(since, merchant), state, NEWEST(since, merchant), "#100"
#define ROWS                             "[" ROW("0", "1") "," ROW("1", "2") "]"

/* What a dispatcher reports of a notification that it had in hand. */
#define ATTEMPT(id)                                                                                                    \
    "[" id ",1,\"6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c\",\"6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c\",1795253400000000,"            \
    "5000,\"https://m.example/\",\"127.0.0.1\",200,\"acknowledged\",\"4f4b\"]"
#define OUTCOME(id) "[" id ",1,\"6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c\",1,0,0]"
#define CLAIMED(id) "[" id ",\"6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c\"]"
#define TWO(each)   "[" each("50005") "," each("51005") "]"

#define RETRIES "[{\"id\":50007,\"was\":\"exhausted\",\"becomes\":\"pending\"}]"

const struct statement_case STATEMENT_CASES[] = {
    {SQL_schema_version, EVERYBODY, {NULL}},
    {SQL_migration_lock, AS_OWNER, {NULL}},
    {SQL_migration_list, AS_OWNER, {NULL}},
    {SQL_migration_begin, AS_OWNER, {"#9999", "9999_new.sql", BYTES_32 BYTES_32}},
    {SQL_migration_end, AS_OWNER, {"#1"}},
    {SQL_settings_write, AS_OWNER, {"#30000000"}},
    {SQL_grants_surplus, AS_OWNER, {NULL}},
    {SQL_database_settings, AS_OPERATOR, {NULL}},

    {SQL_network_find, AS_WORKER, {"large-1"}},
    {SQL_merchant_find, AS_WORKER, {"large-1"}},
    {SQL_old_secret_note, AS_WORKER, {"network", "#1"}},
    {SQL_merchant_find_commerce, AS_WORKER, {"#1"}},
    {SQL_payable_open, AS_WORKER, {"50000"}},
    {SQL_payable_find, AS_WORKER, {"50000", "50000"}},
    {SQL_payable_closed, AS_WORKER, {"50005"}},
    {SQL_registration_find, AS_WORKER, {"50000", "50000", "#1", "TX-50000"}},
    {SQL_integration_read, AS_WORKER | AS_OPERATOR, {NULL}},
    {SQL_query_insert,
     AS_WORKER,
     {FUTURE, "#1", "#1", "#1", "50010", "#5000", "invalid", "127.0.0.1", "#200", "order", "x", "-", "#50010"}},
    {SQL_offer_find, AS_WORKER, {"#11", "PO-50010", "50010"}},
    {SQL_offer_find, AS_WORKER, {"#11", "PO-new", "990004"}},
    {SQL_offer_insert,
     AS_WORKER,
     {"#1", "PO-new", "990004", "0", "#1", "5", "#1", "9", "COP", "x", "a@b.c", "-", "-", "-", FUTURE, "test", FUTURE}},
    {SQL_offer_refresh,
     AS_WORKER,
     {"50010", "7", "#0", "0", "#0", "0", "x", "a@b.c", "-", "-", "-", FUTURE, "test", "#50010", "#1", FUTURE}},
    {SQL_registration_insert,
     AS_WORKER,
     {"#1", "TX-new", "5", "caja", "-", "-", "-", BYTES_32, "large-1", "50010", "COP", "5", "5", "Tienda"}},
    {SQL_transaction_insert,
     AS_WORKER,
     {"#1", "TX-new", "#50000", "-", "50000", "5", "COP", "Tienda", "x", "caja", "-", "-", "-", BYTES_32, "large-1"}},
    {SQL_confirmation_find, AS_WORKER, {"#1", "TX-50000"}},
    {SQL_confirm_order, AS_WORKER, {"#11", "TX-50010", "test"}},
    {SQL_confirm_top_up, AS_WORKER, {"#95010", "test"}},
    {SQL_payment_cancel, AS_WORKER, {"#11", "TX-50010", "test"}},
    {SQL_payment_cancel, AS_WORKER, {"#1", "TX-51000", "test"}},
    {SQL_country_find, AS_WORKER, {"#343"}},
    {SQL_porder_insert, AS_WORKER, {"#1",   "PO-new", "990004", "5",     "19", "COP", "#343",
                                    "x",    "es",     "-",      "a@b.c", "-",  "-",   "-",
                                    FUTURE, "token",  "test",   FUTURE,  EVER, "#0",  "990004"}},
    {SQL_porder_clock, AS_WORKER, {NULL}},
    {SQL_reference_anothers, AS_WORKER, {"50000", "#1"}},
    {SQL_porder_find, AS_WORKER, {"#1", "PO-50000"}},
    {SQL_porder_outcome, AS_WORKER, {"#50005", "#50005"}},
    {SQL_porder_outcome, AS_WORKER, {"#50000", "#0"}},
    {SQL_porder_change,
     AS_WORKER,
     {"990005", "5", "-", "#343", "x", "-", "-", "a@b.c", "-", "-", "-", FUTURE, "test", "#50010", FUTURE}},
    {SQL_order_cancel, AS_WORKER, {"#50010", "#1", "test"}},
    {SQL_porder_refund, AS_WORKER, {"#50002", "-", "test"}},
    {SQL_slip_find, AS_WORKER, {"00000000000000000000000000050000"}},

    {SQL_schema_exists, AS_OPERATOR, {NULL}},
    {SQL_id_counter_list, AS_OWNER, {"#100"}},
    {SQL_program_list, AS_OWNER, {NULL}},
    {SQL_program_endings, AS_OWNER, {NULL}},
    {SQL_program_callers, AS_OWNER, {NULL}},
    {SQL_window_finalise_orders, AS_DISPATCHER, {"#100"}},
    {SQL_window_finalise_order, AS_OPERATOR | AS_WORKER, {"#50000", "test"}},
    {SQL_window_finalise_order_nowait, AS_OPERATOR | AS_WORKER, {"#50000", "test"}},
    {SQL_window_finalise_top_ups, AS_DISPATCHER, {"#100"}},
    {SQL_money_limit_list, AS_OPERATOR | AS_WORKER, {"#0"}},
    {SQL_money_limit_begin, AS_OPERATOR, {"#1", "COP"}},
    {SQL_money_limit_settle, AS_OPERATOR | AS_CONSOLE, {NULL}},
    {SQL_money_limit_set, AS_OPERATOR, {"#1", "COP", "5", "-", "test"}},
    {SQL_money_limit_remit, AS_OPERATOR, {"#1", "COP", "5", "x", "test"}},
    {SQL_money_limit_warn, AS_DISPATCHER, {"#80"}},
    {SQL_payment_count_update, AS_DISPATCHER, {NULL}},
    {SQL_console_payment_count_list, AS_CONSOLE, {"hour", EVER}},
    {SQL_refusal_note, AS_WORKER, {"0103", "#2"}},
    {SQL_reload_note, AS_WORKER, {"host"}},
    {SQL_reload_refused, AS_OPERATOR, {NULL}},
    {SQL_console_refusal_count_list, AS_CONSOLE, {"#2", "#24"}},
    {SQL_health_without_room, AS_DISPATCHER | AS_OPERATOR, {NULL}},
    {SQL_order_claim, AS_OPERATOR, {"#50002", "test", "test"}},
    {SQL_approval_waiting, AS_OPERATOR | AS_CONSOLE, {"#9000", "#100"}},
    {SQL_approval_list, AS_OPERATOR | AS_CONSOLE, {"#9000", "#100"}},
    {SQL_approval_answered, AS_CONSOLE, {"#9000", "#51", "#9000", "#51", "#51"}},
    {SQL_approval_find, AS_OPERATOR | AS_CONSOLE, {"#1"}},
    {SQL_approval_of_claim, AS_OPERATOR | AS_CONSOLE, {"#50002"}},
    {SQL_approval_ask, AS_OPERATOR, {"network_secret", "#1", "-", BYTES_32, "#5", "test", "operator:test"}},
    {SQL_approval_answer, AS_OPERATOR, {"#1", "#1", "test", "operator:test"}},
    {SQL_console_answer, AS_CONSOLE, {"#1", "#1", "#1", "test"}},
    {SQL_expiry_write, AS_DISPATCHER, {"#100"}},
    {SQL_work_next, AS_DISPATCHER, {NULL}},
    {SQL_delivery_next, AS_DELIVERER, {NULL}},
    {SQL_delivery_merchants, AS_DELIVERER, {"#100"}},
    {SQL_delivery_find_due, AS_DELIVERER, {"#6", "#65535", "#100"}},
    {SQL_delivery_find_due, AS_DELIVERER, {"#6", "#0", "#100"}},
    {SQL_delivery_lease, AS_DELIVERER, {"[50005,51005]", BYTES_16, "#20000000"}},
    {SQL_delivery_read, AS_DELIVERER, {"[50005,51005]"}},
    {SQL_delivery_attempts, AS_DELIVERER, {"#1", TWO(ATTEMPT)}},
    {SQL_delivery_outcomes, AS_DELIVERER, {TWO(OUTCOME)}},
    {SQL_delivery_successors, AS_DELIVERER, {"[50005,51005]"}},
    {SQL_delivery_release, AS_DELIVERER, {TWO(CLAIMED)}},
    {SQL_stuck_count, AS_WORKER | AS_OPERATOR, {NULL}},
    {SQL_stuck_find, AS_DELIVERER, {"#1000"}},
    {SQL_stuck_release, AS_DELIVERER, {"[50005,51005]"}},
    {SQL_endpoint_failed, AS_DELIVERER, {"#1", "#5", "#60000000", "#1000000", "#5"}},
    {SQL_endpoint_well, AS_DELIVERER, {"#1"}},
    {SQL_dispatcher_begin, BOTH, {"host", "#1", "settle"}},
    {SQL_dispatcher_forget, BOTH, {NULL}},
    {SQL_dispatcher_beat, BOTH, {"#5", "#1"}},
    {SQL_dispatcher_add, BOTH, {"host", "#1", "#1", "#1", "#1", "#1"}},
    {SQL_dispatcher_end, BOTH, {"#1"}},

    {SQL_country_list, AS_OPERATOR, {NULL}},
    {SQL_currency_list, AS_OPERATOR | AS_CONSOLE, {NULL}},
    {SQL_currency_set_query_code, AS_OPERATOR, {"#7", "test", "PEN", "#7"}},
    {SQL_integration_insert, AS_OPERATOR, {"#1", "#2", "77", "-", "https://merchant.example/", "COP", "test"}},
    {SQL_integration_list, AS_OPERATOR | AS_CONSOLE, {"#0", "#0", "#1"}},
    {SQL_integration_describe, AS_OPERATOR | AS_CONSOLE, {"#1"}},
    {SQL_integration_remove, AS_OPERATOR, {"test", "#1"}},
    {SQL_query_list, AS_OPERATOR, {"#100"}},
    {SQL_query_list_of_merchant, AS_OPERATOR, {"#7", "#100"}},
    {SQL_query_list_of_reference, AS_OPERATOR, {"50010", "#100"}},
    {SQL_query_find, AS_OPERATOR, {"#50000"}},
    {SQL_network_describe, AS_OPERATOR, {"large-1"}},
    {SQL_network_list, AS_OPERATOR, {NULL}},
    {SQL_network_insert, AS_OPERATOR, {"new", "sealed", "192.0.2.0/24", "#5", "#10", "#1", "off", "test"}},
    {SQL_network_set_enabled, AS_OPERATOR, {"#0", "test", "large-1", "#0"}},
    {SQL_network_rotate, AS_OPERATOR, {"#1", "#1", "#60000000", "sealed", "test", "large-1", FUTURE}},
    {SQL_network_end_old_secret, AS_OPERATOR, {"test", "large-1", FUTURE}},
    {SQL_network_set_access, AS_OPERATOR, {"::/0", "#0", "#0", "#1", "required", "test", "large-1", FUTURE}},
    {SQL_merchant_describe, AS_OPERATOR | AS_CONSOLE, {"large-1"}},
    {SQL_merchant_find_target, AS_OPERATOR, {"large-1"}},
    {SQL_merchant_list, AS_OPERATOR, {NULL}},
    {SQL_merchant_insert, AS_OPERATOR, {"new", "Tienda", "#343", "-", "sha256", "strict", "sealed", "sealed", "test"}},
    {SQL_merchant_change, AS_OPERATOR, {"Otra", "#314", "", "sha512", "http2xx", "test", "large-1"}},
    {SQL_merchant_set_enabled, AS_OPERATOR, {"#0", "test", "large-1", "#0"}},
    {SQL_merchant_rotate, AS_OPERATOR, {"#1", "#1", "#60000000", "sealed", "test", "large-1", FUTURE}},
    {SQL_merchant_rotate_notification, AS_OPERATOR, {"#1", "#1", "#60000000", "sealed", "test", "large-1", FUTURE}},
    {SQL_merchant_end_old_secret, AS_OPERATOR, {"test", "large-1", FUTURE}},
    {SQL_merchant_end_old_notification_secret, AS_OPERATOR, {"test", "large-1", FUTURE}},
    {SQL_sealed_networks, AS_OPERATOR, {"#10", "#100"}},
    {SQL_sealed_merchants, AS_OPERATOR, {"#10", "#100"}},
    {SQL_sealed_merchant_logins, AS_WORKER, {"#10", "#100"}},
    {SQL_sealed_network_replace, AS_OPERATOR, {"sealed", "-", "test", "#1", "sealed", "-"}},
    {SQL_sealed_merchant_replace,
     AS_OPERATOR,
     {"sealed", "-", "sealed", "-", "test", "#1", "sealed", "-", "sealed", "-"}},
    {SQL_account_describe, AS_OPERATOR, {"D50000"}},
    {SQL_account_list, AS_OPERATOR, {"#100"}},
    {SQL_account_insert, AS_OPERATOR, {"new", "CC", "Ana", "Paz", "", "COP", "test"}},
    {SQL_account_movements, AS_OPERATOR, {"#500"}},
    {SQL_event_list, AS_OPERATOR, {"order", "#50000", "order", "#50000"}},
    {SQL_reference_describe, AS_OPERATOR, {"50000", "50000"}},
    {SQL_reference_prefix_list, AS_OPERATOR, {NULL}},
    {SQL_reference_others, AS_OPERATOR, {"5000", "5000", "#1", "#1000"}},
    {SQL_reference_prefix_insert, AS_OPERATOR, {"990", "#1", "test"}},
    {SQL_reference_prefix_mark, AS_OPERATOR, {"test", "990"}},
    {SQL_reference_prefix_delete, AS_OPERATOR, {"990"}},
    {SQL_reference_quarantine, AS_OPERATOR, {"#60", "test", "large-1", "#60"}},
    {SQL_order_insert,
     AS_OPERATOR,
     {"#1", "PO-new", "990003", "5", "COP", "", "-", "-", "-", "-", "-", "registered", FUTURE, "test", FUTURE}},
    {SQL_order_batch_look, AS_OPERATOR, {"#1", ROWS, "#1", "#1"}},
    {SQL_order_batch_insert, AS_OPERATOR, {"#1", "imported", "test", ROWS}},
    {SQL_order_now_find, AS_OPERATOR, {"#50000"}},
    {SQL_order_now_find_by_reference, AS_OPERATOR, {"50000"}},
    {SQL_order_now_find_by_number, AS_OPERATOR, {"#1", "PO-50000"}},
    {SQL_order_now_list, AS_OPERATOR, {EVER, "#0", "#0", "#100"}},
    {SQL_order_now_list, AS_OPERATOR, {EVER, "#7", "#7", "#100"}},
    {SQL_order_now_list, AS_OPERATOR, {FUTURE, "#0", "#0", "#100"}},
    {SQL_order_now_list_in_state, AS_OPERATOR, {IN_STATE("PENDIENTE", EVER, "#0")}},
    {SQL_order_now_list_in_state, AS_OPERATOR, {IN_STATE("APROBADA", EVER, "#0")}},
    {SQL_order_now_list_in_state, AS_OPERATOR, {IN_STATE("VENCIDA", EVER, "#0")}},
    {SQL_order_now_list_in_state, AS_OPERATOR, {IN_STATE("ANULADA", EVER, "#0")}},
    {SQL_order_now_list_in_state, AS_OPERATOR, {IN_STATE("CANCELADA", FUTURE, "#1")}},
    {SQL_notification_find, AS_OPERATOR, {"#50005"}},
    {SQL_notification_find_by_webhook_id, AS_OPERATOR, {"ntf_00000000000000000000000000000000"}},
    {SQL_notification_of_order, AS_OPERATOR, {"#50005"}},
    {SQL_notification_list, AS_OPERATOR, {"#100"}},
    {SQL_notification_list_of_merchant, AS_OPERATOR, {"#6", "#100"}},
    {SQL_notification_list_in_state, AS_OPERATOR, {"delivered", "#100"}},
    {SQL_notification_list_in_state, AS_OPERATOR, {"unaddressed", "#100"}},
    {SQL_notification_list_of_merchant_in_state, AS_OPERATOR, {"delivered", "#5", "#100"}},
    {SQL_notification_list_of_merchant_in_state, AS_OPERATOR, {"exhausted", "#8", "#100"}},
    {SQL_attempt_of_notification, AS_OPERATOR, {"#50005"}},
    {SQL_attempt_of_order, AS_OPERATOR, {"#50005"}},
    {SQL_retry_find, AS_OPERATOR, {"exhausted", "#8", EVER, EVER}},
    {SQL_retry_find, AS_OPERATOR, {"pending", "#6", EVER, EVER}},
    {SQL_retry_find, AS_OPERATOR, {"delivered", "#5", FUTURE, FUTURE}},
    {SQL_retry_look, AS_OPERATOR | AS_CONSOLE, {"[50005,51007]"}},
    {SQL_retry_write, AS_OPERATOR, {RETRIES, RETRIES, "-", "test"}},
    {SQL_health_due, AS_OPERATOR, {NULL}},
    {SQL_health_counts, AS_OPERATOR, {"#1000000", "#1000000", "#1000000"}},
    {SQL_health_windows, AS_OPERATOR, {NULL}},
    {SQL_health_expiries, AS_OPERATOR, {NULL}},
    {SQL_health_resting, AS_OPERATOR, {NULL}},
    {SQL_health_refusing, AS_OPERATOR, {"#900000000"}},
    {SQL_health_dispatchers, AS_OPERATOR, {NULL}},
    {SQL_health_heartbeat, AS_WORKER, {NULL}},
    {SQL_health_write, AS_WORKER | AS_OPERATOR, {NULL}},
    {SQL_health_backup, AS_WORKER | AS_OPERATOR, {NULL}},
    {SQL_measure_due, AS_WORKER, {NULL}},
    {SQL_measure_due_count, AS_WORKER, {"#1", "#200"}},
    {SQL_measure_endpoints, AS_WORKER, {NULL}},
    {SQL_measure_resting, AS_WORKER, {"#100"}},
    {SQL_measure_exhausted, AS_WORKER, {"#1000"}},
    {SQL_measure_windows, AS_WORKER, {"#1000"}},
    {SQL_measure_expiries, AS_WORKER, {"#1000"}},
    {SQL_measure_totals, AS_WORKER, {NULL}},
    {SQL_settlement_find, AS_OPERATOR | AS_DISPATCHER, {"#1"}},
    {SQL_settlement_find_open, AS_OPERATOR | AS_DISPATCHER, {NULL}},
    {SQL_settlement_find_day, AS_OPERATOR, {"UTC", "2026-01-01"}},
    {SQL_settlement_list, AS_OPERATOR, {"#100"}},
    {SQL_settlement_items, AS_OPERATOR | AS_DISPATCHER, {"#1", "#1", "#1", "#0", "#0"}},
    {SQL_settlement_page, AS_OPERATOR | AS_DISPATCHER, {"#1", EVER, EVER, "#1", "#1", "#1", "#100"}},
    {SQL_closing_collect, AS_OPERATOR | AS_DISPATCHER, {"#100"}},
    {SQL_closing_close, AS_OPERATOR | AS_DISPATCHER, {"#1", "test", "2026-01-01", "UTC", EVER}},
    {SQL_closing_unsummed, AS_OPERATOR | AS_DISPATCHER, {NULL}},
    {SQL_settlement_delay, AS_OPERATOR | AS_WORKER, {NULL}},
    {SQL_settlement_of_day, AS_OPERATOR | AS_WORKER, {"UTC", "2026-01-01"}},
    {SQL_closing_sum, AS_OPERATOR | AS_DISPATCHER, {"#1", "#1", "#1", "#1", HEX_64}},
    {SQL_settlement_now, AS_OPERATOR | AS_DISPATCHER, {NULL}},
    {SQL_settlement_zone, AS_OPERATOR, {"#1"}},
    {SQL_settlement_settled, AS_OPERATOR, {EVER, A_YEAR_AFTER, "#1", "#1", "#0", "#0", "#1", "#1"}},
    {SQL_settlement_settled, AS_OPERATOR, {EVER, A_YEAR_AFTER, "#0", "#0", "#1", "#1", "#0", "#0"}},
    {SQL_settlement_refunds, AS_OPERATOR, {EVER, A_YEAR_AFTER, "#0", "#0", "#0", "#0", "#1", "#1"}},
    {SQL_purge_find_attempts, AS_OPERATOR | AS_DISPATCHER, {FUTURE, "#50000", "#100"}},
    {SQL_purge_find_queries, AS_OPERATOR | AS_DISPATCHER, {FUTURE, "#50000", "#100"}},
    {SQL_purge_find_transactions, AS_OPERATOR | AS_DISPATCHER, {FUTURE, "#50000", "#100"}},
    {SQL_purge_find_orders, AS_OPERATOR | AS_DISPATCHER, {FUTURE, "#50000", "#100"}},
    {SQL_purge_attempts, AS_OPERATOR | AS_DISPATCHER, {"[50005,50008]", "test", "test"}},
    {SQL_purge_queries, AS_OPERATOR | AS_DISPATCHER, {"[50005,50008]", "test", "test"}},
    {SQL_purge_transactions, AS_OPERATOR | AS_DISPATCHER, {"[50002,51008]", "test"}},
    {SQL_purge_orders, AS_OPERATOR | AS_DISPATCHER, {"[50002,51008]", "test"}},
    {SQL_retention_find, AS_DISPATCHER, {"orders"}},
    {SQL_retention_begin, AS_DISPATCHER, {FUTURE, "orders", EVER}},
    {SQL_retention_advance, AS_DISPATCHER, {"#5", "#1", "#0", "orders", EVER, "#0"}},
    {SQL_seal_last, AS_OPERATOR | AS_DISPATCHER, {NULL}},
    {SQL_seal_find, AS_OPERATOR | AS_DISPATCHER, {"#1"}},
    {SQL_seal_after, AS_OPERATOR, {"#0", "#100"}},
    {SQL_seal_list, AS_OPERATOR, {"#100"}},
    {SQL_seal_with_late, AS_OPERATOR | AS_DISPATCHER, {"#0"}},
    {SQL_seal_made_after, AS_DISPATCHER, {EVER_TEXT, EVER_TEXT, "#0", "#100"}},
    {SQL_seal_made_within, AS_DISPATCHER, {EVER_TEXT, "#60", EVER_TEXT, "#60", "#0", "#100"}},
    {SQL_seal_clock, AS_OPERATOR | AS_DISPATCHER, {"#50000"}},
    {SQL_seal_append,
     AS_DISPATCHER,
     {"#1", "#1", "2999-01-01 00:00:00.000000", "#1", "#9", "#9", "", HEX_64, HEX_64, "-", "-", "x"}},
    {SQL_seal_hold_note, AS_DISPATCHER, {"host"}},
    {SQL_seal_unsealed_since, AS_OPERATOR, {"#50000"}},
    {SQL_seal_held, AS_OPERATOR | AS_WORKER | AS_CONSOLE, {NULL}},
    {SQL_seal_log_is_gone, AS_OPERATOR, {NULL}},
    {SQL_measure_seals, AS_WORKER | AS_CONSOLE, {NULL}},
    {SQL_seal_events, AS_OPERATOR | AS_DISPATCHER, {"#10", "#50000", "#60000", "#1000"}},
    {SQL_seal_events_among, AS_OPERATOR | AS_DISPATCHER, {"[50005,50008]"}},
    {SQL_seal_count_events, AS_OPERATOR | AS_DISPATCHER, {"#50000", "#51000"}},
    {SQL_seal_event_ids, AS_DISPATCHER, {"#50000", "#51000"}},
    {SQL_transaction_now_find, AS_OPERATOR, {"large-1", "TX-50000"}},
    {SQL_transaction_now_of_order, AS_OPERATOR, {"#50000"}},
    {SQL_transaction_now_list, AS_OPERATOR, {EVER, "#0", "#0", "", "", "#100"}},
    {SQL_transaction_now_list, AS_OPERATOR, {EVER, "#0", "#0", "CANCELADA", "CANCELADA", "#100"}},
    {SQL_transaction_now_list, AS_OPERATOR, {FUTURE, "#1", "#1", "FINALIZADA", "FINALIZADA", "#100"}},

    {SQL_console_operation_of_settlement,
     AS_CONSOLE,
     {"#1", EVER, EVER, "#1", "#1", "#1", "#0", "#0", "#0", "#0", "#1", "#0"}},
    {SQL_console_operation_of_settlement,
     AS_CONSOLE,
     {"#1", EVER, EVER, "#1", "#1", "#1", "#0", "#0", "#7", "#7", "#0", "#7"}},
    {SQL_console_operation_settled, AS_CONSOLE, {EVER, FUTURE, EVER, "#1", "#0", "#0", "#0", "#0", "#1", "#0"}},
    {SQL_console_operation_settled, AS_CONSOLE, {EVER, FUTURE, EVER, "#1", "#1", "#1", "#0", "#0", "#0", "#7"}},
    {SQL_console_operation_refunded, AS_CONSOLE, {EVER, FUTURE, EVER, "#1", "#0", "#0", "#0", "#0", "#1", "#0"}},
    {SQL_console_order_find, AS_CONSOLE, {"#50000", "#1", "#0"}},
    {SQL_console_order_find, AS_CONSOLE, {"#50000", "#0", "#1"}},
    {SQL_console_order_by_reference, AS_CONSOLE, {"50000", "#1", "#0"}},
    {SQL_console_order_by_reference, AS_CONSOLE, {"50000", "#0", "#1"}},
    {SQL_console_order_by_document, AS_CONSOLE, {"D50000", "#1", "#0"}},
    {SQL_console_order_by_document, AS_CONSOLE, {"D50000", "#0", "#1"}},
    {SQL_console_order_by_token, AS_CONSOLE, {"00000000000000000000000000050000", "#1", "#0"}},
    {SQL_console_order_by_token, AS_CONSOLE, {"00000000000000000000000000050000", "#0", "#1"}},
    {SQL_console_order_by_webhook_id, AS_CONSOLE, {"ntf_00000000000000000000000000000000", "#1", "#0"}},
    {SQL_console_order_by_webhook_id, AS_CONSOLE, {"ntf_00000000000000000000000000000000", "#0", "#1"}},
    {SQL_console_order_by_po_id, AS_CONSOLE, {"#0", "#1", "#0", "PO-50000"}},
    {SQL_console_order_by_po_id, AS_CONSOLE, {"#0", "#0", "#1", "PO-50000"}},
    {SQL_console_order_list, AS_CONSOLE, {"#18446744073709551615", "#1", "#0"}},
    {SQL_console_order_list, AS_CONSOLE, {"#18446744073709551615", "#0", "#1"}},
    {SQL_console_order_list_of_merchant, AS_CONSOLE, {"#7", "#18446744073709551615", "#1", "#0"}},
    {SQL_console_order_list_of_merchant, AS_CONSOLE, {"#7", "#18446744073709551615", "#0", "#7"}},
    {SQL_console_order_at, AS_CONSOLE, {"#50000", "#1", "#0"}},
    {SQL_console_order_at, AS_CONSOLE, {"#50000", "#0", "#1"}},
    {SQL_console_order_of_merchant_at, AS_CONSOLE, {"#7", "#50000", "#1", "#0"}},
    {SQL_console_order_of_merchant_at, AS_CONSOLE, {"#7", "#50000", "#0", "#7"}},
    {SQL_console_transaction_find, AS_CONSOLE, {"#50000", "#1", "#0"}},
    {SQL_console_transaction_find, AS_CONSOLE, {"#50000", "#0", "#1"}},
    {SQL_console_transaction_by_network_id, AS_CONSOLE, {"#0", "TX-50000", "#1", "#0"}},
    {SQL_console_transaction_by_network_id, AS_CONSOLE, {"#0", "TX-50000", "#0", "#1"}},
    {SQL_console_transaction_of_document, AS_CONSOLE, {"D95000", "#1", "#0"}},
    {SQL_console_transaction_of_document, AS_CONSOLE, {"D95000", "#0", "#1"}},
    {SQL_console_transaction_of_order, AS_CONSOLE, {"#50000", "#1", "#0"}},
    {SQL_console_transaction_of_order, AS_CONSOLE, {"#50000", "#0", "#1"}},
    {SQL_console_transaction_list, AS_CONSOLE, {"#18446744073709551615", "#1", "#0"}},
    {SQL_console_transaction_list, AS_CONSOLE, {"#18446744073709551615", "#0", "#1"}},
    {SQL_console_transaction_list_of_merchant, AS_CONSOLE, {"#7", "#18446744073709551615", "#1", "#0"}},
    {SQL_console_transaction_list_of_merchant, AS_CONSOLE, {"#7", "#18446744073709551615", "#0", "#7"}},
    {SQL_console_transaction_at, AS_CONSOLE, {"#50000", "#1", "#0"}},
    {SQL_console_transaction_at, AS_CONSOLE, {"#50000", "#0", "#1"}},
    {SQL_console_notification_find, AS_CONSOLE, {"#50005", "#1", "#0"}},
    {SQL_console_notification_find, AS_CONSOLE, {"#50005", "#0", "#1"}},
    {SQL_console_notification_of_order, AS_CONSOLE, {"#50005", "#1", "#0"}},
    {SQL_console_notification_of_order, AS_CONSOLE, {"#50005", "#0", "#1"}},
    {SQL_console_attempt_of_order, AS_CONSOLE, {"#50005", "#1", "#0"}},
    {SQL_console_attempt_of_order, AS_CONSOLE, {"#50005", "#0", "#1"}},
    {SQL_console_attempt_of_merchant, AS_CONSOLE, {"#7", "#1", "#0"}},
    {SQL_console_attempt_of_merchant, AS_CONSOLE, {"#7", "#0", "#7"}},
    {SQL_console_notification_list, AS_CONSOLE, {"#18446744073709551615", "#1", "#0"}},
    {SQL_console_notification_list, AS_CONSOLE, {"#18446744073709551615", "#0", "#1"}},
    {SQL_console_notification_list_of_merchant,
     AS_CONSOLE,
     {"#7", FUTURE, FUTURE, "#18446744073709551615", "#1", "#0"}},
    {SQL_console_notification_list_of_merchant,
     AS_CONSOLE,
     {"#7", FUTURE, FUTURE, "#18446744073709551615", "#0", "#7"}},
    {SQL_console_notification_list_in_state,
     AS_CONSOLE,
     {"delivered", FUTURE, FUTURE, "#18446744073709551615", "#1", "#0"}},
    {SQL_console_notification_list_in_state,
     AS_CONSOLE,
     {"delivered", FUTURE, FUTURE, "#18446744073709551615", "#0", "#1"}},
    {SQL_console_notification_list_in_state,
     AS_CONSOLE,
     {"unaddressed", FUTURE, FUTURE, "#18446744073709551615", "#1", "#0"}},
    {SQL_console_notification_list_of_merchant_in_state,
     AS_CONSOLE,
     {"delivered", "#5", FUTURE, FUTURE, "#18446744073709551615", "#1", "#0"}},
    {SQL_console_notification_list_of_merchant_in_state,
     AS_CONSOLE,
     {"delivered", "#5", FUTURE, FUTURE, "#18446744073709551615", "#0", "#5"}},
    {SQL_console_notification_list_of_merchant_in_state,
     AS_CONSOLE,
     {"exhausted", "#8", FUTURE, FUTURE, "#18446744073709551615", "#1", "#0"}},
    {SQL_console_notification_at, AS_CONSOLE, {"#50000", "#1", "#0"}},
    {SQL_console_notification_at, AS_CONSOLE, {"#50000", "#0", "#1"}},
    {SQL_console_query_of_order, AS_CONSOLE, {"#50010", "#1", "#0"}},
    {SQL_console_query_of_order, AS_CONSOLE, {"#50010", "#0", "#1"}},
    {SQL_console_query_of_merchant, AS_CONSOLE, {"#7", "#1", "#0"}},
    {SQL_console_query_of_merchant, AS_CONSOLE, {"#7", "#0", "#7"}},
    {SQL_console_event_of_order, AS_CONSOLE, {"#50000", "#1", "#0", "#50000", "#1", "#0"}},
    {SQL_console_event_of_order, AS_CONSOLE, {"#50000", "#0", "#1", "#50000", "#0", "#1"}},
    {SQL_console_event_of_notifications, AS_CONSOLE, {"#50005", "#1", "#0"}},
    {SQL_console_event_of_notifications, AS_CONSOLE, {"#50005", "#0", "#1"}},
    {SQL_console_event_list, AS_CONSOLE, {"#18446744073709551615", "#1", "#0"}},
    {SQL_console_event_list, AS_CONSOLE, {"#18446744073709551615", "#0", "#1"}},
    {SQL_console_event_list_of_subject,
     AS_CONSOLE,
     {"order", "#50000", "#18446744073709551615", "#1", "#0", "order", "#50000", "#18446744073709551615", "#1", "#0"}},
    {SQL_console_event_list_of_subject,
     AS_CONSOLE,
     {"merchant", "#7", "#18446744073709551615", "#1", "#0", "merchant", "#7", "#18446744073709551615", "#1", "#0"}},
    {SQL_console_event_list_of_subject,
     AS_CONSOLE,
     {"merchant", "#7", "#18446744073709551615", "#0", "#7", "merchant", "#7", "#18446744073709551615", "#0", "#7"}},
    {SQL_console_event_at, AS_CONSOLE, {"#50000", "#1", "#0"}},
    {SQL_console_event_at, AS_CONSOLE, {"#50000", "#0", "#1"}},
    {SQL_console_merchant_find, AS_CONSOLE, {"#7", "#1", "#0"}},
    {SQL_console_merchant_find, AS_CONSOLE, {"#7", "#0", "#7"}},
    {SQL_console_merchant_list, AS_CONSOLE, {"", "#1", "#0"}},
    {SQL_console_merchant_list, AS_CONSOLE, {"", "#0", "#7"}},
    {SQL_console_network_find, AS_CONSOLE, {"#7", "#1", "#0"}},
    {SQL_console_network_find, AS_CONSOLE, {"#7", "#0", "#1"}},
    {SQL_console_network_list, AS_CONSOLE, {"", "#1", "#0"}},
    {SQL_console_network_list, AS_CONSOLE, {"", "#0", "#1"}},

    {SQL_console_user_find, AS_OPERATOR | AS_CONSOLE, {"ana"}},
    {SQL_console_user_list, AS_OPERATOR | AS_CONSOLE, {NULL}},
    {SQL_console_user_insert, AS_OPERATOR, {"ana", "viewer", "-", "test"}},
    {SQL_console_user_set, AS_OPERATOR, {"support", "-", "test", "ana", "support", "#0"}},
    {SQL_console_user_set_enabled, AS_OPERATOR, {"#0", "test", "ana", "#0"}},
    {SQL_console_key_read, AS_CONSOLE, {NULL}},
    {SQL_console_claim, AS_CONSOLE, {"#1", "#50002", "test"}},
    {SQL_console_seen, AS_CONSOLE, {"network", "#3"}},
    {SQL_console_enable, AS_CONSOLE, {"#1", "network", "#3", "#0", "#1", "test"}},
    {SQL_console_limit_begin, AS_CONSOLE, {"#1", "#1", "COP"}},
    {SQL_console_limit_set, AS_CONSOLE, {"#1", "#1", "COP", "5", "-", "#1", "test"}},
    {SQL_console_test_ask, AS_CONSOLE, {"#1", "#7", "-", "test"}},
    {SQL_console_test_find, AS_CONSOLE, {"#7", "#1", "#0"}},
    {SQL_console_test_find, AS_CONSOLE, {"#7", "#0", "#7"}},
    {SQL_console_retry, AS_CONSOLE, {"#1", RETRIES, RETRIES, "test"}},
    {SQL_endpoint_test_find, AS_DELIVERER, {NULL}},
    {SQL_endpoint_test_take, AS_DELIVERER, {"#7", FUTURE}},
    {SQL_endpoint_test_record,
     AS_DELIVERER,
     {"#5000", "https://merchant.example/n", "127.0.0.1", "#200", "acknowledged", "OK", "#7", FUTURE}},
};

const size_t STATEMENT_CASE_COUNT = COUNT_OF(STATEMENT_CASES);

bool statement_case_has(const struct statement_case *of, enum db_account account) {
    static const unsigned SETS[ACCOUNT_COUNT] = {AS_OWNER,    AS_WORKER, AS_DISPATCHER, AS_DELIVERER,
                                                 AS_OPERATOR, 0,         AS_CONSOLE};
    return (of->accounts & SETS[account]) != 0;
}

struct value {
    uint64_t number;
    MYSQL_TIME time;
};

static void bind_value(const char *text, struct value *value, MYSQL_BIND *bind) {
    bind->buffer_type = MYSQL_TYPE_STRING;
    bind->buffer = (void *)(uintptr_t)text;
    bind->buffer_length = strlen(text);
    if (text[0] == '#') {
        ck_assert(text_to_number(text_of(text + 1), &value->number));
        bind->buffer_type = MYSQL_TYPE_LONGLONG;
        bind->buffer = &value->number;
        bind->is_unsigned = 1;
    } else if (text[0] == '@') {
        MYSQL_TIME *time = &value->time;
        time->time_type = MYSQL_TIMESTAMP_DATETIME;
        ck_assert_int_eq(sscanf(text, "@%u-%u-%u %u:%u:%u", &time->year, &time->month, &time->day, &time->hour,
                                &time->minute, &time->second),
                         6);
        bind->buffer_type = MYSQL_TYPE_DATETIME;
        bind->buffer = time;
    } else if (strcmp(text, "-") == 0) {
        bind->buffer_type = MYSQL_TYPE_NULL;
    }
}

static size_t count_values(const struct statement_case *of) {
    size_t count = 0;
    while (count < CASE_VALUES_MAX && of->values[count] != NULL) {
        count++;
    }
    return count;
}

MYSQL_STMT *statement_case_run(MYSQL *mysql, const char *before, const struct statement_case *of) {
    struct value values[CASE_VALUES_MAX] = {0};
    MYSQL_BIND binds[CASE_VALUES_MAX] = {0};
    const char *name = sql_statement_name(of->statement);
    const char *sql = sql_statement_text(of->statement);
    size_t settings = text_begins(text_of(sql), TEXT("SET STATEMENT ")) ? (size_t)(strstr(sql, " FOR ") + 5 - sql) : 0;
    struct text text = arena_print(arena, "%.*s%s%s", (int)settings, sql, before, sql + settings);
    MYSQL_STMT *statement = mysql_stmt_init(mysql);
    if (mysql_stmt_prepare(statement, text.at, text.size) != 0) {
        return statement;
    }
    ck_assert_msg(mysql_stmt_param_count(statement) == count_values(of), "%s: wrong number of values", name);
    for (size_t i = 0; i < count_values(of); i++) {
        bind_value(of->values[i], &values[i], &binds[i]);
    }
    if (count_values(of) == 0 || mysql_stmt_bind_param(statement, binds) == 0) {
        mysql_stmt_execute(statement);
    }
    return statement;
}
