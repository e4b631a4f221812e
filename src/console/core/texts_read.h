/* Words of the pages that only read. */
#ifndef RECAUDO_CONSOLE_CORE_TEXTS_READ_H
#define RECAUDO_CONSOLE_CORE_TEXTS_READ_H

#define READ_TEXTS(X) X(FIND, "Buscar", "Find")

#endif
