/*
 * recaudo-floor: the least that answers a network with libfcgi: threads that accept, one plain statement each on a
 * schema of its own (floor.sql), one printf. No checksum, no checks, no log. What the product is compared with; see
 * README.md.
 */

/* First, because its header includes mysql.h. */
#include "bench/floor/floor_data.h"

#include "bench/common/fail.h"
#include "bench/common/options.h"

#include <fcgiapp.h>
#include <pthread.h>

enum { BODY_SIZE = 4096, BACKLOG = 4096 };

static const char usage[] =
    "Usage: recaudo-floor --socket PATH --database-socket PATH --database NAME --password-file FILE [--threads N]\n"
    "Looks up (GET), registers (POST) and confirms (PATCH) on a FastCGI socket until it is ended by a signal.\n";

static struct floor_place place;
static int listener;

static const char *parameter(const FCGX_Request *request, const char *name) {
    const char *value = FCGX_GetParam(name, request->envp);
    return value == NULL ? "" : value;
}

static void answer(FCGX_Request *request, struct floor_data *data) {
    char body[BODY_SIZE];
    char reply[FLOOR_REPLY_SIZE];
    struct floor_request asked;
    const struct floor_row *row = NULL;
    int size = FCGX_GetStr(body, sizeof body, request->in);
    if (floor_request_read(parameter(request, "REQUEST_METHOD"), parameter(request, "REQUEST_URI"),
                           (struct text){body, (size_t)size}, &asked)) {
        MYSQL_STMT *statement = floor_data_bind(data, &asked);
        if (mysql_stmt_execute(statement) != 0) {
            fail("%s", mysql_stmt_error(statement));
        }
        row = floor_data_take(data, &asked);
    }
    FCGX_PutStr(reply, (int)floor_reply(&asked, row, reply), request->out);
}

static void *serve(void *unused) {
    (void)unused;
    FCGX_Request request;
    struct floor_data data;
    floor_data_open(&data, &place, false);
    FCGX_InitRequest(&request, listener, 0);
    while (FCGX_Accept_r(&request) == 0) {
        answer(&request, &data);
        FCGX_Finish_r(&request);
    }
    floor_data_close(&data);
    return NULL;
}

int main(int argc, char **argv) {
    const char *socket_path = NULL;
    uint64_t threads = 16;
    const struct option_spec specs[] = {
        {"socket", OPTION_TEXT, &socket_path, 0, 0},      {"database-socket", OPTION_TEXT, &place.socket, 0, 0},
        {"database", OPTION_TEXT, &place.database, 0, 0}, {"password-file", OPTION_TEXT, &place.password_file, 0, 0},
        {"threads", OPTION_WHOLE, &threads, 1, 1024},
    };
    options_parse(argc, argv, usage, specs, COUNT_OF(specs));
    if (socket_path == NULL || place.socket == NULL || place.database == NULL || place.password_file == NULL) {
        fail("an option is missing; see --help");
    }
    if (mysql_library_init(0, NULL, NULL) != 0 || FCGX_Init() != 0) {
        fail("a library cannot be initialised");
    }
    listener = FCGX_OpenSocket(socket_path, BACKLOG);
    for (uint64_t i = 1; i < threads; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, serve, NULL) != 0) {
            fail("only %llu threads can be started", (unsigned long long)i);
        }
    }
    serve(NULL);
    return 0;
}
