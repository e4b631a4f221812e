/* The style sheet of all pages (src/console/style.css, built into the program) and their icon. */
#ifndef RECAUDO_CONSOLE_CORE_STYLE_H
#define RECAUDO_CONSOLE_CORE_STYLE_H

extern const char style_sheet[];
extern const char style_icon[];

#endif
