#include "dispatch/deliver/waiting.h"

#include "dispatch/deliver/sendings.h"

void waiting_add(struct waiting_list *list, struct sending *sending) {
    sending->next = NULL;
    *(list->first == NULL ? &list->first : &list->last->next) = sending;
    list->last = sending;
    list->count++;
}

static struct sending *take_after(struct waiting_list *list, struct sending *before) {
    struct sending **link = before == NULL ? &list->first : &before->next, *taken = *link;
    *link = taken->next;
    list->last = list->last == taken ? before : list->last;
    list->count--;
    return taken;
}

struct sending *waiting_take(struct waiting_list *list, bool first_attempts_only) {
    struct sending *before = NULL;
    for (struct sending *at = list->first; at != NULL; before = at, at = at->next) {
        if (!first_attempts_only || at->notification.attempts == 0) {
            return take_after(list, before);
        }
    }
    return NULL;
}
