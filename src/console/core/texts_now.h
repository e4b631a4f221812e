/* Words of the first page: problems of the service that no other page names, and the charts. */
#ifndef RECAUDO_CONSOLE_CORE_TEXTS_NOW_H
#define RECAUDO_CONSOLE_CORE_TEXTS_NOW_H

#define NOW_TEXTS(X)                                                                                                   \
    X(NOTHING_WRONG, "Nada de lo que esta página vigila requiere atención.",                                           \
      "Nothing that this page watches needs attention.")                                                               \
    X(NOTHING_WRONG_ADVICE, "recaudoctl status vigila más: claves, certificados, relojes, réplicas y cada servidor.",  \
      "recaudoctl status watches more: keys, certificates, clocks, replicas and each host.")                           \
    X(FAULTS, "Hay solicitudes que reciben 0009: un error interno de recaudo.",                                        \
      "Requests are answered 0009: an internal error of recaudo.")                                                     \
    X(FAULTS_ADVICE, "recaudoctl status y journalctl -u recaudo-fcgi dicen qué; como root, recaudoctl config check.",  \
      "recaudoctl status and journalctl -u recaudo-fcgi say what; as root, recaudoctl config check.")                  \
    X(ANSWERS_LATE, "Hay solicitudes que reciben 0028: la base de datos o recaudo-query no responden a tiempo.",       \
      "Requests are answered 0028: the database, or recaudo-query, does not answer in time.")                          \
    X(ANSWERS_LATE_ADVICE, "journalctl -u recaudo-fcgi dice cuál.", "journalctl -u recaudo-fcgi says which.")          \
    X(RELOAD_REFUSED, "Los procesos que atienden pagos rechazaron la última configuración y siguen con la anterior.",  \
      "The workers refused their last reload and go on with the configuration read before.")                           \
    X(RELOAD_REFUSED_ADVICE, "recaudoctl config check dice por qué; después, systemctl reload recaudo-fcgi.",          \
      "recaudoctl config check says why; then systemctl reload recaudo-fcgi.")                                         \
    X(SEALS_HELD, "El registro de eventos no se sella, o sus sellos no se copian.",                                    \
      "The event log is not sealed, or its seals are not copied.")                                                     \
    X(SEALS_HELD_ADVICE, "recaudoctl status y journalctl -u recaudo-settle dicen por qué.",                            \
      "recaudoctl status and journalctl -u recaudo-settle say why.")                                                   \
    X(BACKUP_OLD, "No hay copia de seguridad de las últimas 26 horas.", "There is no backup of the last 26 hours.")    \
    X(BACKUP_OLD_ADVICE, "Revise systemctl status recaudo-backup.timer, journalctl -u recaudo-backup.",                \
      "Look at systemctl status recaudo-backup.timer, journalctl -u recaudo-backup.")                                  \
    X(NETWORK_REFUSED, "Una red es rechazada con 0019 o 0025.", "A network is refused with 0019 or 0025.")             \
    X(NETWORK_REFUSED_ADVICE, "recaudoctl status dice cuál y por qué.", "recaudoctl status says which and why.")       \
    X(LIMIT_REACHED, "Hay confirmaciones rechazadas con 0113: el límite de su red no alcanza.",                        \
      "Confirmations are refused with 0113: their network's limit is too low.")                                        \
    X(LIMIT_NEARLY_USED, "Hay redes que usaron el 80 % o más de un límite.",                                           \
      "Networks have used 80 % or more of a limit.")                                                                   \
    X(LIMIT_ADVICE, "Vea la página Redes; la red tiene el dinero de los clientes.",                                    \
      "See the page Networks; the network has the customers' money.")                                                  \
                                                                                                                       \
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
