/* Did the machine work? What every function that talks to the outside returns. What the business says is `enum refusal`. */
#ifndef RECAUDO_BASE_STATUS_H
#define RECAUDO_BASE_STATUS_H

enum status {
    STATUS_OK,
    STATUS_NONE,   /* what was asked for is not there, or a guarded update found nothing to change */
    STATUS_CLASH,  /* a unique key is taken: read the winner */
    STATUS_AGAIN,  /* rolled back: the whole unit may run again */
    STATUS_LIMIT,  /* a limit that the database keeps is reached: nothing happened, later it may */
    STATUS_UNSURE, /* the outcome of a commit is not known: answer 0028, never guess */
    STATUS_AWAY,   /* the database cannot be reached or all connections are busy: nothing happened */
    STATUS_FAULT   /* anything else; it has been logged */
};

#endif
