#include "refused_calls.h"

extern const char __executable_start, etext; /* the limits of this program's code, from the linker */

bool call_is_refused(unsigned *left, const char *caller) {
    return caller >= &__executable_start && caller < &etext && *left > 0 && --*left == 0;
}
