/* Words of the page that compares a network's list with ours. */
#ifndef RECAUDO_CONSOLE_CORE_TEXTS_COMPARE_H
#define RECAUDO_CONSOLE_CORE_TEXTS_COMPARE_H

#define COMPARE_TEXTS(X)                                                                                               \
    X(COMPARE, "Comparar con la lista de una red", "Compare with a network's list")                                    \
    X(COMPARE_ADVICE,                                                                                                  \
      "Un archivo CSV en UTF-8 cuya primera línea nombra las columnas: transaction y amount; también currency, date "  \
      "y state. No se guarda nada.",                                                                                   \
      "A CSV file in UTF-8 whose first line names the columns: transaction and amount; currency, date and state may "  \
      "be there. Nothing is stored.")                                                                                  \
    X(COMPARE_LIST, "Lista de la red (CSV)", "The network's list (CSV)")                                               \
    X(COMPARE_DAY, "Día (vacío: los días de la lista)", "Day (empty: the days of the list)")                           \
    X(COMPARE_BUTTON, "Comparar", "Compare")                                                                           \
    X(COMPARE_NO_NETWORK, "Elija una red.", "Choose a network.")                                                       \
    X(COMPARE_NO_FILE, "Elija un archivo.", "Choose a file.")                                                          \
    X(COMPARE_NO_DAY, "Indique el día: ninguna línea de la lista tiene una fecha.",                                    \
      "Say which day: no line of the list has a date.")                                                                \
    X(COMPARE_MANY_LINES, "La lista tiene más de 20.000 líneas: use recaudoctl report compare.",                       \
      "The list has more than 20,000 lines: use recaudoctl report compare.")                                           \
    X(COMPARE_TOO_LONG, "Son demasiadas operaciones para una página: use recaudoctl report compare.",                  \
      "These are too many operations for a page: use recaudoctl report compare.")                                      \
    X(COMPARE_SAME, "Las dos listas dicen lo mismo.", "Both lists say the same.")                                      \
    X(COMPARE_OPEN, "El último día no ha terminado: puede llegar más.", "The last day is not over: more may come.")    \
    X(COMPARE_FIRST, "Se muestran las primeras 1.000 diferencias; el CSV las tiene todas.",                            \
      "The first 1,000 differences are shown; the CSV has all of them.")                                               \
    X(COMPARE_DAYS, "Días", "Days")                                                                                    \
    X(COMPARE_LINES, "Líneas de la lista", "Lines of the list")                                                        \
    X(COMPARE_AGREEING, "Líneas iguales", "Lines that agree")                                                          \
    X(COMPARE_DIFFERENCES, "Diferencias", "Differences")                                                               \
    X(COMPARE_LINE, "Línea", "Line")                                                                                   \
    X(COMPARE_FIELD, "Campo", "Field")                                                                                 \
    X(COMPARE_HERE, "Aquí", "Here")                                                                                    \
    X(COMPARE_THERE, "En la lista", "In the list")                                                                     \
    X(MISSING_HERE, "Falta aquí", "Missing here")                                                                      \
    X(MISSING_THERE, "Falta en la lista", "Missing in the list")                                                       \
    X(DIFFERS, "Es distinto", "Differs")                                                                               \
    X(REFUSED_LINE, "Línea que no sirve", "Line that will not do")                                                     \
    X(LINE_COLUMNS,                                                                                                    \
      "la primera línea debe nombrar las columnas y no nombra *; hacen falta transaction y amount, y puede haber "     \
      "currency, date y state",                                                                                        \
      "the first line must name the columns, and names no * column; transaction and amount are needed, currency, "     \
      "date and state may be there")                                                                                   \
    X(LINE_MANY_COLUMNS, "tiene más de 100 columnas", "has more columns than 100")                                     \
    X(LINE_COLUMN_TWICE, "las columnas * y * son las dos *", "columns * and * are both the *")                         \
    X(LINE_FIELDS, "tiene * campos y la primera línea tiene *", "has * fields where the first line has *")             \
    X(LINE_CR, "tiene un retorno de carro (CR) antes de su final", "has a carriage return (CR) before its end")        \
    X(LINE_TRANSACTION_TEXT, "la transacción no es texto UTF-8 sin caracteres de control",                             \
      "transaction: is not UTF-8 text without control characters")                                                     \
    X(LINE_CURRENCY_TEXT, "la moneda no es texto UTF-8 sin caracteres de control",                                     \
      "currency: is not UTF-8 text without control characters")                                                        \
    X(LINE_TWICE, "su transacción es también la de la línea *", "transaction: is that of line * too")                  \
    X(LINE_UTF8, "no es texto UTF-8", "is not UTF-8 text")                                                             \
    X(LINE_QUOTE, "tiene una comilla (\") fuera de lugar o sin cerrar",                                                \
      "has a quote (\") in the wrong place, or one that is not closed")                                                \
    X(LINE_TRANSACTION, "falta la transacción", "transaction: is missing")                                             \
    X(LINE_AMOUNT, "el valor no es un número: hasta 15 dígitos y, tras un punto, hasta 4 decimales",                   \
      "amount: is not an amount: up to 15 digits, and after a point up to 4 decimals")                                 \
    X(LINE_DECIMALS, "el valor tiene más decimales que su moneda; un punto solo puede preceder a los decimales",       \
      "amount: has more decimals than its currency; a point may only stand before decimals")                           \
    X(LINE_DATE,                                                                                                       \
      "la fecha debe ser como 2026-11-21, 2026-11-21 09:30:00 o 2026-11-21T09:30:00Z, o segundos desde 1970, de "      \
      "diez cifras; no se lee otra zona que Z",                                                                        \
      "date: must be like 2026-11-21, 2026-11-21 09:30:00 or 2026-11-21T09:30:00Z, or seconds since 1970, of ten "     \
      "digits; no other offset than Z is read")                                                                        \
    X(LINE_DAY, "la fecha no es del día que se compara", "date: is not of the day that is compared")                   \
    X(LINE_STATE, "el estado debe ser una palabra como paid, confirmada o true, o como cancelled, reversada o false",  \
      "state: must be a word like paid, confirmed or true, or like cancelled, reversed or false")

#endif
