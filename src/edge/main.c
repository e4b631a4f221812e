/* recaudo-fcgi: the FastCGI program. Wires the parts together; see recaudo-fcgi(8). */
#include "api/caller/changeover.h"
#include "api/caller/credentials.h"
#include "api/caller/rates.h"
#include "api/external/query_resources.h"
#include "api/worker/commerces.h"
#include "api/worker/known_countries.h"
#include "api/worker/service_notes.h"
#include "base/loop/loop.h"
#include "base/process/confine.h"
#include "base/process/core_dumps.h"
#include "base/process/standard_files.h"
#include "base/process/usage.h"
#include "edge/query_process.h"
#include "edge/serve.h"
#include "edge/service_manager.h"
#include "edge/settings.h"
#include "edge/supervise.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct program {
    struct config config;
    struct listener listener;
    struct handover handover;
    struct query_process query_process;
    struct service service;
    struct settings next; /* read for a reload, not yet in use */
};

_Static_assert((size_t)PROCESSES_MAX <= COUNTERS_PROCESSES_MAX, "every process has a place");

static void note_end(void *of_program, size_t place, bool died) {
    const struct program *program = of_program;
    if (place == COMPANION) {
        *program->query_process.beats = 0;
    } else {
        counters_end_process(program->service.counters, place);
        program->service.counters->process_deaths += died;
    }
}

/*
 * Confines the process. Apart from serving, it now only needs the database, to which it may have to reconnect, and
 * recaudo-query.
 */
static void give_up_the_rest(const struct config *config) {
    (void)confine(config->database.socket != NULL ? CONFINED_SERVING_LOCAL : CONFINED_SERVING);
}

static void create_caches(struct service *service) {
    service->network_credentials = cache_create(sizeof(struct credential));
    service->merchant_credentials = cache_create(sizeof(struct credential));
    service->commerces = cache_create(sizeof(struct commerce));
    service->countries = cache_create(sizeof(struct country));
    service->networks_at_limit = cache_create(sizeof(bool));
}

static void destroy_caches(struct service *service) {
    cache_destroy(service->networks_at_limit);
    cache_destroy(service->countries);
    cache_destroy(service->commerces);
    cache_destroy(service->merchant_credentials);
    cache_destroy(service->network_credentials);
}

