/*
 * Did the machine work? Every function that talks to the outside returns one of these. What the business says is
 * `enum refusal`.
 */
#ifndef RECAUDO_BASE_STATUS_H
#define RECAUDO_BASE_STATUS_H

#include "base/base.h"

enum MUST_USE status {
    STATUS_OK,
    STATUS_NONE,    /* a read found no row: what was asked for is not there */
    STATUS_CHANGED, /* a guarded write wrote nothing: its WHERE no longer holds. Read the row and judge again */
    STATUS_CLASH,   /* a unique key is taken: read the winner */
    STATUS_AGAIN,   /* rolled back: the whole unit may run again */
    STATUS_LIMIT,   /* a limit that the database keeps is reached: nothing happened, later it may */
    STATUS_UNSURE,  /* the outcome of a commit is not known: answer 0028, never guess */
    STATUS_AWAY,    /* the database cannot be reached or all connections are busy: nothing happened */
    STATUS_FAULT    /* anything else; it has been logged */
};

#endif
