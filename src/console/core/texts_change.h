/* Words of the forms that change something. */
#ifndef RECAUDO_CONSOLE_CORE_TEXTS_CHANGE_H
#define RECAUDO_CONSOLE_CORE_TEXTS_CHANGE_H

#define CHANGE_TEXTS(X) X(REASON, "Motivo", "Reason")

#endif
