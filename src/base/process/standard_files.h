/* Standard input, output and error, which a program may find closed (`recaudo-fcgi 2>&-`). */
#ifndef RECAUDO_BASE_PROCESS_STANDARD_FILES_H
#define RECAUDO_BASE_PROCESS_STANDARD_FILES_H

/*
 * Opens a placeholder for each of the three that is closed, so that no socket or shared memory gets its number and log
 * lines cannot go there. Reading and writing a placeholder fails, as with a closed file. Call it in main before
 * anything is opened.
 */
void standard_files_hold(void);

#endif
