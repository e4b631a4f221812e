#include "linked_pool.h"

#include "samples.h"
#include "store/party/networks.h"
#include "unit/files.h"

#include <unistd.h>

static struct config through_link;
struct connection_options linked_options;
static char directory[64], link_path[80];
struct pool *linked_pool;

void linked_pool_bring_server_back(void) {
    ck_assert_int_eq(symlink(config.database.socket, link_path), 0);
}

void linked_pool_begin(void) {
    capture_errors();
    snprintf(directory, sizeof directory, "/tmp/recaudo-pool-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(link_path, sizeof link_path, "%s/db.sock", directory);
    linked_pool_bring_server_back();
    through_link = config;
    through_link.database.socket = link_path;
    linked_options = (struct connection_options){&through_link, &through_link.database.worker, 0};
    sample_network("Red Norte");
    linked_pool = pool_create(&linked_options, 2);
}

void linked_pool_end(void) {
    pool_destroy(linked_pool);
    unlink(link_path);
    rmdir(directory);
}

const char *linked_pool_path(void) {
    return link_path;
}

struct connection *linked_pool_take(void) {
    struct connection *connection = NULL;
    ck_assert_int_eq(pool_take(linked_pool, &connection), STATUS_OK);
    return connection;
}

enum status linked_pool_use(struct connection *connection) {
    struct party_row network;
    struct arena *memory = arena_create();
    enum status status = networks_find(connection, TEXT("Red Norte"), memory, &network);
    arena_destroy(memory);
    return status;
}

void linked_pool_close_door(void) {
    unlink(link_path);
}

void linked_pool_take_server_away(void) {
    linked_pool_close_door();
    database_run("KILL USER recaudo_worker@localhost");
    database_wait_for("SELECT COUNT(*) = 0 FROM information_schema.processlist WHERE user = 'recaudo_worker'");
}
