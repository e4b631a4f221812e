/* Standard input, output and error, which a program may find closed (`recaudo-fcgi 2>&-`). */
#ifndef RECAUDO_BASE_PROCESS_STANDARD_FILES_H
#define RECAUDO_BASE_PROCESS_STANDARD_FILES_H

/*
 * Takes the place of each of the three that is closed, so that no socket or shared memory gets its number: log lines
 * and output would go there. What is read from it or written to it fails, as with a closed one. Call it in main before
 * anything is opened.
 */
void standard_files_hold(void);

#endif
