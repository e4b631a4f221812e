#include "console/change/approval_kinds.h"
#include "console/change/change.h"
#include "console/change/changes.h"
#include "console/core/changes.h"
#include "console/pages/parts.h"

#include <strings.h>

/* Returns the name of DOMAIN\name. */
static const char *behind_domain(const char *name) {
    size_t size = strcspn(name, ":\\=,/+@");
    while (name[size] == ':' || name[size] == '\\') {
        name += size + 1;
        size = strcspn(name, ":\\=,/+@");
    }
    return name;
}

/* Like actor_person in sql/foundation.sql, which decides when the answer is written. This check only lets the page say
 * so earlier. */
static struct text person_named(struct text name, struct arena *arena) {
    const char *at = behind_domain(arena_copy(arena, name).at), *person = at;
    bool last_counts = *at == '/', found = false;
    while (*at != '\0' && (last_counts || !found)) {
        at += strspn(at, ",+/ ");
        if (strncasecmp(at, "cn=", 3) == 0) {
            found = true;
            person = at + 3;
        }
        at += strcspn(at, last_counts ? "/,+" : ",+");
    }
    return (struct text){person, strcspn(person, ",+/@")};
}

static bool is_own(const struct view *view, struct text asked_by) {
    const char *colon = asked_by.size == 0 ? NULL : memchr(asked_by.at, ':', asked_by.size);
    if (colon == NULL) {
        return false;
    }
    struct text behind = {colon + 1, asked_by.size - (size_t)(colon + 1 - asked_by.at)};
    struct text asker = person_named(behind, view->arena), user = person_named(view->user->name, view->arena);
    return asker.size == user.size && strncasecmp(asker.at, user.at, user.size) == 0;
}

/* States in which a change cannot be approved, and the reason. */
static const struct {
    const char *state;
    enum say refusal;
} NOT_TO_APPROVE[] = {{"expired", SAY_APPROVAL_EXPIRED}, {"stale", SAY_APPROVAL_STALE}};

static enum say judge_approval(const struct view *view, const struct approval *approval, bool approve) {
    for (size_t i = 0; i < COUNT_OF(NOT_TO_APPROVE); i++) {
        if (text_equal(approval->state, text_of(NOT_TO_APPROVE[i].state))) {
            return approve ? NOT_TO_APPROVE[i].refusal : SAY_NONE;
        }
    }
    if (!text_equal(approval->state, TEXT("waiting"))) {
        return SAY_IS_SO_ALREADY;
    }
    return approve && is_own(view, approval->asked_by) ? SAY_APPROVAL_OWN : SAY_NONE;
}

static void put_what_is_approved(struct view *view, const struct approval *approval) {
    put_fact(view, SAY_APPROVAL_CHANGE, approval_kind_word(view, approval));
    put_fact(view, SAY_APPROVAL_WHOSE, approval_whose(approval));
    bool is_claim = approval_is_claim(approval);
    markup_fill(view->html, "<div><dt>{}</dt><dd>", say(view, is_claim ? SAY_PO_ID : SAY_APPROVAL_OF_WHAT));
    if (is_claim) {
        part_order_link(view, approval->subject_id, approval->po_id);
    } else {
        put_changes(view, approval->changes);
    }
    markup_add(view->html, "</dd></div>\n");
    if (is_claim) {
        put_fact(view, SAY_AMOUNT, view_amount(view, approval->amount, approval->currency));
    }
}

static enum status read_approval(struct change *change, bool approve) {
    struct view *view = change->view;
    struct approval approval;
    enum status status = approvals_find(view->connection, change->id, view->arena, &approval);
    if (status != STATUS_OK) {
        return status;
    }
    enum say refusal = judge_approval(view, &approval, approve);
    change->back = TEXT("/approvals");
    change->seen = approval.state;
    change->refusal = refusal == SAY_NONE ? TEXT("") : say(view, refusal);
    put_what_is_approved(view, &approval);
    put_fact(view, SAY_ASKED_BY, approval.asked_by);
    put_fact(view, SAY_APPROVAL_REASON, approval.reason);
    put_fact(view, SAY_APPROVAL_EXPIRES, view_moment(view, approval.expires_at));
    return STATUS_OK;
}

static enum status read_to_approve(struct change *change) {
    return read_approval(change, true);
}

static enum status read_to_refuse(struct change *change) {
    return read_approval(change, false);
}

static enum status write_console_answer(struct change *change, bool approve) {
    enum approval_outcome outcome;
    const struct approval_answer answer = {
        .id = change->id, .approve = approve, .reason = change->reason, .user_id = change->view->user->id};
    enum status status = approvals_answer(change->view->connection, &answer, &outcome);
    return status == STATUS_OK && outcome != APPROVAL_DONE ? STATUS_CHANGED : status;
}

static enum status write_approval(struct change *change) {
    return write_console_answer(change, true);
}

static enum status write_refusal(struct change *change) {
    return write_console_answer(change, false);
}

enum status change_approve(struct view *view) {
    static const struct change_kind KIND = {.title = SAY_APPROVE_TITLE,
                                            .consequence = SAY_APPROVE_CONSEQUENCE,
                                            .button = SAY_APPROVE,
                                            .read = read_to_approve,
                                            .write = write_approval};
    return change_make(view, &KIND);
}

enum status change_refuse(struct view *view) {
    static const struct change_kind KIND = {.title = SAY_REFUSE_TITLE,
                                            .consequence = SAY_REFUSE_CONSEQUENCE,
                                            .button = SAY_REFUSE,
                                            .read = read_to_refuse,
                                            .write = write_refusal};
    return change_make(view, &KIND);
}
