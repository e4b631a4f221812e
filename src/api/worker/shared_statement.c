#include "api/worker/shared_statement.h"

#include "api/worker/call.h"
#include "base/loop/task.h"

/* After this time, and each time again, a waiting request looks whether it may have a statement of its own. */
#define PATIENCE SECOND

/* After this time a request in a hurry waits no longer. */
#define HURRY (100 * MILLISECOND)

/* Statements of one kind at once: the one that may hang, and one beside it. */
enum { AT_ONCE_MAX = 2 };

enum stage { WAITS, LEADS, RUNS, DONE };

/* One request, on the stack of its task. */
struct sharer {
    void *request;
    struct task *task;
    duration deadline;
    enum stage stage;
    enum status status; /* in the stage DONE */
    bool is_beside;     /* when it began to lead, another statement of the kind was at work */
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
        next->is_beside = statement->at_work > 0;
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

/* Adds to the leader those that wait. Returns how many they are together. *until: the time of whichever has least. */
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

/* First the loop reads what has come by now, and requests of this kind join the queue; that takes no time if there is
 * nothing to read. A statement beside another one takes the spare connection before anyone else can. */
static enum status lead(struct shared_statement *statement, struct call *call, shared_act *act, struct sharer *leader) {
    struct connection *connection;
    if (!leader->is_beside) {
        task_sleep(0);
    }
    enum status status = call_take_connection(call, &connection);
    if (status == STATUS_OK) {
        status = has_time(leader) ? run_with_others(statement, connection, call, act, leader) : STATUS_AWAY;
        pool_give(call->service->pool, connection);
    }
    statement->at_work--;
    if (statement->at_work == 0 || leader->is_beside) {
        appoint_next(statement);
    }
    return status;
}

/* The statement at work may have a connection that gives no answer. If it is the database that gives none, no
 * connection can be made, and to try it would take the pool down: so one must be there already, and enough others stay
 * free. */
static bool may_go_beside(const struct shared_statement *statement, const struct call *call) {
    return statement->at_work < AT_ONCE_MAX && pool_has_spare(call->service->pool);
}

static void end_wait(struct shared_statement *statement, const struct call *call, struct sharer *sharer) {
    bool is_late = clock_monotonic() >= sharer->deadline;
    if (is_late || sharer->in_a_hurry) {
        leave_queue(statement, sharer);
        sharer->stage = DONE;
        sharer->status = is_late ? STATUS_AWAY : STATUS_CHANGED;
    } else if (has_time(sharer) && may_go_beside(statement, call)) {
        leave_queue(statement, sharer);
        sharer->stage = LEADS;
        sharer->is_beside = true;
        statement->at_work++;
    }
}

/* Waits until another request's statement has done this one, or until this one leads. Only a request whose statement
 * has not begun can end its wait. */
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
