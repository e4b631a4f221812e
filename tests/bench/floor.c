/*
 * recaudo-floor: the least that answers a lookup with libfcgi: threads that accept, one prepared SELECT each, one
 * printf. No checksum, no checks, no log. What the product is compared with; see README.md.
 */

/* Before base.h, because its macros use what that forbids. */
#include <mysql.h>

#include "bench/fail.h"
#include "bench/options.h"
#include "bench/point_select.h"

#include <fcgiapp.h>
#include <pthread.h>

enum { BODY_SIZE = 4096, BACKLOG = 4096 };

static const char usage[] = "Usage: recaudo-floor --socket PATH [--config FILE] [--threads N]\n"
                            "Answers GET .../{reference} on a FastCGI socket until it is ended by a signal.\n";

static const char body_format[] =
    "{\"CODE\":\"0000\",\"TEXT\":\"OK\",\"DATA\":{\"LASTNAME1\":\"\",\"LASTNAME2\":\"\",\"AMOUNT\":%s,"
    "\"DESCRIPTION\":\"%s\",\"DI\":\"\",\"COMMERCE\":\"%s\",\"REFERENCE\":\"%.*s\",\"TYPEDI\":\"\",\"NAME\":\"\"}}";

static struct config config;
static int listener;

/* What stands between the last slash of the path and the query. */
static struct text reference_in(const char *uri) {
    size_t end = strcspn(uri, "?");
    size_t start = end;
    while (start > 0 && uri[start - 1] != '/') {
        start--;
    }
    return (struct text){uri + start, end - start};
}

static void answer(FCGX_Request *request, struct point_select *select) {
    char body[BODY_SIZE] = "{\"CODE\":\"0101\",\"TEXT\":\"no such reference\"}";
    const char *uri = FCGX_GetParam("REQUEST_URI", request->envp);
    struct text reference = reference_in(uri == NULL ? "" : uri);
    const struct point_row *row = point_select_find(select, reference);
    if (row != NULL) {
        snprintf(body, sizeof body, body_format, row->amount, row->description, row->commerce, TEXT_ARGS(reference));
    }
    int size = (int)strlen(body);
    FCGX_FPrintF(request->out, "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n", size);
    FCGX_PutStr(body, size, request->out);
}

static void *serve(void *unused) {
    (void)unused;
    FCGX_Request request;
    struct point_select *select = point_select_open(&config);
    FCGX_InitRequest(&request, listener, 0);
    while (FCGX_Accept_r(&request) == 0) {
        answer(&request, select);
        FCGX_Finish_r(&request);
    }
    point_select_close(select);
    return NULL;
}

int main(int argc, char **argv) {
    const char *socket_path = NULL;
    const char *config_option = NULL;
    uint64_t threads = 16;
    const struct option_spec specs[] = {
        {"socket", OPTION_TEXT, &socket_path, 0, 0},
        {"config", OPTION_TEXT, &config_option, 0, 0},
        {"threads", OPTION_WHOLE, &threads, 1, 1024},
    };
    options_parse(argc, argv, usage, specs, COUNT_OF(specs));
    char error[CONFIG_ERROR_SIZE] = "--socket is needed; see --help";
    if (socket_path == NULL || !config_read(config_path(config_option), &config, error)) {
        fail("%s", error);
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
