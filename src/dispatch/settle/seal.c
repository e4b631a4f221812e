#include "dispatch/settle/seal.h"

#include "audit/seal_file.h"
#include "store/operation/troubles.h"

/* Longest time that sealing delays the next pass. */
#define SLICE (50 * MILLISECOND)

/*
 * False: a key is configured and cannot be read. Nothing is sealed then, because an unsigned seal among signed ones
 * would look like tampering.
 */
static bool has_key(const struct task_run *run, struct sealer *sealer) {
    char error[SEAL_KEY_ERROR_SIZE];
    const char *path = run->config->audit.signing_key;
    if (path == NULL || sealer->key != NULL) {
        return true;
    }
    sealer->key = seal_key_read(path, error);
    if (sealer->key == NULL) {
        log_line(LOG_ERROR, "the event log is not sealed: [audit] signing_key %s", error);
    }
    return sealer->key != NULL;
}

/*
 * Logs and notes a problem with the seal file. If the file cannot be read or written, sealing continues, even if the
 * problem cannot be noted.
 */
static enum status note_file_state(const struct task_run *run, struct connection *connection,
                                   enum seal_file_state state, enum status status, const char *error) {
    if (state != SEAL_FILE_FITS && status == STATUS_OK) {
        enum trouble trouble = state == SEAL_FILE_DIFFERS ? TROUBLE_HELD : TROUBLE_SEAL_FILE;
        log_line(LOG_ERROR, "%s", error);
        (void)troubles_note(connection, trouble, text_of(run->host));
    }
    return status;
}

/* Appends for the time of one slice, or in a run of one pass to the end: a new file lacks every seal there is. */
static enum status append_to_file(const struct task_run *run, struct connection *connection, struct sealer *sealer) {
    char error[SEAL_FILE_ERROR_SIZE] = "";
    duration until = clock_monotonic() + SLICE;
    enum status status = STATUS_OK;
    enum seal_file_state state = SEAL_FILE_FITS;
    const char *path = run->config->audit.seal_file;
    sealer->appends = path != NULL;
    while (sealer->appends && (run->once || clock_monotonic() < until) && !task_run_is_over(run)) {
        state = seal_file_append(path, connection, &sealer->appends, &status, error);
        task_run_progress(run);
    }
    return note_file_state(run, connection, state, status, error);
}

/*
 * Sets *held if the file's seals differ from the database's. Nothing may be sealed then: new seals would cover changes
 * made in between.
 */
static enum status compare_with_file(const struct task_run *run, struct connection *connection, bool *held) {
    char error[SEAL_FILE_ERROR_SIZE];
    enum status status = STATUS_OK;
    const char *path = run->config->audit.seal_file;
    enum seal_file_state state = path == NULL ? SEAL_FILE_FITS : seal_file_compare(path, connection, &status, error);
    *held = state == SEAL_FILE_DIFFERS;
    return note_file_state(run, connection, state, status, error);
}

/* Seals for the time of one slice, or in a run of one pass to the end. */
static enum status seal_slice(const struct task_run *run, struct connection *connection,
                              const struct sealing_rules *rules, struct sealer *sealer) {
    duration until = clock_monotonic() + SLICE;
    bool more = true;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && more && (run->once || clock_monotonic() < until) && !task_run_is_over(run)) {
        status = sealing_step(connection, rules, &sealer->sealing, &more);
        task_run_progress(run);
    }
    return status;
}

enum status seal_step(const struct task_run *run, struct connection *connection, struct sealer *sealer) {
    duration now = clock_monotonic();
    struct sealing_rules rules = {.every = run->config->audit.seal_every};
    if (rules.every == CONFIG_KEPT || (sealer->sealing == NULL && now < sealer->look_at)) {
        return sealer->appends ? append_to_file(run, connection, sealer) : STATUS_OK;
    }
    sealer->look_at = now + sealing_settles(&rules);
    if (!has_key(run, sealer)) {
        sealer->look_at = now + rules.every;
        return STATUS_OK;
    }
    rules.key = sealer->key;
    bool held = false;
    enum status status = sealer->sealing == NULL ? compare_with_file(run, connection, &held) : STATUS_OK;
    if (status != STATUS_OK || held) {
        sealer->look_at = now + rules.every;
        return status;
    }
    status = seal_slice(run, connection, &rules, sealer);
    if (status == STATUS_OK && sealer->sealing == NULL) {
        status = append_to_file(run, connection, sealer);
    }
    /* Another dispatcher has sealed meanwhile, or the database refuses; the next call tries again. */
    return status == STATUS_CHANGED ? STATUS_OK : status;
}

bool sealer_is_busy(const struct sealer *sealer) {
    return sealer->sealing != NULL || sealer->appends;
}

void sealer_end(struct sealer *sealer) {
    sealing_drop(sealer->sealing);
    seal_key_free(sealer->key);
}
