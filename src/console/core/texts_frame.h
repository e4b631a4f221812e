/* Words of the layout, and of the page "Now". */
#ifndef RECAUDO_CONSOLE_CORE_TEXTS_FRAME_H
#define RECAUDO_CONSOLE_CORE_TEXTS_FRAME_H

#define FRAME_TEXTS(X)                                                                                                 \
    X(NONE, "", "")                                                                                                    \
    X(SKIP, "Ir al contenido", "Skip to content")                                                                      \
    X(PAGES, "Páginas", "Pages")                                                                                       \
    X(NOW, "Ahora", "Now")                                                                                             \
    X(AS_OF, "Estado el", "State on")                                                                                  \
    X(READ_ONLY, "La base de datos no acepta cambios: nadie puede pagar.",                                             \
      "The database accepts no changes: nobody can pay.")                                                              \
    X(READ_ONLY_ADVICE, "Alguien la puso en read_only. Vea operations.md, \"The disk is full\".",                      \
      "Somebody has made it read_only. See operations.md, \"The disk is full\".")                                      \
    X(RIGHTS, "A los procesos que atienden pagos les falta un permiso o una función en la base de datos.",             \
      "The workers lack a right, or a function, in the database.")                                                     \
    X(RIGHTS_ADVICE, "Como root: recaudoctl config check dice cuál; recaudoctl db migrate devuelve los permisos.",     \
      "As root: recaudoctl config check names it; recaudoctl db migrate gives rights again.")                          \
    X(NO_SETTLER, "Nadie escribe lo que el reloj ha decidido.", "Nobody writes what the clock has decided.")           \
    X(NO_SETTLER_ADVICE,                                                                                               \
      "Revise recaudo-settle: systemctl status recaudo-settle.timer, journalctl -u recaudo-settle.",                   \
      "Look at recaudo-settle: systemctl status recaudo-settle.timer, journalctl -u recaudo-settle.")                  \
    X(NO_DELIVERER, "Nadie avisa a los comercios.", "Nobody notifies merchants.")                                      \
    X(NO_DELIVERER_ADVICE,                                                                                             \
      "Revise recaudo-deliver: systemctl status recaudo-deliver.timer, journalctl -u recaudo-deliver.",                \
      "Look at recaudo-deliver: systemctl status recaudo-deliver.timer, journalctl -u recaudo-deliver.")               \
    X(DUE_LATE, "Hay notificaciones pendientes que nadie envía.", "Notifications are due and nobody sends them.")      \
    X(DUE_LATE_ADVICE, "Revise recaudo-deliver: journalctl -u recaudo-deliver.",                                       \
      "Look at recaudo-deliver: journalctl -u recaudo-deliver.")                                                       \
    X(UNRECORDED, "No se avisa a los comercios: el resultado no se puede anotar.",                                     \
      "Merchants are not notified: what becomes of it cannot be recorded.")                                            \
    X(UNRECORDED_ADVICE,                                                                                               \
      "Vea journalctl -u recaudo-deliver: falta un permiso (recaudoctl db migrate) o espacio, o alguien bloquea una "  \
      "tabla.",                                                                                                        \
      "Look at journalctl -u recaudo-deliver: a right is missing (recaudoctl db migrate), or room, or somebody holds " \
      "a lock on a table.")                                                                                            \
    X(STUCK, "Hay notificaciones que no esperan nada.", "Notifications are stuck.")                                    \
    X(WINDOWS_LATE, "Hay pagos cuya ventana terminó y no constan como finales.",                                       \
      "Payments whose window has ended are not written as final.")                                                     \
    X(EXPIRIES_LATE, "Hay órdenes vencidas que no constan como vencidas.",                                             \
      "Overdue orders are not written as expired.")                                                                    \
    X(UNCOLLECTED, "Hay operaciones que no están en ninguna conciliación.", "Operations are in no settlement.")        \
    X(RETENTION_LATE, "La eliminación nocturna de datos antiguos lleva más de dos días sin hacerse.",                  \
      "Old data has not been removed for more than two days.")                                                         \
    X(CLOSING_LATE, "La conciliación debía estar cerrada.", "The settlement should have been closed.")                 \
    X(EXHAUSTED, "Hay notificaciones que se dejaron de intentar.", "Notifications were given up.")                     \
    X(EXHAUSTED_ADVICE,                                                                                                \
      "Avise al comercio y luego reenvíelas en sus páginas, o con recaudoctl notification retry --merchant NOMBRE"     \
      " --since HORA, que da el comando para las que deja.",                                                           \
      "Tell the merchant, then send them again on their pages, or with recaudoctl notification retry --merchant NAME"  \
      " --since TIME, which names the command for those that it leaves.")                                              \
    X(RESTING, "Hay comercios cuyo punto de notificación no responde bien.",                                           \
      "Notification endpoints of merchants keep failing.")                                                             \
    X(RESTING_ADVICE, "Avise al comercio; sus notificaciones esperan.", "Tell the merchant; its notifications wait.")  \
    X(SILENT_QUERIES, "Hay puntos de consulta que no respondieron bien la última consulta.",                           \
      "Some query endpoints gave no usable answer to the last query.")                                                 \
    X(SILENT_QUERIES_ADVICE, "Avise al comercio: quien consulta sus referencias recibe 0108 o 0110.",                  \
      "Tell the merchant; a lookup of its references gets 0108 or 0110.")                                              \
    X(INVALID_QUERIES, "Hay puntos de consulta cuya última respuesta no es válida.",                                   \
      "The last answer of some query endpoints was not valid.")                                                        \
    X(INVALID_QUERIES_ADVICE, "Avise al comercio; la consulta que recibe esa respuesta se rechaza con 0109.",          \
      "Tell the merchant; a lookup that gets such an answer is refused with 0109.")                                    \
    X(FAILED_QUERIES, "Integraciones cuya última consulta falló", "Integrations whose last query failed")              \
    X(MORE_INTEGRATIONS_FAIL, "Otras integraciones cuya última consulta falló",                                        \
      "More integrations whose last query failed")                                                                     \
    X(NOW_QUERIES_OF, "Referencias", "References")                                                                     \
    X(NOW_QUERIES_FAIL, "el punto de consulta no respondió bien la última consulta:",                                  \
      "the query endpoint gave no usable answer to the last query:")                                                   \
    X(NOW_QUERIES_0108, "las redes reciben 0108 o 0110.", "networks get 0108 or 0110.")                                \
    X(NOW_QUERIES_INVALID,                                                                                             \
      "la última respuesta del punto de consulta no es válida:", "the query endpoint's last answer was not valid:")    \
    X(NOW_QUERIES_0109, "las redes reciben 0109.", "networks get 0109.")                                               \
    X(REFUSING, "Hay comercios cuyo servidor responde y no confirma ninguna notificación.",                            \
      "Endpoints of merchants answer and acknowledge no notification.")                                                \
    X(REFUSING_ENDPOINTS, "Comercios que no confirman notificaciones", "Endpoints that acknowledge nothing")           \
    X(RETRIES, "Hay notificaciones que no se confirmaron.", "Notifications were not acknowledged.")                    \
    X(RETRIES_ADVICE, "Se reintentan solas; la página del comercio dice qué respondió.",                               \
      "They are tried again; the page of the merchant shows what it answered.")                                        \
    X(NOW_RETRIES, "En espera de otro intento", "Waiting for another attempt")                                         \
    X(HELD, "En espera del comercio", "Waiting for the endpoint")                                                      \
    X(GIVEN_UP, "Sin más intentos", "Given up")                                                                        \
    X(RESTING_ENDPOINTS, "Puntos de notificación en reposo", "Notification endpoints resting")                         \
    X(OPEN_WINDOWS, "Ventanas por cerrar", "Windows to be closed")                                                     \
    X(OVERDUE_ORDERS, "Órdenes por vencer", "Orders to be expired")                                                    \
    X(NO_ENDPOINT, "Este comercio no tiene dirección para notificaciones.",                                            \
      "This merchant has no address for notifications.")                                                               \
    X(NOW_DUE, "Por enviar", "To be sent")                                                                             \
    X(NOW_ENDPOINT_FAILS, "Su punto de notificación no responde bien: las notificaciones pendientes se reintentan.",   \
      "Your notification endpoint keeps failing: pending notifications are tried again.")                              \
    X(NOW_ENDPOINT_REFUSES, "Su servidor responde y no confirma ninguna notificación.",                                \
      "Your notification endpoint answers and acknowledges no notification.")                                          \
    X(NOW_ENDPOINT_RETRIES, "Su servidor no confirmó algunas notificaciones: se reintentan.",                          \
      "Your notification endpoint did not acknowledge some notifications: they are tried again.")                      \
    X(NOW_ENDPOINT_TEST_FAILED, "La última prueba de su punto de notificación falló.",                                 \
      "The last test of your notification endpoint failed.")                                                           \
    X(NOW_ENDPOINT_UNKNOWN, "No consta que su servidor haya confirmado un mensaje en esta dirección.",                 \
      "Nothing shows that your notification endpoint has acknowledged a message at this address.")                     \
    X(NOW_ENDPOINT_WELL, "Ninguna notificación espera otro intento ni se dejó de intentar.",                           \
      "No notification waits for another attempt or was given up.")                                                    \
    X(ONE_GIVEN_UP, "notificación se dejó de intentar: el comercio no la confirmó.",                                   \
      "notification was given up: the merchant did not acknowledge it.")                                               \
    X(SEVERAL_GIVEN_UP, "notificaciones se dejaron de intentar: el comercio no las confirmó.",                         \
      "notifications were given up: the merchant did not acknowledge them.")                                           \
    X(OWN_ONE_GIVEN_UP, "notificación se dejó de intentar: su servidor no la confirmó.",                               \
      "notification was given up: your notification endpoint did not acknowledge it.")                                 \
    X(OWN_SEVERAL_GIVEN_UP, "notificaciones se dejaron de intentar: su servidor no las confirmó.",                     \
      "notifications were given up: your notification endpoint did not acknowledge them.")                             \
    X(SEE_GIVEN_UP, "Ver cuáles y reenviarlas", "See which, and send them again")                                      \
    X(SIGNED_IN, "Usuario", "Signed in as")                                                                            \
    X(FIND_WHAT, "Referencia, orden, transacción, documento…", "Reference, order, transaction, document…")             \
    X(LANGUAGE, "Idioma", "Language")                                                                                  \
    X(TIME_ZONE, "Zona horaria", "Time zone")                                                                          \
    X(APPLY, "Aplicar", "Apply")                                                                                       \
    X(ROLE_VIEWER, "consulta", "viewer")                                                                               \
    X(ROLE_SUPPORT, "soporte", "support")                                                                              \
    X(ROLE_OPERATOR, "operación", "operator")                                                                          \
    X(ROLE_MERCHANT, "comercio", "merchant")                                                                           \
    X(BAD_REQUEST, "La solicitud no es válida", "The request is not valid")                                            \
    X(BAD_REQUEST_ADVICE, "Revise la dirección o vuelva a la página anterior y repita el paso. Nada ha cambiado.",     \
      "Check the address, or go back and repeat the step. Nothing has changed.")                                       \
    X(NOBODY, "El servidor web no dice quién es usted", "The web server does not say who you are")                     \
    X(NOBODY_ADVICE,                                                                                                   \
      "La consola recibe el nombre del usuario del servidor web (REMOTE_USER). Avise a quien lo administra.",          \
      "The console gets the user's name from the web server (REMOTE_USER). Tell whoever administers it.")              \
    X(UNKNOWN_USER, "Este usuario no puede usar la consola", "This user may not use the console")                      \
    X(UNKNOWN_USER_ADVICE, "Pida a operación que lo agregue: recaudoctl user add NOMBRE --role ROL.",                  \
      "Ask an operator to add you: recaudoctl user add NAME --role ROLE.")                                             \
    X(DISABLED_USER, "Este usuario está deshabilitado", "This user is disabled")                                       \
    X(DISABLED_USER_ADVICE, "Pida a operación que lo habilite: recaudoctl user enable NOMBRE.",                        \
      "Ask an operator to enable you: recaudoctl user enable NAME.")                                                   \
    X(FORBIDDEN, "Su rol no permite esto", "Your role does not allow this")                                            \
    X(FORBIDDEN_ADVICE, "Pida a alguien con el rol necesario que lo haga. Nada ha cambiado.",                          \
      "Ask somebody with the role that it needs. Nothing has changed.")                                                \
    X(FOREIGN_FORM, "Este formulario no viene de la consola", "This form does not come from the console")              \
    X(FOREIGN_FORM_ADVICE,                                                                                             \
      "O estuvo abierto demasiado tiempo, o lo envió otra página. Abra la página de nuevo y repita el paso. "          \
      "Nada ha cambiado.",                                                                                             \
      "It was open for too long, or another site has sent it. Open the page again and repeat the step. "               \
      "Nothing has changed.")                                                                                          \
    X(NOT_FOUND, "No existe", "Not found")                                                                             \
    X(NOT_FOUND_ADVICE, "No hay nada con esta dirección, o no es de su comercio.",                                     \
      "Nothing has this address, or it is not your merchant's.")                                                       \
    X(WRONG_METHOD, "Este método no se permite aquí", "This method is not allowed here")                               \
    X(TOO_LARGE, "Lo enviado es demasiado grande", "What was sent is too large")                                       \
    X(TRY_AGAIN, "Inténtelo de nuevo en un momento", "Try again in a moment")                                          \
    X(TRY_AGAIN_ADVICE, "La base de datos no responde ahora, o no acepta cambios.",                                    \
      "The database does not answer now, or accepts no changes.")                                                      \
    X(BROKEN, "Esta página no se pudo mostrar", "This page could not be shown")                                        \
    X(BROKEN_ADVICE, "El registro de recaudo-console dice por qué.", "The log of recaudo-console says why.")

#endif
