#include "api/worker/shared_statement.h"

#include "api/worker/call.h"
#include "base/loop/task.h"

/* A queued request checks at this interval whether it may start a second statement. */
#define PATIENCE SECOND

/* A request in a hurry leaves the queue after this time. */
#define HURRY (100 * MILLISECOND)

/* Statements of one kind at once: one that may hang, and a second one. */
enum { AT_ONCE_MAX = 2 };

/* WAITS: queued. LEADS: its task runs the statement. RUNS: another task's statement serves it. */
enum stage { WAITS, LEADS, RUNS, DONE };

/* One request, on the stack of its task. */
struct sharer {
    void *request;
    struct task *task;
    duration deadline;
    enum stage stage;
    enum status status; /* in the stage DONE */
    bool is_second;     /* when it began to lead, another statement of the kind was at work */
    bool in_a_hurry;
    struct sharer *next;
};

static void join_queue(struct shared_statement *statement, struct sharer *sharer) {
    if (statement->first == NULL) {
        statement->first = sharer;
    } else {
        statement->last->next = sharer;
    }
    statement->last = sharer;
}

static struct sharer *take_sharer(struct shared_statement *statement) {
    struct sharer *first = statement->first;
    statement->first = first->next;
    first->next = NULL;
    return first;
}

static void leave_queue(struct shared_statement *statement, const struct sharer *sharer) {
    struct sharer *before = NULL;
    for (struct sharer *at = statement->first; at != sharer; at = at->next) {
        before = at;
    }
    *(before == NULL ? &statement->first : &before->next) = sharer->next;
    statement->last = statement->last == sharer ? before : statement->last;
}

/* The request that has waited longest runs the next statement. */
static void appoint_next(struct shared_statement *statement) {
    if (statement->first != NULL) {
        struct sharer *next = take_sharer(statement);
        next->stage = LEADS;
        next->is_second = statement->at_work > 0;
        statement->at_work++;
        task_wake(next->task);
    }
}

/* A statement that is cut would leave all of its requests in doubt. */
#define TIME_FOR_A_STATEMENT (500 * MILLISECOND)

static bool has_time(const struct sharer *sharer) {
    return sharer->deadline - clock_monotonic() >= TIME_FOR_A_STATEMENT;
}

static void end_sharer(struct sharer *sharer, enum status status) {
    sharer->stage = DONE;
    sharer->status = status;
    task_wake(sharer->task);
}

/* Adds queued requests to the leader. Returns how many there are with it. *until: the earliest deadline of them. */
static size_t gather(struct shared_statement *statement, struct sharer *sharers[SHARERS_MAX], duration *until) {
    size_t count = 1;
    while (count < SHARERS_MAX && statement->first != NULL) {
        struct sharer *sharer = take_sharer(statement);
        if (!has_time(sharer)) {
            end_sharer(sharer, STATUS_AWAY);
            continue;
        }
        sharers[count++] = sharer;
        sharer->stage = RUNS;
        *until = sharer->deadline < *until ? sharer->deadline : *until;
    }
    return count;
}

static enum status run_with_others(struct shared_statement *statement, struct connection *connection, struct call *call,
                                   shared_act *act, struct sharer *leader) {
    struct sharer *sharers[SHARERS_MAX] = {leader};
    void *requests[SHARERS_MAX];
    duration until = leader->deadline;
    size_t count = gather(statement, sharers, &until);
    for (size_t i = 0; i < count; i++) {
        requests[i] = sharers[i]->request;
    }
    connection_lend(connection, until, until);
    enum status status = act(connection, requests, count, call->arena);
    for (size_t i = 1; i < count; i++) {
        end_sharer(sharers[i], status);
    }
    return status;
}

/* First lets the loop read the requests that have arrived, so that they join the queue; this takes no time if there are
 * none. A second statement skips that, to take the spare connection before another request does. */
static enum status lead(struct shared_statement *statement, struct call *call, shared_act *act, struct sharer *leader) {
    struct connection *connection;
    if (!leader->is_second) {
        task_sleep(0);
    }
    enum status status = call_take_connection(call, &connection);
    if (status == STATUS_OK) {
        status = has_time(leader) ? run_with_others(statement, connection, call, act, leader) : STATUS_AWAY;
        pool_give(call->service->pool, connection);
    }
    statement->at_work--;
    if (statement->at_work == 0 || leader->is_second) {
        appoint_next(statement);
    }
    return status;
}

/* If the database itself hangs, no connection can be made, and trying would take the pool down. So a second statement
 * needs a connection that is open already, and enough others must stay free. */
static bool may_be_second(const struct shared_statement *statement, const struct call *call) {
    return statement->at_work < AT_ONCE_MAX && pool_has_spare(call->service->pool);
}

static void end_wait(struct shared_statement *statement, const struct call *call, struct sharer *sharer) {
    bool is_late = clock_monotonic() >= sharer->deadline;
    if (is_late || sharer->in_a_hurry) {
        leave_queue(statement, sharer);
        sharer->stage = DONE;
        sharer->status = is_late ? STATUS_AWAY : STATUS_CHANGED;
    } else if (has_time(sharer) && may_be_second(statement, call)) {
        leave_queue(statement, sharer);
        sharer->stage = LEADS;
        sharer->is_second = true;
        statement->at_work++;
    }
}

/* Waits until another task's statement has served the request, or until it leads. Only a queued request can end its
 * wait: once a statement serves it, it must wait for the outcome. */
static void wait_for_others(struct shared_statement *statement, const struct call *call, struct sharer *sharer) {
    join_queue(statement, sharer);
    while (sharer->stage == WAITS || sharer->stage == RUNS) {
        duration patient = clock_monotonic() + (sharer->in_a_hurry ? HURRY : PATIENCE);
        duration until = patient < sharer->deadline ? patient : sharer->deadline;
        bool in_time = task_pause(sharer->stage == WAITS ? until : INT64_MAX);
        if (!in_time && sharer->stage == WAITS) {
            end_wait(statement, call, sharer);
        }
    }
}

static enum status run_sharer(struct shared_statement *statement, struct call *call, shared_act *act,
                              struct sharer *sharer) {
    sharer->task = task_running();
    sharer->deadline = call->deadline;
    if (statement->at_work == 0) {
        statement->at_work++;
        sharer->stage = LEADS;
    } else {
        sharer->stage = WAITS;
        wait_for_others(statement, call, sharer);
    }
    return sharer->stage == LEADS ? lead(statement, call, act, sharer) : sharer->status;
}

enum status shared_statement_run(struct shared_statement *statement, struct call *call, shared_act *act,
                                 void *request) {
    struct sharer sharer = {.request = request};
    return run_sharer(statement, call, act, &sharer);
}

enum status shared_statement_run_soon(struct shared_statement *statement, struct call *call, shared_act *act,
                                      void *request) {
    struct sharer sharer = {.request = request, .in_a_hurry = true};
    return run_sharer(statement, call, act, &sharer);
}

bool shared_statement_is_final(enum status status) {
    return status == STATUS_OK || status == STATUS_UNSURE || status == STATUS_AWAY;
}
