/* Words of the pages that change something. */
#ifndef RECAUDO_CONSOLE_CORE_TEXTS_CHANGE_H
#define RECAUDO_CONSOLE_CORE_TEXTS_CHANGE_H

#define CHANGE_TEXTS(X)                                                                                                \
    X(REASON, "Motivo", "Reason")                                                                                      \
    X(REASON_MISSING, "Escriba el motivo: queda en el registro. Nada ha cambiado.",                                    \
      "Write the reason: it is kept in the log. Nothing has changed.")                                                 \
    X(REASON_UNFIT, "El motivo es demasiado largo o tiene caracteres de control. Nada ha cambiado.",                   \
      "The reason is too long or holds control characters. Nothing has changed.")                                      \
    X(CHANGED_SINCE, "Ya no está como se mostró: quizá esto ya se hizo. Nada ha cambiado ahora; mire cómo está.",      \
      "It is no longer as it was shown: perhaps this was done already. Nothing has changed now; see how it "           \
      "stands.")                                                                                                       \
    X(DO_NOTHING, "No hacer nada", "Do nothing")                                                                       \
    X(GO_BACK, "Volver", "Back")                                                                                       \
    X(IS_SO_ALREADY, "Ya está así.", "It is so already.")                                                              \
    X(RETRY_TITLE, "Reenviar la notificación", "Send the notification again")                                          \
    X(RETRY_CONSEQUENCE,                                                                                               \
      "El comercio la recibe de nuevo, con el mismo webhook-id, y después las posteriores de la orden. Si su "         \
      "servidor estaba en reposo, deja de estarlo.",                                                                   \
      "The merchant receives it again, with the same webhook-id, and then the later ones of the order. If its "        \
      "endpoint rests, the rest ends.")                                                                                \
    X(RETRY_BUTTON, "Reenviar", "Send again")                                                                          \
    X(RETRY_REFUNDED, "Orden devuelta", "Refunded order")                                                              \
    X(RETRY_REFUNDED_WHY,                                                                                              \
      "El comercio devolvió el dinero. Ninguna notificación posterior se lo recuerda: no debe entregar.",              \
      "The merchant refunded it. No later notification says so: nothing must be delivered.")                           \
    X(RETRY_NO_URL, "El comercio no tiene dirección para notificaciones.",                                             \
      "The merchant has no address for notifications.")                                                                \
    X(RETRY_IN_HAND, "Se está enviando en este momento.", "It is being sent at this moment.")                          \
    X(RETRY_DUE, "Ya está por enviarse.", "It is due already.")                                                        \
    X(RETRY_WAITING, "Se envía después de una anterior de la misma orden.",                                            \
      "It is sent after an earlier one of the same order.")                                                            \
    X(RETRY_FOLLOWED, "Una posterior de la orden ya terminó: el comercio sabe cómo está la orden.",                    \
      "A later one of the order has finished: the merchant knows how the order stands.")                               \
    X(RETRY_FOLLOWER_IN_HAND, "Una posterior de la orden se está enviando en este momento.",                           \
      "A later one of the order is being sent at this moment.")                                                        \
    X(CLAIM_TITLE, "Registrar un reembolso", "Enter a refund claim")                                                   \
    X(CLAIM_CONSEQUENCE,                                                                                               \
      "La orden pasa de pagada a reembolsada, y el comercio lo recibe como notificación. No se puede deshacer. "       \
      "Si el valor requiere dos personas, antes espera a la segunda.",                                                 \
      "The order goes from paid to refunded, and the merchant is notified. It cannot be undone. Where the amount "     \
      "needs two people, it waits for the second one first.")                                                          \
    X(CLAIM_BUTTON, "Registrar el reembolso", "Enter the claim")                                                       \
    X(CLAIM_UNPAID, "Nadie la ha pagado todavía.", "Nobody has paid it yet.")                                          \
    X(CLAIM_HELD, "La red todavía puede cancelar el pago. Vuelva a intentarlo cuando sea definitivo.",                 \
      "The network can still cancel the payment. Try again once it is final.")                                         \
    X(CLAIM_EXPIRED, "Venció sin que nadie la pagara.", "It expired without being paid.")                              \
    X(CLAIM_DELETED, "El comercio la canceló antes de que se pagara.", "The merchant deleted it before it was paid.")  \
    X(CLAIM_REFUNDED, "Ya está reembolsada.", "It is refunded already.")                                               \
    X(CLAIM_WAITS, "Un reembolso de esta orden ya espera la aprobación de otra persona: otro no cambiaría nada.",      \
      "A claim of this order waits for another person's approval already: another one would change nothing.")          \
    X(APPROVAL_NUMBER, "Aprobación", "Approval")                                                                       \
    X(APPROVALS, "Aprobaciones", "Approvals")                                                                          \
    X(APPROVALS_ADVICE,                                                                                                \
      "Lo que requiere dos personas, como un reembolso o un secreto nuevo, espera aquí a la segunda.",                 \
      "What needs two people, such as a refund claim or a new secret, waits here for the second.")                     \
    X(APPROVALS_WAITING, "Sin respuesta", "Not answered")                                                              \
    X(APPROVALS_ANSWERED, "Respondidas", "Answered")                                                                   \
    X(APPROVAL_WAITING, "En espera", "Waiting")                                                                        \
    X(APPROVAL_IS_STALE, "Lo que cambia ya es otro", "Changed meanwhile")                                              \
    X(APPROVAL_IS_EXPIRED, "Vencida", "Expired")                                                                       \
    X(APPROVAL_APPROVED, "Aprobada", "Approved")                                                                       \
    X(APPROVAL_REFUSED, "Rechazada", "Refused")                                                                        \
    X(APPROVAL_REASON, "Motivo de quien la pidió", "Reason of who asked")                                              \
    X(APPROVAL_EXPIRES, "Vence", "Expires")                                                                            \
    X(APPROVAL_SAID, "Respuesta", "Answer")                                                                            \
    X(ANSWERED_BY, "Respondida por", "Answered by")                                                                    \
    X(APPROVAL_EXPIRED, "Ya venció: hay que pedirla de nuevo.", "It has expired: it must be asked for again.")         \
    X(APPROVAL_STALE, "Lo que cambiaría ha cambiado después: si procede, hay que pedirlo de nuevo.",                   \
      "What it would change has changed since: if it still is to be, it must be asked for again.")                     \
    X(APPROVAL_OWN, "Usted la pidió: la aprueba otra persona.", "You asked for it: another person approves it.")       \
    X(APPROVE_TITLE, "Aprobar un cambio", "Approve a change")                                                          \
    X(APPROVE_CONSEQUENCE,                                                                                             \
      "Se hace ahora, tal como se pidió. Un reembolso no se puede deshacer, y se notifica al comercio.",               \
      "It is made now, as it was asked for. A refund cannot be undone, and the merchant is notified.")                 \
    X(APPROVAL_CHANGE, "Cambio", "Change")                                                                             \
    X(APPROVAL_OF_WHAT, "Qué cambia", "What changes")                                                                  \
    X(APPROVAL_WHOSE, "Comercio o red", "Merchant or network")                                                         \
    X(APPROVAL_OF_CLAIM, "Reembolso", "Refund claim")                                                                  \
    X(APPROVAL_OF_URL, "Dirección de notificación", "Notification URL")                                                \
    X(APPROVAL_OF_LIMITS, "Límites de la red", "Limits of the network")                                                \
    X(APPROVAL_OF_SECRET, "FIXED_HASH nuevo", "New FIXED_HASH")                                                        \
    X(APPROVAL_OF_NOTIFICATION_SECRET, "NOTIFICATION_HASH nuevo", "New NOTIFICATION_HASH")                             \
    X(OLD_SECRET_KEPT, "El secreto anterior vale todavía", "The previous secret stays valid for")                      \
    X(APPROVE, "Aprobar", "Approve")                                                                                   \
    X(REFUSE_TITLE, "Rechazar un cambio", "Refuse a change")                                                           \
    X(REFUSE_CONSEQUENCE, "Todo queda como está.", "All stays as it is.")                                              \
    X(REFUSE, "Rechazar", "Refuse")                                                                                    \
    X(ENABLE, "Habilitar", "Enable")                                                                                   \
    X(DISABLE, "Deshabilitar", "Disable")                                                                              \
    X(ENABLE_TITLE, "Habilitar", "Enable")                                                                             \
    X(ENABLE_BUTTON, "Habilitar", "Enable")                                                                            \
    X(DISABLE_TITLE, "Deshabilitar", "Disable")                                                                        \
    X(DISABLE_BUTTON, "Deshabilitar", "Disable")                                                                       \
    X(MERCHANT_ENABLE_CONSEQUENCE, "Sus órdenes vuelven a poder consultarse y pagarse.",                               \
      "Its orders can be looked up and paid again.")                                                                   \
    X(MERCHANT_DISABLE_CONSEQUENCE,                                                                                    \
      "Sus órdenes ya no pueden consultarse ni pagarse. Los pagos registrados siguen su curso.",                       \
      "Its orders can no longer be looked up or paid. Registered payments go on.")                                     \
    X(NETWORK_ENABLE_CONSEQUENCE, "Sus solicitudes vuelven a aceptarse.", "Its requests are accepted again.")          \
    X(NETWORK_DISABLE_CONSEQUENCE, "Todas sus solicitudes se rechazan desde ahora.",                                   \
      "All its requests are refused from now on.")                                                                     \
    X(INTEGRATION_ENABLE_CONSEQUENCE,                                                                                  \
      "Se crea otra igual: las referencias con este código se consultan otra vez al comercio.",                        \
      "Another one like it is added: the merchant is asked about references with this code again.")                    \
    X(INTEGRATION_DISABLE_CONSEQUENCE, "El comercio ya no se consulta sobre las referencias con este código.",         \
      "The merchant is no longer asked about references with this code.")                                              \
    X(LIMITS_TITLE, "Cambiar los límites", "Change the limits")                                                        \
    X(LIMITS_CONSEQUENCE,                                                                                              \
      "Valen desde este momento; si requieren dos personas, desde que la segunda los aprueba. Un límite nuevo cuenta " \
      "lo que ya se confirmó.",                                                                                        \
      "They hold from this moment on; where they need two people, once the second one has approved them. A new limit " \
      "counts what was confirmed already.")                                                                            \
    X(LIMITS_BUTTON, "Cambiar los límites", "Change the limits")                                                       \
    X(LIMITS_UNFIT, "La moneda no existe, o un límite no es un monto como 5000000. Vacío: sin límite.",                \
      "The currency does not exist, or a limit is no amount such as 5000000. Empty: no limit.")                        \
    X(TEST_TITLE, "Probar el punto de notificación", "Test the endpoint")                                              \
    X(TEST_CONSEQUENCE,                                                                                                \
      "El servicio envía un mensaje de prueba (recaudo.test), que no es una notificación, y muestra la "               \
      "respuesta.",                                                                                                    \
      "The service sends a test message (recaudo.test), which is no notification, and shows the reply.")               \
    X(TEST_BUTTON, "Enviar la prueba", "Send the test")                                                                \
    X(TEST_UNDER_WAY, "La prueba está en camino; esta página se actualiza sola.",                                      \
      "The test is under way; this page asks again by itself.")                                                        \
    X(TEST_JUST_MADE, "Se acaba de probar: espere diez segundos.", "It was tested just now: wait for ten seconds.")    \
    X(TEST_LOST, "La prueba no se hizo: nadie envía notificaciones, o se interrumpió.",                                \
      "The test was not made: nobody sends notifications, or it was interrupted.")                                     \
    X(LAST_TEST, "Última prueba", "Last test")                                                                         \
    X(ASKED_BY, "Pedida por", "Asked for by")                                                                          \
    X(ADDRESS, "Dirección IP", "IP address")

#endif
