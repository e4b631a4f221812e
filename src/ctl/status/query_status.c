#include "ctl/status/query_status.h"

#include "ctl/core/problem.h"
#include "outbound/query/query_probe.h"

#include <errno.h>
#include <unistd.h>

#define PATIENCE (5 * SECOND)

static bool is_present(const char *path) {
    return access(path, F_OK) == 0;
}

/* Returns the socket that the workers of this host use. */
static const char *find_socket(const struct config *config, struct arena *arena) {
    const char *named = getenv("RECAUDO_QUERY_SOCKET");
    if (named != NULL) {
        return named;
    }
    return is_present(QUERY_SOCKET_OF_UNIT)
               ? QUERY_SOCKET_OF_UNIT
               : arena_print(arena, "%s%s", config->worker.socket, QUERY_SOCKET_OF_WORKER).at;
}

static void add_absence(struct record_list *problems, const char *path, const char *what) {
    problem_add(problems,
                "recaudo-query at %s %s, and lookups that a merchant answers get 0028: systemctl status "
                "recaudo-query.socket recaudo-query, journalctl -u recaudo-query; if /readyz does not "
                "answer either, the workers do not run: systemctl status recaudo-fcgi",
                path, what);
}

/* Returns the state of recaudo-query, or why this user cannot see it. A recaudo-query that recaudo-fcgi started accepts
 * only the workers' user and root. */
static const char *name_state(int failure, const char *worker_socket) {
    switch (failure) {
    case 0:
        return "answers";
    case EACCES:
        return "not for this user to see";
    case ENOENT:
        return is_present(worker_socket) ? "missing" : "no workers on this host";
    default:
        return "does not answer";
    }
}

static void judge_failure(const struct context *context, struct record_list *problems, const char *path, int failure) {
    const char *worker_socket = context->config.worker.socket;
    if (failure == ENOENT && is_present(worker_socket)) {
        add_absence(problems, path,
                    arena_print(context->arena, "is missing beside the workers' socket %s", worker_socket).at);
    } else if (failure != ENOENT && failure != EACCES) {
        add_absence(problems, path, arena_print(context->arena, "does not answer (%s)", strerror(failure)).at);
    }
}

void query_process_look(const struct context *context, struct record *record, struct record_list *problems) {
    struct query_reply reply;
    const char *path = find_socket(&context->config, context->arena);
    int failure = query_probe(path, PATIENCE, context->arena, &reply);
    struct record *shown = record_record(record, "recaudo_query");
    record_text(shown, "state", text_of(name_state(failure, context->config.worker.socket)));
    if (failure != 0) {
        judge_failure(context, problems, path, failure);
        return;
    }
    record_number(shown, "in_flight", reply.use.in_flight);
    record_number(shown, "sharing", reply.use.sharing);
    record_number(shown, "resting", reply.use.resting);
    if (reply.reload_refused) {
        problem_add(problems, "recaudo-query refused its last reload and goes on with the configuration read before: "
                              "recaudoctl config check; then systemctl reload recaudo-fcgi");
    }
}
