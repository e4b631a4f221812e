/* Words of the first page's pictures. */
#ifndef RECAUDO_CONSOLE_CORE_TEXTS_NOW_H
#define RECAUDO_CONSOLE_CORE_TEXTS_NOW_H

#define NOW_TEXTS(X)                                                                                                   \
    X(BY_MINUTE, "Pagos por minuto, última hora", "Payments per minute, last hour")                                    \
    X(BY_HOUR, "Pagos por hora, últimos tres días", "Payments per hour, last three days")                              \
    X(NO_PAYMENTS, "No hubo pagos en este tiempo.", "There were no payments in this time.")                            \
    X(PEAK, "máximo", "most")                                                                                          \
    X(OTHER_CURRENCIES, "otras monedas", "other currencies")                                                           \
    X(AS_TABLE, "Como tabla", "As a table")                                                                            \
    X(CONFIRMED_COUNT, "Confirmados", "Confirmed")                                                                     \
    X(REFUSALS, "Rechazos por código", "Refusals by code")                                                             \
    X(MEANING, "Significado", "Meaning")                                                                               \
    X(LAST_HOURS, "Esta hora y la anterior", "This hour and the one before")                                           \
    X(LAST_DAY, "Últimas 24 horas", "Last 24 hours")                                                                   \
    X(DISPATCHERS, "Dispatchers del último día", "Dispatchers of the last day")                                        \
    X(HOST, "Servidor", "Host")                                                                                        \
    X(LAST_SEEN, "Visto por última vez", "Last seen")                                                                  \
    X(SETTLING, "Que cierran pagos", "Settling")                                                                       \
    X(DELIVERING, "Que notifican", "Delivering")                                                                       \
    X(IN_HAND, "En curso", "In hand")                                                                                  \
    X(LAST_SETTLEMENT, "Última conciliación", "Last settlement")

#endif
