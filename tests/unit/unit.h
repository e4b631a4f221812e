/* The unit tests: one file per module, each with one test case, which main.c runs. */
#ifndef RECAUDO_TESTS_UNIT_UNIT_H
#define RECAUDO_TESTS_UNIT_UNIT_H

#include "assert_text.h"
#include "files.h"

#define MODULES(X)                                                                                                     \
    X(text)                                                                                                            \
    X(hex)                                                                                                             \
    X(arena)                                                                                                           \
    X(log)                                                                                                             \
    X(log_writer)                                                                                                      \
    X(hosts)                                                                                                           \
    X(config)                                                                                                          \
    X(core_dumps)                                                                                                      \
    X(standard_files)                                                                                                  \
    X(confine)                                                                                                         \
    X(unix_listener)                                                                                                   \
    X(zone)                                                                                                            \
    X(money)                                                                                                           \
    X(instant)                                                                                                         \
    X(currency)                                                                                                        \
    X(reference)                                                                                                       \
    X(order)                                                                                                           \
    X(acknowledgement)                                                                                                 \
    X(delivery)                                                                                                        \
    X(retry)                                                                                                           \
    X(settlement)                                                                                                      \
    X(rate)                                                                                                            \
    X(payable)                                                                                                         \
    X(porder)                                                                                                          \
    X(offer)                                                                                                           \
    X(integration)                                                                                                     \
    X(registration)                                                                                                    \
    X(confirmation)                                                                                                    \
    X(secret)                                                                                                          \
    X(without_digests)                                                                                                 \
    X(checksum)                                                                                                        \
    X(digest)                                                                                                          \
    X(certificate)                                                                                                     \
    X(seal_key)                                                                                                        \
    X(key_ring)                                                                                                        \
    X(vault)                                                                                                           \
    X(secret_pair)                                                                                                     \
    X(key_file)                                                                                                        \
    X(key_file_writes)                                                                                                 \
    X(key_file_rereads)                                                                                                \
    X(refusing_libraries)                                                                                              \
    X(fault)                                                                                                           \
    X(field)                                                                                                           \
    X(signature)                                                                                                       \
    X(utf8)                                                                                                            \
    X(json_check)                                                                                                      \
    X(object)                                                                                                          \
    X(uri)                                                                                                             \
    X(words)                                                                                                           \
    X(messages)                                                                                                        \
    X(porder_messages)                                                                                                 \
    X(external_answer)                                                                                                 \
    X(external_query_message)                                                                                          \
    X(nearest)                                                                                                         \
    X(notification_message)                                                                                            \
    X(reply)                                                                                                           \
    X(porder_reply)                                                                                                    \
    X(page)                                                                                                            \
    X(slip)                                                                                                            \
    X(reply_code)                                                                                                      \
    X(exposition)                                                                                                      \
    X(json)                                                                                                            \
    X(cache)                                                                                                           \
    X(address)                                                                                                         \
    X(address_list)                                                                                                    \
    X(external_query)                                                                                                  \
    X(query_limiter)                                                                                                   \
    X(query_message)                                                                                                   \
    X(retry_after)                                                                                                     \
    X(timer)                                                                                                           \
    X(task)                                                                                                            \
    X(inbox)                                                                                                           \
    X(counters)                                                                                                        \
    X(rates)                                                                                                           \
    X(sendings)                                                                                                        \
    X(task_run)                                                                                                        \
    X(exchange)                                                                                                        \
    X(route)                                                                                                           \
    X(zone_day)                                                                                                        \
    X(total)                                                                                                           \
    X(csv_line)                                                                                                        \
    X(multipart)                                                                                                       \
    X(refusals)                                                                                                        \
    X(comparison)                                                                                                      \
    X(layers)

#define X(module) TCase *module##_tests(void);
MODULES(X)
#undef X

/* Returns a new test case, to which the module adds its tests. */
TCase *unit_case(const char *name);

#endif
