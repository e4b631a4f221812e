/*
 * Every SQL statement of the program by name. The text of `name` is the constant sql_text_of_name in the file that runs
 * it; nothing is ever put together at run time, so the tests can prepare and explain each of them on a fresh schema.
 */
#ifndef RECAUDO_STORE_DB_STATEMENTS_H
#define RECAUDO_STORE_DB_STATEMENTS_H

#define STATEMENTS(X)                                                                                                  \
    X(schema_version)                                                                                                  \
    X(schema_exists)                                                                                                   \
    X(migration_lock)                                                                                                  \
    X(migration_list)                                                                                                  \
    X(migration_begin)                                                                                                 \
    X(migration_end)                                                                                                   \
    X(database_settings)                                                                                               \
    X(settings_write)                                                                                                  \
    X(grants_surplus)                                                                                                  \
    X(id_counter_list)                                                                                                 \
    X(network_find)                                                                                                    \
    X(merchant_find)                                                                                                   \
    X(old_secret_note)                                                                                                 \
    X(merchant_find_commerce)                                                                                          \
    X(payable_open)                                                                                                    \
    X(payable_find)                                                                                                    \
    X(payable_closed)                                                                                                  \
    X(registration_find)                                                                                               \
    X(integration_read)                                                                                                \
    X(integration_insert)                                                                                              \
    X(integration_list)                                                                                                \
    X(integration_describe)                                                                                            \
    X(integration_remove)                                                                                              \
    X(query_insert)                                                                                                    \
    X(query_list)                                                                                                      \
    X(query_list_of_merchant)                                                                                          \
    X(query_list_of_reference)                                                                                         \
    X(query_find)                                                                                                      \
    X(offer_find)                                                                                                      \
    X(offer_insert)                                                                                                    \
    X(offer_refresh)                                                                                                   \
    X(registration_insert)                                                                                             \
    X(transaction_insert)                                                                                              \
    X(confirmation_find)                                                                                               \
    X(confirm_order)                                                                                                   \
    X(confirm_top_up)                                                                                                  \
    X(payment_cancel)                                                                                                  \
    X(window_finalise_orders)                                                                                          \
    X(window_finalise_order)                                                                                           \
    X(window_finalise_order_nowait)                                                                                    \
    X(window_finalise_top_ups)                                                                                         \
    X(money_limit_list)                                                                                                \
    X(money_limit_begin)                                                                                               \
    X(money_limit_settle)                                                                                              \
    X(money_limit_set)                                                                                                 \
    X(money_limit_remit)                                                                                               \
    X(health_without_room)                                                                                             \
    X(order_claim)                                                                                                     \
    X(expiry_write)                                                                                                    \
    X(work_next)                                                                                                       \
    X(delivery_next)                                                                                                   \
    X(delivery_merchants)                                                                                              \
    X(delivery_find_due)                                                                                               \
    X(delivery_lease)                                                                                                  \
    X(delivery_read)                                                                                                   \
    X(delivery_attempts)                                                                                               \
    X(delivery_outcomes)                                                                                               \
    X(stuck_count)                                                                                                     \
    X(stuck_find)                                                                                                      \
    X(stuck_release)                                                                                                   \
    X(delivery_successors)                                                                                             \
    X(endpoint_failed)                                                                                                 \
    X(endpoint_well)                                                                                                   \
    X(dispatcher_begin)                                                                                                \
    X(dispatcher_forget)                                                                                               \
    X(dispatcher_beat)                                                                                                 \
    X(dispatcher_add)                                                                                                  \
    X(dispatcher_end)                                                                                                  \
    X(country_find)                                                                                                    \
    X(porder_insert)                                                                                                   \
    X(porder_clock)                                                                                                    \
    X(porder_find)                                                                                                     \
    X(porder_outcome)                                                                                                  \
    X(porder_change)                                                                                                   \
    X(order_cancel)                                                                                                    \
    X(porder_refund)                                                                                                   \
    X(slip_find)                                                                                                       \
    X(country_list)                                                                                                    \
    X(currency_list)                                                                                                   \
    X(currency_set_query_code)                                                                                         \
    X(network_describe)                                                                                                \
    X(network_list)                                                                                                    \
    X(network_insert)                                                                                                  \
    X(network_set_enabled)                                                                                             \
    X(network_rotate)                                                                                                  \
    X(network_end_old_secret)                                                                                          \
    X(network_set_access)                                                                                              \
    X(merchant_describe)                                                                                               \
    X(merchant_find_target)                                                                                            \
    X(merchant_list)                                                                                                   \
    X(merchant_insert)                                                                                                 \
    X(merchant_change)                                                                                                 \
    X(merchant_set_enabled)                                                                                            \
    X(merchant_rotate)                                                                                                 \
    X(merchant_rotate_notification)                                                                                    \
    X(merchant_end_old_secret)                                                                                         \
    X(merchant_end_old_notification_secret)                                                                            \
    X(sealed_networks)                                                                                                 \
    X(sealed_merchants)                                                                                                \
    X(sealed_merchant_logins)                                                                                          \
    X(sealed_network_replace)                                                                                          \
    X(sealed_merchant_replace)                                                                                         \
    X(account_describe)                                                                                                \
    X(account_list)                                                                                                    \
    X(reference_anothers)                                                                                              \
    X(reference_describe)                                                                                              \
    X(reference_prefix_list)                                                                                           \
    X(reference_others)                                                                                                \
    X(reference_prefix_insert)                                                                                         \
    X(reference_prefix_mark)                                                                                           \
    X(reference_prefix_delete)                                                                                         \
    X(reference_quarantine)                                                                                            \
    X(account_insert)                                                                                                  \
    X(account_movements)                                                                                               \
    X(event_list)                                                                                                      \
    X(order_insert)                                                                                                    \
    X(order_batch_look)                                                                                                \
    X(order_batch_insert)                                                                                              \
    X(order_now_find)                                                                                                  \
    X(order_now_find_by_reference)                                                                                     \
    X(order_now_find_by_number)                                                                                        \
    X(order_now_list)                                                                                                  \
    X(order_now_list_in_state)                                                                                         \
    X(notification_find)                                                                                               \
    X(notification_find_by_webhook_id)                                                                                 \
    X(notification_of_order)                                                                                           \
    X(notification_list)                                                                                               \
    X(notification_list_of_merchant)                                                                                   \
    X(notification_list_in_state)                                                                                      \
    X(notification_list_of_merchant_in_state)                                                                          \
    X(attempt_of_notification)                                                                                         \
    X(attempt_of_order)                                                                                                \
    X(retry_find)                                                                                                      \
    X(retry_look)                                                                                                      \
    X(retry_write)                                                                                                     \
    X(health_due)                                                                                                      \
    X(health_counts)                                                                                                   \
    X(health_windows)                                                                                                  \
    X(health_expiries)                                                                                                 \
    X(health_resting)                                                                                                  \
    X(health_dispatchers)                                                                                              \
    X(health_heartbeat)                                                                                                \
    X(measure_due)                                                                                                     \
    X(measure_due_count)                                                                                               \
    X(measure_endpoints)                                                                                               \
    X(measure_resting)                                                                                                 \
    X(measure_exhausted)                                                                                               \
    X(measure_windows)                                                                                                 \
    X(measure_expiries)                                                                                                \
    X(measure_totals)                                                                                                  \
    X(settlement_find)                                                                                                 \
    X(settlement_find_open)                                                                                            \
    X(settlement_find_day)                                                                                             \
    X(settlement_list)                                                                                                 \
    X(settlement_items)                                                                                                \
    X(settlement_page)                                                                                                 \
    X(closing_collect)                                                                                                 \
    X(closing_close)                                                                                                   \
    X(closing_unsummed)                                                                                                \
    X(settlement_delay)                                                                                                \
    X(settlement_of_day)                                                                                               \
    X(closing_sum)                                                                                                     \
    X(settlement_now)                                                                                                  \
    X(settlement_zone)                                                                                                 \
    X(settlement_settled)                                                                                              \
    X(settlement_refunds)                                                                                              \
    X(purge_find_attempts)                                                                                             \
    X(purge_find_queries)                                                                                              \
    X(purge_find_transactions)                                                                                         \
    X(purge_find_orders)                                                                                               \
    X(purge_attempts)                                                                                                  \
    X(purge_queries)                                                                                                   \
    X(purge_transactions)                                                                                              \
    X(purge_orders)                                                                                                    \
    X(retention_find)                                                                                                  \
    X(retention_begin)                                                                                                 \
    X(retention_advance)                                                                                               \
    X(transaction_now_find)                                                                                            \
    X(transaction_now_of_order)                                                                                        \
    X(transaction_now_list)

enum statement {
#define X(name) SQL_##name,
    STATEMENTS(X)
#undef X
        STATEMENT_COUNT
};

#define X(name) extern const char sql_text_of_##name[];
STATEMENTS(X)
#undef X

/* The statement's text and its name. */
const char *sql_statement_text(enum statement statement);
const char *sql_statement_name(enum statement statement);

#endif
