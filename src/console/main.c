/* recaudo-console: pages for people who answer for the service. Wires the parts together; see recaudo-console(8). */
#include "base/process/core_dumps.h"
#include "base/process/exit_status.h"
#include "base/process/standard_files.h"
#include "base/process/unix_listener.h"
#include "base/process/usage.h"
#include "console/serve.h"

#include <signal.h>
#include <unistd.h>

enum { LOCK_WAIT_SECONDS = 2 };

static void block_signals(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static int run_console(const struct config *config, int listener) {
    const struct connection_options options = {config, &config->database.console, LOCK_WAIT_SECONDS};
    struct arena *arena = arena_create();
    struct console console = {.config = config,
                              .pool = pool_create(&options, config->console.threads),
                              .style_address = handle_style_address(arena)};
    log_line(LOG_INFO, "the console serves with %llu threads", (unsigned long long)config->console.threads);
    bool served = serve_console(&console, listener, config->console.threads);
    pool_destroy(console.pool);
    arena_destroy(arena);
    log_line(LOG_INFO, "the console has stopped");
    return served ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int count, char **arguments) {
    static _Atomic uint64_t lines_dropped;
    char error[CONFIG_ERROR_SIZE];
    struct config config;
    standard_files_hold();
    core_dumps_off();
    if (version_is_asked(count, arguments)) {
        return version_tell("recaudo-console");
    }
    if (count > 1) {
        return usage_tell(count, arguments, "", config_path(NULL));
    }
    block_signals();
    /* libfcgi would keep a thread with each connection that it closes until the web server closes it too. */
    setenv("LIBFCGI_OS_CLOSE_POLL_TIMEOUT", "0", true);
    if (!config_read(config_path(NULL), &config, error)) {
        log_line(LOG_ERROR, "%s", error);
        return EXIT_NOT_CONFIGURED;
    }
    log_set_level(config.log.level);
    log_start_writer(&lines_dropped);
    bool inherited = unix_listener_is_open(STDIN_FILENO);
    int listener =
        inherited ? STDIN_FILENO : unix_listener_make(config.console.socket, SOCK_STREAM, config.console.socket_mode);
    int code = listener < 0 ? EXIT_NOT_CONFIGURED : run_console(&config, listener);
    if (!inherited && listener >= 0) {
        unlink(config.console.socket);
    }
    config_free(&config);
    return code;
}
