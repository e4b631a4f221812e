#include "ctl/status/noted_status.h"

#include "store/operation/health.h"
#include "store/operation/reload_notes.h"

/* A day, and what a large database may take. */
#define BACKUP_IS_OLD (26 * HOUR)

/* One that was never noted is made another way. */
static enum status look_at_backup(const struct context *context, struct connection *connection, struct record *record,
                                  struct record_list *problems) {
    struct heartbeat backup;
    enum status status = health_backup(connection, &backup);
    if (status == STATUS_OK && backup.seen) {
        record_number(record, "backup_seconds_ago", (uint64_t)(backup.ago / SECOND));
        if (backup.ago > BACKUP_IS_OLD) {
            record_text(record_list_add(problems), "problem",
                        arena_print(context->arena,
                                    "the last backup was saved %llu hours ago: systemctl status "
                                    "recaudo-backup.timer, journalctl -u recaudo-backup",
                                    (unsigned long long)(backup.ago / HOUR)));
        }
    }
    return status;
}

static enum status look_at_reloads(const struct context *context, struct connection *connection,
                                   struct record_list *problems) {
    struct text hosts;
    enum status status = reload_notes_read(connection, context->arena, &hosts);
    if (status == STATUS_OK && hosts.size > 0) {
        record_text(record_list_add(problems), "problem",
                    arena_print(context->arena,
                                "the workers of %.*s refused their last reload and go on with the configuration read "
                                "before: journalctl -u recaudo-fcgi, recaudoctl config check; then systemctl reload "
                                "recaudo-fcgi (this line goes within a minute after that)",
                                TEXT_ARGS(hosts)));
    }
    return status;
}

enum status noted_look(const struct context *context, struct connection *connection, struct record *record,
                       struct record_list *problems) {
    enum status status = look_at_backup(context, connection, record, problems);
    return status == STATUS_OK ? look_at_reloads(context, connection, problems) : status;
}
