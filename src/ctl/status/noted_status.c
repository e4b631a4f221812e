#include "ctl/status/noted_status.h"

#include "ctl/core/problem.h"
#include "store/operation/health.h"
#include "store/operation/troubles.h"

static void judge_backup(const struct backup_age *backup, struct record_list *problems) {
    static const char TIMER[] = "systemctl status recaudo-backup.timer, journalctl -u recaudo-backup";
    unsigned long long hours = (unsigned long long)(backup->ago / HOUR);
    if (!backup_is_old(backup)) {
        return;
    }
    if (backup->is_noted) {
        problem_add(problems, "the last backup was saved %llu hours ago: %s", hours, TIMER);
    } else {
        problem_add(problems,
                    "no backup was noted, and the first payment came %llu hours ago: %s; whoever saves the database "
                    "another way notes each one with SELECT backup_note('HOST')",
                    hours, TIMER);
    }
}

static enum status look_at_backup(struct connection *connection, struct record *record, struct record_list *problems) {
    struct backup_age backup;
    enum status status = health_backup(connection, &backup);
    if (status == STATUS_OK && backup.is_noted) {
        record_number(record, "backup_seconds_ago", (uint64_t)(backup.ago / SECOND));
    }
    if (status == STATUS_OK) {
        judge_backup(&backup, problems);
    }
    return status;
}

/* The words of `status` for each trouble, around the names of the hosts. */
static const struct {
    const char *before, *after;
} TROUBLES[TROUBLE_COUNT] = {
    [TROUBLE_HELD] = {"the dispatcher of ",
                      " does not seal the event log, because the database's seals are not those of its [audit] "
                      "seal_file: journalctl -u recaudo-settle names the seal; find out why before recaudoctl audit "
                      "resume"},
    [TROUBLE_RELOAD] = {"the workers of ",
                        " refused their last reload and go on with the configuration read before: journalctl -u "
                        "recaudo-fcgi, recaudoctl config check; then systemctl reload recaudo-fcgi"},
    [TROUBLE_UNRECORDED] = {"the delivering dispatcher of ",
                            " sends no notifications, because it cannot record what becomes of them: journalctl -u "
                            "recaudo-deliver says why; a missing right: recaudoctl db migrate, as root; a full disk: "
                            "operations.md (The disk is full); a lost connection (2013): a session holds a lock on a "
                            "table, database.md (Locks and slow statements)"},
    [TROUBLE_RIGHTS] = {"the workers of ",
                        " lack a right, or a function, that requests need, and these are answered 0009: recaudoctl "
                        "config check, as root, names it; recaudoctl db migrate gives rights again"},
    [TROUBLE_SEAL_FILE] = {"the dispatcher of ",
                           " cannot read its [audit] seal_file, or write to it: journalctl -u recaudo-settle says "
                           "why; its folder must be recaudo_dispatcher's, with room, and be named in ReadWritePaths of "
                           "recaudo-settle.service (Read-only file system: audit.md); the lines that are missing are "
                           "written then"},
};

static enum status look_at_trouble(const struct context *context, struct connection *connection, enum trouble trouble,
                                   struct record_list *problems) {
    struct text hosts;
    duration within = trouble_lasts(trouble, context->config.audit.seal_every);
    enum status status = troubles_hosts(connection, trouble, within, context->arena, &hosts);
    if (status == STATUS_OK && hosts.size > 0) {
        problem_add(problems, "%s%.*s%s (this line goes within %lld s after it is mended)", TROUBLES[trouble].before,
                    TEXT_ARGS(hosts), TROUBLES[trouble].after, (long long)(within / SECOND));
    }
    return status;
}

enum status noted_look(const struct context *context, struct connection *connection, struct record *record,
                       struct record_list *problems) {
    enum status status = look_at_backup(connection, record, problems);
    for (enum trouble trouble = 0; status == STATUS_OK && trouble < TROUBLE_COUNT; trouble++) {
        status = look_at_trouble(context, connection, trouble, problems);
    }
    return status;
}
