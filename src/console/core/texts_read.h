/* Words of the pages that only read. */
#ifndef RECAUDO_CONSOLE_CORE_TEXTS_READ_H
#define RECAUDO_CONSOLE_CORE_TEXTS_READ_H

#define READ_TEXTS(X)                                                                                                  \
    X(FIND, "Buscar", "Find")                                                                                          \
    X(ANY, "todos", "any")                                                                                             \
    X(ORDER, "Orden", "Order")                                                                                         \
    X(ORDERS, "Órdenes", "Orders")                                                                                     \
    X(ORDERS_CAPTION, "Órdenes, las más nuevas primero", "Orders, newest first")                                       \
    X(TRANSACTION, "Transacción de la red", "Network's transaction")                                                   \
    X(TRANSACTIONS, "Transacciones", "Transactions")                                                                   \
    X(TRANSACTIONS_CAPTION, "Transacciones, las más nuevas primero", "Transactions, newest first")                     \
    X(TRANSACTIONS_OF_ORDERS, "Transacciones, primero las de la orden más nueva",                                      \
      "Transactions, those of the newest order first")                                                                 \
    X(NOTIFICATION, "Notificación", "Notification")                                                                    \
    X(NOTIFICATIONS, "Notificaciones", "Notifications")                                                                \
    X(NOTIFICATIONS_CAPTION, "Notificaciones a los comercios", "Notifications to merchants")                           \
    X(MERCHANT, "Comercio", "Merchant")                                                                                \
    X(ITS_MERCHANT, "Comercio", "Merchant")                                                                            \
    X(MERCHANTS, "Comercios", "Merchants")                                                                             \
    X(NETWORK, "Red", "Network")                                                                                       \
    X(NETWORKS, "Redes", "Networks")                                                                                   \
    X(SETTLEMENT, "Conciliación", "Settlement")                                                                        \
    X(LOG, "Registro", "Log")                                                                                          \
    X(LOG_CAPTION, "Quién hizo qué, lo más nuevo primero", "Who did what, newest first")                               \
    X(USERS, "Usuarios", "Users")                                                                                      \
    X(USERS_ADVICE, "Los usuarios se agregan y cambian con recaudoctl user.",                                          \
      "Users are added and changed with recaudoctl user.")                                                             \
    X(NAME, "Nombre", "Name")                                                                                          \
    X(ROLE, "Rol", "Role")                                                                                             \
    X(ENABLED, "Habilitado", "Enabled")                                                                                \
    X(DISABLED, "Deshabilitado", "Disabled")                                                                           \
    X(PENDIENTE, "Pendiente", "Pending")                                                                               \
    X(APROBADA, "Pagada", "Paid")                                                                                      \
    X(VENCIDA, "Vencida", "Expired")                                                                                   \
    X(CANCELADA, "Cancelada", "Cancelled")                                                                             \
    X(ANULADA, "Reembolsada", "Refunded")                                                                              \
    X(REGISTRADA, "Registrada", "Registered")                                                                          \
    X(CONFIRMADA, "Confirmada", "Confirmed")                                                                           \
    X(FINALIZADA, "Definitiva", "Final")                                                                               \
    X(NOTIFICATION_PENDING, "Por entregar", "Pending")                                                                 \
    X(NOTIFICATION_WAITING, "Espera a la anterior", "Waits for an earlier one")                                        \
    X(NOTIFICATION_EXHAUSTED, "Sin entregar, agotada", "Given up")                                                     \
    X(NOTIFICATION_UNADDRESSED, "Sin dirección", "No address")                                                         \
    X(NOTIFICATION_DELIVERED, "Entregada", "Delivered")                                                                \
    X(REASON_ACKNOWLEDGED, "recibida", "acknowledged")                                                                 \
    X(REASON_STATUS, "el estado HTTP no es 2xx", "the HTTP status is not 2xx")                                         \
    X(REASON_REPLY, "la respuesta no es OK", "the reply is not OK")                                                    \
    X(REASON_SECRET, "nuestra clave no descifra el secreto del comercio",                                              \
      "our key does not decrypt the merchant's secret")                                                                \
    X(REASON_URL, "la URL no sirve", "the URL cannot be used")                                                         \
    X(REASON_DNS, "el nombre no tiene dirección", "the host name has no address")                                      \
    X(REASON_ADDRESS, "no se permite conectar a esa dirección", "that address may not be connected to")                \
    X(REASON_CONNECT, "no hay conexión", "no connection")                                                              \
    X(REASON_CERTIFICATES, "faltan certificados de confianza en nuestro servidor",                                     \
      "our host has no certificates to trust")                                                                         \
    X(REASON_TLS, "falló TLS", "TLS failed")                                                                           \
    X(REASON_TLS_EXPIRED, "el certificado venció o todavía no vale",                                                   \
      "the certificate has expired or is not valid yet")                                                               \
    X(REASON_TLS_NAME, "el certificado es de otro nombre", "the certificate is for another host name")                 \
    X(REASON_TLS_AUTHORITY, "el certificado no es de una autoridad de confianza, o falta su cadena",                   \
      "the certificate is of no authority that we trust, or its chain is not complete")                                \
    X(REASON_TLS_VERSION, "el servidor no habla TLS 1.2 ni más nuevo", "the server speaks no TLS 1.2 or newer")        \
    X(REASON_TLS_ABSENT, "ese puerto no habla TLS", "the server speaks no TLS at this port")                           \
    X(REASON_TIMEOUT, "no respondió a tiempo", "no whole reply in time")                                               \
    X(REASON_PROTOCOL, "la respuesta se cortó o no es HTTP", "the reply ended early or is not HTTP")                   \
    X(REASON_TOO_LARGE, "los encabezados son demasiado grandes", "the headers are too large")                          \
    X(REASON_FILES, "nuestro servidor no podía abrir más archivos", "our server could open no more files")             \
    X(REFERENCE, "Referencia", "Reference")                                                                            \
    X(STATE, "Estado", "State")                                                                                        \
    X(AMOUNT, "Valor", "Amount")                                                                                       \
    X(OPEN_AMOUNT, "abierto", "open")                                                                                  \
    X(AMOUNT_PAID, "Valor pagado", "Amount paid")                                                                      \
    X(DUE, "Vence", "Due")                                                                                             \
    X(CREATED, "Creada", "Created")                                                                                    \
    X(CHANGED, "Último cambio", "Last change")                                                                         \
    X(CHANGED_BY, "Cambiado por", "Changed by")                                                                        \
    X(CURRENCY, "Moneda", "Currency")                                                                                  \
    X(FROM_DAY, "Desde el día", "From day")                                                                            \
    X(TO_DAY, "Hasta el día", "To day")                                                                                \
    X(CREATED_FROM, "Creada desde el día", "Created from day")                                                         \
    X(CREATED_TO, "Creada hasta el día", "Created to day")                                                             \
    X(REGISTERED_FROM, "Registrada desde el día", "Registered from day")                                               \
    X(REGISTERED_TO, "Registrada hasta el día", "Registered to day")                                                   \
    X(FILTER, "Filtrar", "Filter")                                                                                     \
    X(OLDER, "Anteriores", "Older")                                                                                    \
    X(MORE, "Más", "More")                                                                                             \
    X(WRONG_DAY, "Escriba los días como 2026-11-21.", "Write days like 2026-11-21.")                                   \
    X(NO_ENTRIES, "No hay.", "None.")                                                                                  \
    X(NO_ROWS, "No hay nada que cumpla esto.", "Nothing matches.")                                                     \
    X(NO_ROWS_YET, "Hasta aquí no hay nada que cumpla esto; \"Anteriores\" sigue buscando.",                           \
      "Nothing matches so far; \"Older\" looks on.")                                                                   \
    X(LOOKED_BACK_ORDERS, "Se miraron las órdenes creadas desde", "Looked at the orders created since")                \
    X(LOOKED_BACK, "Se miró hasta", "Looked back to")                                                                  \
    X(CUT_SHORT, "ARCHIVO INCOMPLETO: el resto no se pudo leer", "INCOMPLETE FILE: the rest could not be read")        \
    X(TELLER, "Punto de pago", "Collection point")                                                                     \
    X(REGISTERED, "Registrada", "Registered")                                                                          \
    X(CONFIRMED, "Confirmada", "Confirmed")                                                                            \
    X(CANCELLED_AT, "Cancelada", "Cancelled")                                                                          \
    X(WINDOW_ENDS, "Fin del plazo de cancelación", "End of the cancellation window")                                   \
    X(IDSERVICE, "IDSERVICE", "IDSERVICE")                                                                             \
    X(TOP_UP, "Recarga", "Top-up")                                                                                     \
    X(DOCUMENT, "Documento", "Document")                                                                               \
    X(TOLD, "Aviso", "Message")                                                                                        \
    X(ATTEMPTS, "Intentos", "Attempts")                                                                                \
    X(LAST_TRY, "Último resultado", "Last result")                                                                     \
    X(NEXT_TRY, "Próximo intento", "Next attempt")                                                                     \
    X(FOUND, "Resultados", "Results")                                                                                  \
    X(FOUND_AS, "Qué es", "What it is")                                                                                \
    X(PARTY, "Comercio o red", "Merchant or network")                                                                  \
    X(NOTHING_FOUND, "No se encontró", "Nothing was found for")                                                        \
    X(NO_ORDER_ASKED, "Ninguna orden tiene esta referencia. Se consultó a su comercio:",                               \
      "No order has this reference. Its merchant was asked about it:")                                                 \
    X(OWN_NO_ORDER_ASKED, "Ninguna orden suya tiene esta referencia. Se consultó a su servidor:",                      \
      "No order of yours has this reference. Your query endpoint was asked about it:")                                 \
    X(TIMES_ASKED, "Consultas", "Queries")                                                                             \
    X(LAST_ASKED, "Última consulta", "Last query")                                                                     \
    X(SEE_QUERIES, "Ver las consultas a este comercio", "See the queries to this merchant")                            \
    X(LOOKED_FOR,                                                                                                      \
      "Se busca en referencias, números de orden (nuestros y del comercio), IDSERVICE, transacciones de las redes, "   \
      "documentos, webhook-id y direcciones de cupones de pago.",                                                      \
      "It looks through references, order numbers (ours and the merchant's), IDSERVICE, networks' transaction ids, "   \
      "documents, webhook-ids and addresses of payment slips.")                                                        \
    X(PAYMENT, "Pago", "Payment")                                                                                      \
    X(PAYMENTS, "Pagos", "Payments")                                                                                   \
    X(NO_PAYMENT, "ninguno", "none")                                                                                   \
    X(REGISTERED_ORDER, "registrada por el comercio", "registered by the merchant")                                    \
    X(IMPORTED_ORDER, "importada de un archivo", "imported from a file")                                               \
    X(EXTERNAL_ORDER, "consulta al comercio", "query to the merchant")                                                 \
    X(COUNTS_FINAL, "definitivos", "final")                                                                            \
    X(COUNTS_CONFIRMED, "confirmados", "confirmed")                                                                    \
    X(COUNTS_CANCELLED, "cancelados", "cancelled")                                                                     \
    X(COUNTS_REGISTERED, "registrados sin confirmar", "registered, not confirmed")                                     \
    X(COUNT_FINAL, "definitivo", "final")                                                                              \
    X(COUNT_CONFIRMED, "confirmado", "confirmed")                                                                      \
    X(COUNT_CANCELLED, "cancelado", "cancelled")                                                                       \
    X(COUNT_REGISTERED, "registrado sin confirmar", "registered, not confirmed")                                       \
    X(QUERIES, "Consultas al comercio", "Queries to the merchant")                                                     \
    X(ASKED_AT, "Preguntado", "Asked")                                                                                 \
    X(OUTCOME, "Resultado", "Outcome")                                                                                 \
    X(HTTP_STATUS, "HTTP", "HTTP")                                                                                     \
    X(TOOK, "Duración", "Took")                                                                                        \
    X(DETAIL, "Detalle", "Detail")                                                                                     \
    X(SLIP, "Cupón de pago", "Payment slip")                                                                           \
    X(OPEN_SLIP, "Abrir", "Open")                                                                                      \
    X(OUR_NUMBER, "Número nuestro (pv_po_id)", "Our number (pv_po_id)")                                                \
    X(PO_ID, "Número del comercio (po_id)", "Merchant's number (po_id)")                                               \
    X(LEAST, "Mínimo", "Least")                                                                                        \
    X(MOST, "Máximo", "Most")                                                                                          \
    X(DESCRIPTION, "Descripción", "Description")                                                                       \
    X(ORIGIN, "Origen", "Origin")                                                                                      \
    X(CUSTOMER, "Cliente", "Customer")                                                                                 \
    X(EMAIL, "Correo", "E-mail")                                                                                       \
    X(MEANS, "Medio de pago", "Payment means")                                                                         \
    X(PAID, "Pagada", "Paid")                                                                                          \
    X(PAID_HELD, "Pagada; todavía se puede cancelar en el punto de pago hasta",                                        \
      "Paid; can still be cancelled at the counter until")                                                             \
    X(PAID_UNWRITTEN, "Pagada; falta escribir la aprobación", "Paid; the approval is being written")                   \
    X(UNPAID, "Sin pagar; vence", "Not paid; due")                                                                     \
    X(UNPAID_CANCELLED, "Sin pagar: el pago se canceló en el punto de pago",                                           \
      "Not paid: the payment was cancelled at the counter")                                                            \
    X(UNPAID_REGISTERED, "Sin pagar: una red registró un pago y no lo confirmó",                                       \
      "Not paid: a network registered a payment and did not confirm it")                                               \
    X(EXPIRED, "Sin pagar: venció", "Not paid: it expired")                                                            \
    X(DELETED, "Sin pagar: el comercio la canceló", "Not paid: the merchant cancelled it")                             \
    X(REFUNDED, "Pagada y reembolsada", "Paid and refunded")                                                           \
    X(REFUNDED_UNTOLD,                                                                                                 \
      "El comercio reembolsó la orden, y ninguna notificación lo dice: la última es approved. Avise al comercio.",     \
      "The merchant refunded the order, and no notification says so: the last one is approved. Warn the merchant.")    \
    X(REFUNDED_DO_NOT_DELIVER,                                                                                         \
      "Usted reembolsó la orden, y ninguna notificación lo dice: la última es approved. No entregue.",                 \
      "You refunded the order, and no notification says so: the last one is approved. Do not deliver.")                \
    X(REFUNDED_BY, "Reembolso ingresado por", "Refund entered by")                                                     \
    X(TOLD_MERCHANT, "¿El comercio lo sabe?", "Does the merchant know?")                                               \
    X(NOTHING_TO_TELL, "Todavía no hay nada que avisar", "Nothing to tell yet")                                        \
    X(LOOKUP_NOW, "Una red que la consulta ahora recibe", "A network that looks it up now gets")                       \
    X(LOOKUP_GRANTED, "se puede pagar", "can be paid")                                                                 \
    X(OFFERED_TO, "Ofrecida a las redes", "Offered to the networks")                                                   \
    X(LOOKUP_OFFERED, "se puede pagar si el comercio se la ofreció a esa red; si no, 0101",                            \
      "can be paid if the merchant offered it to that network; else 0101")                                             \
    X(LOOKUP_ASKS, "lo que el comercio responda: se le pregunta en ese momento",                                       \
      "what the merchant answers: it is asked at that moment")                                                         \
    X(LOOKUP_OTHERS, "Las otras redes reciben", "The other networks get")                                              \
    X(LAST_ANSWER, "Última respuesta", "Last answer")                                                                  \
    X(ANSWERED, "respondió", "answered")                                                                               \
    X(REFUSED, "rechazó", "refused")                                                                                   \
    X(QUERY_ORDER, "orden", "order")                                                                                   \
    X(QUERY_ANOTHERS, "la referencia es de una orden de otro comercio",                                                \
      "the reference is that of another merchant's order")                                                             \
    X(QUERY_GOT, "la red recibió", "the network got")                                                                  \
    X(OFFER_EXPIRED, "venció", "expired")                                                                              \
    X(INVALID, "respuesta no válida", "not valid")                                                                     \
    X(SILENT, "no respondió", "no answer")                                                                             \
    X(TIMELINE, "Historia", "History")                                                                                 \
    X(EVENT_CREATED, "creada", "created")                                                                              \
    X(EVENT_HELD, "retenida mientras el pago se puede cancelar", "held while the payment can be cancelled")            \
    X(EVENT_RELEASED, "libre de nuevo", "free again")                                                                  \
    X(EVENT_CHANGED, "cambiada", "changed")                                                                            \
    X(EVENT_RETRIED, "se enviará de nuevo", "to be sent again")                                                        \
    X(EVENT_PURGED, "datos personales borrados", "personal data removed")                                              \
    X(EVENT_STATE, "pasa a", "becomes")                                                                                \
    X(ATTEMPT, "intento", "attempt")                                                                                   \
    X(ATTEMPTS_CAPTION, "Intentos de entrega", "Attempts to deliver")                                                  \
    X(NO_ATTEMPT, "Todavía no se intentó.", "No attempt yet.")                                                         \
    X(RETRY_TAKEN, "Se aceptó reenviarla:", "It was accepted to be sent again:")                                       \
    X(SENT_NOW, "Se está enviando ahora.", "Being sent now.")                                                          \
    X(NO_REPLY, "sin respuesta", "no reply")                                                                           \
    X(REPLY, "Respuesta", "Reply")                                                                                     \
    X(NUMBER, "Número", "Number")                                                                                      \
    X(SENT_AT, "Enviada", "Sent")                                                                                      \
    X(VERDICT, "Resultado", "Result")                                                                                  \
    X(URL, "URL", "URL")                                                                                               \
    X(URL_NOW, "URL actual", "URL now")                                                                                \
    X(WEBHOOK_ID, "webhook-id", "webhook-id")                                                                          \
    X(FINISHED, "Terminada", "Finished")                                                                               \
    X(COMMERCE, "Nombre que ven las redes", "Name that networks see")                                                  \
    X(ENDPOINT, "Punto de notificación", "Notification endpoint")                                                      \
    X(ENDPOINT_NONE, "sin dirección", "no address")                                                                    \
    X(ENDPOINT_RESTS, "en reposo", "resting")                                                                          \
    X(ENDPOINT_FAILS, "falla", "failing")                                                                              \
    X(ENDPOINT_REFUSES, "responde y no confirma", "acknowledges nothing")                                              \
    X(ENDPOINT_RETRIES, "hay reintentos pendientes", "retries pending")                                                \
    X(ENDPOINT_TEST_FAILED, "la última prueba falló", "the last test failed")                                          \
    X(ENDPOINT_GAVE_UP, "hay notificaciones sin más intentos", "notifications given up")                               \
    X(ENDPOINT_UNKNOWN, "sin acuses de esta dirección", "nothing acknowledged by this address")                        \
    X(ENDPOINT_WELL, "bien", "healthy")                                                                                \
    X(FAILING_SINCE, "Falla desde", "Failing since")                                                                   \
    X(RESTING_UNTIL, "En reposo hasta", "Resting until")                                                               \
    X(FAILURES, "Rondas fallidas seguidas", "Failed rounds in a row")                                                  \
    X(SETTINGS, "Configuración", "Settings")                                                                           \
    X(COUNTRY, "País", "Country")                                                                                      \
    X(DIGEST, "Resumen de pv_checksum", "Digest of pv_checksum")                                                       \
    X(ACKNOWLEDGEMENT, "Acuse", "Acknowledgement")                                                                     \
    X(PREFIXES, "Prefijos de sus referencias", "Prefixes of its references")                                           \
    X(QUARANTINE, "Días que una referencia sigue siendo suya", "Days that a reference stays its own")                  \
    X(OLD_SECRET_UNTIL, "FIXED_HASH anterior válido hasta", "Previous FIXED_HASH valid until")                         \
    X(OLD_SECRET_USED, "FIXED_HASH anterior usado por última vez", "Previous FIXED_HASH last used")                    \
    X(OLD_NOTIFICATION_SECRET_UNTIL, "NOTIFICATION_HASH anterior válido hasta",                                        \
      "Previous NOTIFICATION_HASH valid until")                                                                        \
    X(LAST_ATTEMPTS, "Últimos intentos de entrega", "Last attempts to deliver")                                        \
    X(INTEGRATIONS, "Integraciones", "Integrations")                                                                   \
    X(CODE, "Código", "Code")                                                                                          \
    X(SIGNATURE, "Firma", "Signature")                                                                                 \
    X(UNSIGNED_USED, "Última solicitud sin firma", "Last unsigned request")                                            \
    X(ADDRESSES, "Direcciones permitidas", "Allowed addresses")                                                        \
    X(EVERYWHERE, "desde todas partes", "from everywhere")                                                             \
    X(RATE, "Solicitudes por segundo", "Requests per second")                                                          \
    X(NO_LIMIT, "sin límite", "no limit")                                                                              \
    X(LIMITS, "Límites", "Limits")                                                                                     \
    X(DAY_LIMIT, "Límite por día", "Limit per day")                                                                    \
    X(DAY_USED, "Usado hoy (UTC)", "Used today (UTC)")                                                                 \
    X(OUTSTANDING_LIMIT, "Límite por remitir", "Limit outstanding")                                                    \
    X(OUTSTANDING_USED, "Por remitir", "Outstanding")                                                                  \
    X(VALUE_CHANGED, "cambió", "changed")                                                                              \
    X(MERCHANT_NUMBER, "Comercio número", "Merchant number")                                                           \
    X(NETWORK_NUMBER, "Red número", "Network number")                                                                  \
    X(LOG_WHAT_CREATED, "creación", "created")                                                                         \
    X(LOG_WHAT_STATE, "cambio de estado", "state")                                                                     \
    X(LOG_WHAT_CHANGED, "cambio", "changed")                                                                           \
    X(LOG_WHAT_ROTATED, "secreto nuevo", "rotated")                                                                    \
    X(LOG_WHAT_REENCRYPTED, "secreto cifrado con otra clave", "reencrypted")                                           \
    X(LOG_WHAT_OLD_SECRET_ENDED, "fin del secreto anterior", "old secret ended")                                       \
    X(LOG_WHAT_REFERENCES, "referencias", "references")                                                                \
    X(LOG_WHAT_LIMITS, "acceso y solicitudes", "limits")                                                               \
    X(LOG_WHAT_MONEY_LIMITS, "límites de dinero", "money limits")                                                      \
    X(LOG_WHAT_SIGNING, "firma", "signing")                                                                            \
    X(LOG_WHAT_REMITTED, "remesa", "remitted")                                                                         \
    X(LOG_WHAT_TESTED, "prueba", "tested")                                                                             \
    X(LOG_WHAT_HELD, "retención", "held")                                                                              \
    X(LOG_WHAT_RELEASED, "liberación", "released")                                                                     \
    X(LOG_WHAT_RETRIED, "reenvío", "retried")                                                                          \
    X(LOG_WHAT_PURGED, "datos borrados", "purged")                                                                     \
    X(LOG_WHAT_ROOM, "espacio en disco", "room")                                                                       \
    X(LOG_SUBJECT_ORDER, "orden", "order")                                                                             \
    X(LOG_SUBJECT_TRANSACTION, "transacción", "transaction")                                                           \
    X(LOG_SUBJECT_ACCOUNT, "cuenta", "account")                                                                        \
    X(LOG_SUBJECT_NETWORK, "red", "network")                                                                           \
    X(LOG_SUBJECT_MERCHANT, "comercio", "merchant")                                                                    \
    X(LOG_SUBJECT_NOTIFICATION, "notificación", "notification")                                                        \
    X(LOG_SUBJECT_INTEGRATION, "integración", "integration")                                                           \
    X(LOG_SUBJECT_SETTING, "ajuste", "setting")                                                                        \
    X(LOG_SUBJECT_USER, "usuario", "user")                                                                             \
    X(LOG_SUBJECT_APPROVAL, "aprobación", "approval")                                                                  \
    X(LOG_SUBJECT_SETTLEMENT, "conciliación", "settlement")                                                            \
    X(LOG_STATE_ENABLED, "habilitado", "enabled")                                                                      \
    X(LOG_STATE_DISABLED, "deshabilitado", "disabled")                                                                 \
    X(LOG_STATE_IN_FORCE, "vigente", "in force")                                                                       \
    X(LOG_STATE_REMOVED, "retirado", "removed")                                                                        \
    X(LOG_STATE_OPEN, "abierta", "open")                                                                               \
    X(LOG_STATE_CLOSED, "cerrada", "closed")                                                                           \
    X(LOG_STATE_WAITING, "en espera", "waiting")                                                                       \
    X(LOG_STATE_APPROVED, "aprobada", "approved")                                                                      \
    X(LOG_STATE_REFUSED, "rechazada", "refused")                                                                       \
    X(SUBJECT, "Qué cosa", "Subject")                                                                                  \
    X(ACTOR, "Quién", "Who")                                                                                           \
    X(WHAT, "Qué", "What")                                                                                             \
    X(AT, "Cuándo", "When")                                                                                            \
    X(DATE, "Día", "Day")                                                                                              \
    X(SHOW, "Ver", "Show")                                                                                             \
    X(TOTAL, "Total", "Total")                                                                                         \
    X(TOP_UPS, "(recargas)", "(top-ups)")                                                                              \
    X(FINALISED, "Pagos", "Payments")                                                                                  \
    X(CANCELLED_COUNT, "Cancelados", "Cancelled")                                                                      \
    X(REFUNDED_COUNT, "Reembolsos", "Refunds")                                                                         \
    X(BY_NETWORK, "Por red", "By network")                                                                             \
    X(BY_MERCHANT, "Por comercio", "By merchant")                                                                      \
    X(NO_OPERATIONS, "No hay operaciones.", "No operations.")                                                          \
    X(SETTLEMENT_OPEN, "Abierta: puede llegar más", "Open: more may come")                                             \
    X(SETTLEMENT_CLOSED, "Cerrada", "Closed")                                                                          \
    X(SETTLED_ELSEWHERE, "Todo está en conciliaciones cerradas", "All of it is in closed settlements")                 \
    X(BEGINS, "Desde", "From")                                                                                         \
    X(ENDS, "Hasta", "Until")                                                                                          \
    X(CLOSED_BY, "Cerrada por", "Closed by")                                                                           \
    X(SHA, "SHA-256 del CSV", "SHA-256 of the CSV")                                                                    \
    X(LAST_SETTLEMENTS, "Últimas conciliaciones", "Last settlements")                                                  \
    X(CLOSED_OF_DAY,                                                                                                   \
      "Ninguna conciliación es de este día en su zona horaria. Cerradas que estuvieron abiertas en este tiempo:",      \
      "No settlement is of this day in your time zone. Closed ones that were open in this time:")                      \
    X(MANY_OPERATIONS, "Son muchas operaciones: sumarlas toma unos segundos. El CSV también trae las sumas.",          \
      "There are many operations: adding them takes some seconds. The CSV has the sums too.")                          \
    X(ADD_ALL, "Sumar", "Add them up")

