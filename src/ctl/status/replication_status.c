#include "ctl/status/replication_status.h"

#include "ctl/core/problem.h"
#include "store/operation/replication.h"

enum status replicas_look(const struct config *config, struct connection *connection, struct record_list *problems) {
    enum replication replication;
    enum status status = replication_look(connection, config, &replication);
    struct text problem = status == STATUS_OK ? replication_problem(replication) : TEXT("");
    if (problem.size > 0) {
        problem_add(problems, "%.*s", TEXT_ARGS(problem));
    }
    return status;
}