static int run_worker(struct program *program, size_t place) {
    struct service *service = &program->service;
    const struct connection_options options = {&program->config, &program->config.database.worker, REQUEST_LOCK_WAIT};
    if (!loop_open()) {
        log_line(LOG_ERROR, "cannot serve: %s", strerror(errno));
        return EXIT_FAILURE;
    }
    service->rates = settings_open_rates(&program->config);
    if (service->rates == NULL) {
        return EXIT_NOT_CONFIGURED;
    }
    give_up_the_rest(&program->config);
    service->query_resources = query_resources_create(&program->config, program->query_process.socket);
    service->pool = pool_create(&options, program->config.worker.connections);
    pool_watch(service->pool, &service->counters->processes[place].pool);
    pool_make_ahead(service->pool);
    service->beats = &service->counters->processes[place].beats;
    counters_begin_process(service->counters, place);
    service->changeover_notes = changeover_notes_create();
    create_caches(service);
    log_line(LOG_INFO, "worker %d serves with %llu database connections", (int)getpid(),
             (unsigned long long)program->config.worker.connections);
    struct service_notes notes;
    if (place == 0) {
        service_notes_begin(&notes, service);
    }
    bool served = serve_until_stopped(&program->listener, &program->handover, service);
    if (place == 0) {
        service_notes_end(&notes);
    }
    destroy_caches(service);
    changeover_notes_destroy(service->changeover_notes);
    pool_destroy(service->pool);
    rates_close(service->rates);
    query_resources_destroy(service->query_resources);
    loop_close();
    log_line(LOG_INFO, "worker %d has stopped", (int)getpid());
    return served ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run_process(void *of_program, size_t place) {
    struct program *program = of_program;
    if (place == COMPANION) {
        query_process_become(&program->query_process);
        return EXIT_FAILURE;
    }
    return run_worker(program, place);
}

/* Serves in this process. Nothing restarts it, or its recaudo-query, after a crash. */
static int run_alone(struct program *program) {
    pid_t companion = program->query_process.is_ours ? fork() : -1;
    if (companion == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        exit(run_process(program, COMPANION));
    }
    int code = run_worker(program, 0);
    if (companion > 0) {
        kill(companion, SIGTERM);
        waitpid(companion, NULL, 0);
    }
    return code;
}

/*
 * Longer than every legitimate wait of a request or of a starting worker: connecting, a statement, a merchant's answer.
 */
static duration hung_after(const struct config *config) {
    return REQUEST_TIME + config->database.connect_timeout + config->database.read_timeout + 7 * SECOND;
}

static void use_settings(struct program *program, const struct settings *settings) {
    program->config = settings->config;
    program->service.vault = settings->vault;
    program->service.config = &program->config;
    program->service.service_name = text_of(program->config.worker.service_name);
    log_set_level(program->config.log.level);
}

static bool set_up_service(struct program *program) {
    struct settings settings;
    if (!settings_read(&settings)) {
        return false;
    }
    use_settings(program, &settings);
    return settings_fit(&settings, NULL) && query_process_open(&program->config, &program->query_process) &&
           listener_open(&program->config, &program->listener);
}

static bool read_configuration_again(void *of_program, duration *check_time) {
    struct program *program = of_program;
    bool read = settings_read(&program->next);
    if (!read) {
        program->service.counters->reload_refused = 1;
    }
    *check_time = read ? settings_check_time(&program->next.config) : 0;
    return read;
}

static bool check_configuration(void *of_program) {
    struct program *program = of_program;
    return settings_fit(&program->next, &program->config);
}

/* Keeps the listening socket that was opened at the start. */
static void adopt(void *of_program, struct supervised *what) {
    struct program *program = of_program;
    vault_close(program->service.vault);
    config_free(&program->config);
    use_settings(program, &program->next);
    listener_tell_other(&program->listener, &program->config);
    program->service.counters->reload_refused = 0;
    what->processes = program->config.worker.processes > 0 ? program->config.worker.processes : 1;
    what->hung_after = hung_after(&program->config);
}

static void discard(void *of_program) {
    struct program *program = of_program;
    program->service.counters->reload_refused = 1;
    settings_free(&program->next);
}

static uint64_t beats(void *of_program, size_t place) {
    const struct program *program = of_program;
    return place == COMPANION ? *program->query_process.beats : program->service.counters->processes[place].beats;
}

static void note_hang(void *of_program) {
    const struct program *program = of_program;
    program->service.counters->process_hangs++;
}

static void block_signals(void) {
    sigset_t signals = supervise_signals();
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/*
 * By default libfcgi waits up to 2 s at each close until the web server closes the connection too. Requests are read to
 * their end, so closing at once loses nothing.
 */
static void close_at_once(void) {
    setenv("LIBFCGI_OS_CLOSE_POLL_TIMEOUT", "0", true);
}

/* A process that serves alone has no process to hand over to. */
static bool open_handover(struct handover *handover, size_t processes) {
    *handover = (struct handover){-1, -1};
    bool opened = processes == 0 || handover_open(handover);
    if (!opened) {
        log_line(LOG_ERROR, "cannot serve: %s", strerror(errno));
    }
    return opened;
}

int main(int count, char **arguments) {
    static struct program program;
    standard_files_hold();
    core_dumps_off();
    if (version_is_asked(count, arguments)) {
        return version_tell("recaudo-fcgi");
    }
    if (count > 1) {
        return usage_tell(count, arguments, "", config_path(NULL));
    }
    block_signals();
    close_at_once();
    program.service.counters = counters_create();
    log_start_writer(&program.service.counters->log_lines_dropped);
    if (!set_up_service(&program)) {
        return EXIT_NOT_CONFIGURED;
    }
    size_t processes = program.config.worker.processes;
    if (!open_handover(&program.handover, processes)) {
        return EXIT_FAILURE;
    }
    const struct supervised supervised = {.processes = processes,
                                          .has_companion = program.query_process.is_ours,
                                          .is_followed = service_manager_is_there(),
                                          .hung_after = hung_after(&program.config),
                                          .work = run_process,
                                          .ended = note_end,
                                          .beats = beats,
                                          .hung = note_hang,
                                          .reload = {read_configuration_again, check_configuration, adopt, discard},
                                          .context = &program};
    handover_take_up(&program.handover);
    int code = processes == 0 ? run_alone(&program) : supervise(&supervised);
    handover_leave(&program.handover);
    query_process_close(&program.query_process);
    handover_close(&program.handover);
    listener_close(&program.listener);
    vault_close(program.service.vault);
    config_free(&program.config);
    return code;
}
