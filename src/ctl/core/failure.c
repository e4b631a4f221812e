#include "ctl/core/failure.h"

#include "base/utf8.h"
#include "ctl/core/help.h"
#include "ctl/core/output.h"

#include <stdarg.h>

enum { REASON_SIZE = 2048 };

/* The reason may quote the command line: invalid UTF-8 and control characters, which could control the terminal, become
 * ?. */
static void make_printable(char *reason) {
    bool is_utf8 = utf8_is_valid(text_of(reason));
    for (char *at = reason; *at != '\0'; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte < 0x20 || byte == 0x7F || (byte >= 0x80 && !is_utf8)) {
            *at = '?';
        }
    }
}

static bool tells_state(const struct context *context) {
    return context->command != NULL && (context->command->needs & TELLS_STATE) != 0;
}

static void print_reason(const struct context *context, char *reason, bool with_state) {
    make_printable(reason);
    fprintf(stderr, "recaudoctl: %s\n", reason);
    if (context->json || with_state) {
        struct record *record = record_create(context->arena);
        record_text(record, "error", text_of(reason));
        if (with_state) {
            record_text(record, "state", TEXT("unknown"));
        }
        output_record(record, context->json);
    }
}

enum outcome refuse(const struct context *context, const char *format, ...) {
    char reason[REASON_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    print_reason(context, reason, tells_state(context));
    return OUTCOME_REFUSED;
}

enum outcome misuse(const struct context *context, const char *format, ...) {
    char reason[REASON_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    print_reason(context, reason, false);
    help_hint(stderr, context->group, context->command);
    return OUTCOME_MISUSED;
}

static const char *reason_of(enum status status) {
    static const char *const REASONS[] = {
        [STATUS_AWAY] = "the database cannot be reached",
        [STATUS_UNSURE] = "the connection to the database was lost before it answered",
        [STATUS_FULL] = "the database's disk is full: free space as operations.md says (The disk is full)",
        [STATUS_AGAIN] = "others are changing the same rows, or the database is read only (recaudoctl status says so)",
        [STATUS_CHANGED] = "others are changing the same rows",
    };
    const char *reason = (size_t)status < COUNT_OF(REASONS) ? REASONS[status] : NULL;
    return reason != NULL ? reason : "the database refused; the line above says why";
}

/* Returns advice for a command that has committed nothing yet. Reads can end with STATUS_UNSURE too. A command that
 * TELLS_STATE changes nothing, so its advice names the likely cause instead. */
static const char *remedy_of(const struct context *context, enum status status) {
    if (status == STATUS_UNSURE && tells_state(context)) {
        return "; it is slow or frozen, or a session holds a lock on a table: SHOW FULL PROCESSLIST, as database.md "
               "says (Locks and slow statements)";
    }
    if (status == STATUS_UNSURE) {
        return "; if the command changes something, look whether it did before you repeat it";
    }
    bool again = status == STATUS_AGAIN || status == STATUS_CHANGED || status == STATUS_FULL;
    return again ? "; nothing was done, try again" : "";
}

static void print_failure(const struct context *context, enum status status, const char *what, const char *rest[2]) {
    char reason[REASON_SIZE];
    snprintf(reason, sizeof reason, "cannot %s: %s%s%s", what, reason_of(status), rest[0], rest[1]);
    print_reason(context, reason, tells_state(context));
}

enum outcome fail(const struct context *context, enum status status, const char *what) {
    print_failure(context, status, what, (const char *[2]){remedy_of(context, status), ""});
    return status == STATUS_AWAY || status == STATUS_UNSURE ? OUTCOME_AWAY : OUTCOME_REFUSED;
}

enum outcome fail_after(const struct context *context, enum status status, const char *what, const char *done) {
    print_failure(context, status, what, (const char *[2]){"; ", done});
    return OUTCOME_AWAY;
}

void remark(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("recaudoctl: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}
