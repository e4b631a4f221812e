#include "console/pages/file.h"

#include "store/schema/schema.h"

#include <pthread.h>

enum { FILES_MAX = 64 };

/* The ids of the users who have a file in hand. */
static struct {
    pthread_mutex_t lock;
    uint64_t users[FILES_MAX];
    size_t count;
} open_files = {.lock = PTHREAD_MUTEX_INITIALIZER};

static size_t find_file(uint64_t user_id) {
    size_t i = 0;
    while (i < open_files.count && open_files.users[i] != user_id) {
        i++;
    }
    return i;
}

static bool take_file_place(const struct view *view) {
    uint64_t most = view->config->console.threads / 2;
    pthread_mutex_lock(&open_files.lock);
    bool is_free = open_files.count < FILES_MAX && (open_files.count == 0 || open_files.count < most) &&
                   find_file(view->user->id) == open_files.count;
    if (is_free) {
        open_files.users[open_files.count++] = view->user->id;
    }
    pthread_mutex_unlock(&open_files.lock);
    return is_free;
}

static void give_place(const struct view *view) {
    pthread_mutex_lock(&open_files.lock);
    open_files.users[find_file(view->user->id)] = open_files.users[open_files.count - 1];
    open_files.count--;
    pthread_mutex_unlock(&open_files.lock);
}

enum status file_open(const struct view *view, struct connection **out) {
    const struct connection_options options = {.config = view->config, .account = &view->config->database.console};
    if (!take_file_place(view)) {
        return STATUS_LIMIT;
    }
    enum status status = schema_connect(&options, out);
    if (status != STATUS_OK) {
        give_place(view);
    }
    return status;
}

void file_close(const struct view *view, struct connection *connection) {
    connection_close(connection);
    give_place(view);
}
