#include "store/db/error_text.h"

#include <errmsg.h>
#include <mysqld_error.h>

/* Errors whose texts name only tables, columns, routines, accounts and keys, or are literals of our own triggers and
 * functions. The text of any other may quote a value, such as a customer's document. */
static const unsigned TEXT_QUOTES_NO_VALUE[] = {
    ER_ACCESS_DENIED_ERROR,
    ER_DBACCESS_DENIED_ERROR,
    ER_TABLEACCESS_DENIED_ERROR,
    ER_COLUMNACCESS_DENIED_ERROR,
    ER_PROCACCESS_DENIED_ERROR,
    ER_SPECIFIC_ACCESS_DENIED_ERROR,
    ER_BAD_DB_ERROR,
    ER_NO_SUCH_TABLE,
    ER_BAD_FIELD_ERROR,
    ER_SP_DOES_NOT_EXIST,
    ER_VIEW_INVALID,
    ER_SIGNAL_EXCEPTION,
    ER_CONSTRAINT_FAILED,
    ER_NO_REFERENCED_ROW_2,
    ER_ROW_IS_REFERENCED_2,
    ER_BAD_NULL_ERROR,
    ER_NO_DEFAULT_FOR_FIELD,
    ER_DATA_TOO_LONG,
    ER_WARN_DATA_OUT_OF_RANGE,
    EE_WRITE,
    EE_DISK_FULL,
    ER_DISK_FULL,
    ER_RECORD_FILE_FULL,
    ER_ERROR_ON_WRITE,
    ER_OPTION_PREVENTS_STATEMENT,
    ER_READ_ONLY_MODE,
    ER_OPEN_AS_READONLY,
    ER_BINLOG_STMT_MODE_AND_ROW_ENGINE,
    ER_MAX_PREPARED_STMT_COUNT_REACHED,
    ER_OUT_OF_RESOURCES,
    ER_OUTOFMEMORY,
    ER_NET_PACKET_TOO_LARGE,
};

static bool is_among(const unsigned *errors, size_t count, unsigned error) {
    size_t i = 0;
    while (i < count && errors[i] != error) {
        i++;
    }
    return i < count;
}

bool error_text_may_be_logged(unsigned error) {
    return is_among(TEXT_QUOTES_NO_VALUE, COUNT_OF(TEXT_QUOTES_NO_VALUE), error) ||
           (error >= CR_MIN_ERROR && error <= CR_MAX_ERROR); /* the client library's own errors */
}

/* Errors that report a missing right or a missing part of the schema. */
static const unsigned SCHEMA_IS_DAMAGED[] = {ER_PROCACCESS_DENIED_ERROR,   ER_TABLEACCESS_DENIED_ERROR,
                                             ER_COLUMNACCESS_DENIED_ERROR, ER_SP_DOES_NOT_EXIST,
                                             ER_BAD_FIELD_ERROR,           ER_VIEW_INVALID};

/* What an ALTER that finds no room may end with; it says nothing of a disk. */
static const unsigned MAY_BE_FULL[] = {ER_NOT_KEYFILE, ER_TEMP_FILE_WRITE_FAILURE, ER_CANT_CREATE_TABLE};

const char *error_room(unsigned error, enum status status) {
    if (is_among(MAY_BE_FULL, COUNT_OF(MAY_BE_FULL), error)) {
        return ": its disk, or that of tmpdir, may be full: look at MariaDB's log and df before you mend anything";
    }
    return status == STATUS_FULL ? ": its disk is full; free space as operations.md says (The disk is full)" : "";
}

const char *error_mend(unsigned error, enum status status) {
    if (*error_room(error, status) != '\0') {
        return error_room(error, status);
    }
    if (error == ER_BINLOG_STMT_MODE_AND_ROW_ENGINE) {
        return ": set binlog_format to ROW in MariaDB's file and with SET GLOBAL; programs connect anew by themselves";
    }
    if (error == ER_NO_SUCH_TABLE) {
        return ": recaudoctl db migrate makes the schema; where it was there, config check, run as root, names what is "
               "missing";
    }
    if (is_among(SCHEMA_IS_DAMAGED, COUNT_OF(SCHEMA_IS_DAMAGED), error)) {
        return ": recaudoctl config check, run as root, names what is missing; db migrate gives rights again";
    }
    return "";
}