/* What was wrong with a merchant's answer. The English words are those that are stored, with # for each part that
 * differs; what is stored may go on behind them. Of two that begin alike the longer one comes first. */
#define FAULT_TEXTS(X)                                                                                                 \
    X(FAULT_STATUS, "no es 200", "is not 200")                                                                         \
    X(FAULT_LARGE, "supera 64 KiB", "is larger than 64 KiB")                                                           \
    X(FAULT_ORDER_MARK, "empieza con una marca de orden de bytes (BOM)", "begins with a byte order mark")              \
    X(FAULT_UTF_16, "está en UTF-16: debe ser UTF-8", "is UTF-16")                                                     \
    X(FAULT_COMPRESSED, "está comprimido", "is compressed")                                                            \
    X(FAULT_ARRAY, "es una lista: debe ser un objeto JSON, {...}", "is an array")                                      \
    X(FAULT_XML, "es XML o HTML: debe ser un objeto JSON, {...}", "is XML or HTML")                                    \
    X(FAULT_FORM, "es un formulario: debe ser un objeto JSON, {...}", "is form-encoded")                               \
    X(FAULT_KEY_TWICE, "tiene dos veces la misma clave", "has the same key twice")                                     \
    X(FAULT_ENDS_EARLY, "termina antes de tiempo: falta cerrar con } o ]", "ends too early")                           \
    X(FAULT_UTF_8, "no es UTF-8", "is not UTF-8")                                                                      \
    X(FAULT_HEX, "tiene \\u sin cuatro dígitos hexadecimales", "has \\u without four hex digits")                      \
    X(FAULT_SURROGATE, "tiene la mitad de un par sustituto", "has half a surrogate pair")                              \
    X(FAULT_NUL, "contiene un NUL", "holds a NUL")                                                                     \
    X(FAULT_ESCAPE, "tiene un escape desconocido", "has an unknown escape")                                            \
    X(FAULT_KEY, "necesita una clave entre comillas dobles", "needs a key in double quotes")                           \
    X(FAULT_CONTROL_IN_STRING, "tiene un carácter de control en un texto", "has a control character in a string")      \
    X(FAULT_CONTROL, "tiene un carácter de control", "has a control character")                                        \
    X(FAULT_STRING, "termina en medio de un texto: faltan las comillas", "ends in the middle of a string")             \
    X(FAULT_VALUE, "necesita un valor", "needs a value")                                                               \
    X(FAULT_NUMBER, "tiene un número que no es JSON", "has a number that is not JSON")                                 \
    X(FAULT_COMMA, "necesita , o #", "needs , or #")                                                                   \
    X(FAULT_DEPTH, "tiene demasiados niveles", "is nested too deeply")                                                 \
    X(FAULT_COLON, "necesita : después de una clave", "needs : after a key")                                           \
    X(FAULT_MORE, "tiene bytes después de su final", "has bytes after its end")                                        \
    X(FAULT_NO_OBJECT, "no es un objeto JSON, {...}", "is not a JSON object")                                          \
    X(FAULT_NO_JSON, "no es JSON válido", "is not valid JSON")                                                         \
    X(FAULT_NOT_VALID, "no es válido", "is not valid")                                                                 \
    X(FAULT_MISSING, "falta", "is missing")                                                                            \
    X(FAULT_EMPTY, "está vacío", "is empty")                                                                           \
    X(FAULT_TOO_LONG, "es demasiado largo: máximo # caracteres", "is too long: at most # characters")                  \
    X(FAULT_NO_STRING, "debe ser un texto, entre comillas", "must be a string, in quotes")                             \
    X(FAULT_INNER, "no es un objeto", "is not an object")                                                              \
    X(FAULT_NOT_OK, "no es OK", "is not OK")                                                                           \
    X(FAULT_DECIMALS, "tiene más decimales que su moneda", "has more decimals than its currency")                      \
    X(FAULT_MIN, "es mayor que max", "is greater than max")                                                            \
    X(FAULT_MAX, "debe ser mayor que 0, porque amount es 0", "must be more than 0, because amount is 0")               \
    X(FAULT_CURRENCY, "está en #, y esta integración en #", "is in #, this integration in #")                          \
    X(FAULT_KEEPS, "se registró o se importó, y conserva la referencia #",                                             \
      "was registered or imported and keeps reference #")                                                              \
    X(FAULT_OWNER, "tiene una referencia que es de otro (recaudoctl reference show)",                                  \
      "has a reference that has another owner")                                                                        \
    X(FAULT_OF_BODY, "el cuerpo", "the body")                                                                          \
    X(FAULT_OF_STATUS, "el estado HTTP", "HTTP status")

#endif
