/* The store tests: one file per subject, each with one test case, which main.c runs. All need a database
 * (database.h). */
#ifndef RECAUDO_TESTS_STORE_STORE_H
#define RECAUDO_TESTS_STORE_STORE_H

#include "database.h"
#include "samples.h"

#define SUBJECTS(X)                                                                                                    \
    X(schema)                                                                                                          \
    X(connection)                                                                                                      \
    X(statements)                                                                                                      \
    X(scans)                                                                                                           \
    X(grants)                                                                                                          \
    X(rights)                                                                                                          \
    X(states)                                                                                                          \
    X(events)                                                                                                          \
    X(guards)                                                                                                          \
    X(kept)                                                                                                            \
    X(locks)                                                                                                           \
    X(parties)                                                                                                         \
    X(actors)                                                                                                          \
    X(seals)                                                                                                           \
    X(measures)                                                                                                        \
    X(instants)                                                                                                        \
    X(clock)                                                                                                           \
    X(constraints)                                                                                                     \
    X(rows)                                                                                                            \
    X(compared)                                                                                                        \
    X(payables)                                                                                                        \
    X(registrations)                                                                                                   \
    X(rules)                                                                                                           \
    X(money_limits)                                                                                                    \
    X(portions)                                                                                                        \
    X(transactions)                                                                                                    \
    X(shared_changes)                                                                                                  \
    X(windows)                                                                                                         \
    X(approvals)                                                                                                       \
    X(claims)                                                                                                          \
    X(answers)                                                                                                         \
    X(purges)                                                                                                          \
    X(retention)                                                                                                       \
    X(purgeable)                                                                                                       \
    X(payment_counts)                                                                                                  \
    X(refusals)                                                                                                        \
    X(settlements)                                                                                                     \
    X(settlement_rows)                                                                                                 \
    X(closings)                                                                                                        \
    X(expiry)                                                                                                          \
    X(orders)                                                                                                          \
    X(porders)                                                                                                         \
    X(references)                                                                                                      \
    X(slips)                                                                                                           \
    X(withdrawals)                                                                                                     \
    X(offers)                                                                                                          \
    X(operator)                                                                                                        \
    X(console_actions)                                                                                                 \
    X(console_reads)                                                                                                   \
    X(console_finds)                                                                                                   \
    X(console_lists)                                                                                                   \
    X(console_parties)                                                                                                 \
    X(console_pages)                                                                                                   \
    X(endpoints)                                                                                                       \
    X(health)                                                                                                          \
    X(programs_seen)                                                                                                   \
    X(operator_lists)                                                                                                  \
    X(party_changes)                                                                                                   \
    X(secrets)                                                                                                         \
    X(reference_lists)                                                                                                 \
    X(notification_lists)                                                                                              \
    X(monitoring)                                                                                                      \
    X(deliveries)                                                                                                      \
    X(retries)                                                                                                         \
    X(views)                                                                                                           \
    X(saved_triggers)                                                                                                  \
    X(transact)                                                                                                        \
    X(pool)                                                                                                            \
    X(outage)                                                                                                          \
    X(loop)                                                                                                            \
    X(attempts)

#define X(subject) TCase *subject##_tests(void);
SUBJECTS(X)
#undef X

#endif
