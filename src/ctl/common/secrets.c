#include "ctl/common/secrets.h"

#include "ctl/core/failure.h"
#include "ctl/core/validation.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum {
    SECRET_LEAST = 32,
    READ_MAX = SECRET_MAX + 3
}; /* room to detect a secret that is too long, and for a line end */

_Static_assert(SECRET_MAX == 512, "as a refusal says");

/* Reads up to READ_MAX bytes. Returns -1 and sets errno on failure. */
static ssize_t read_all(const char *path, char *out) {
    int file = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = 0, more = file < 0 ? -1 : 1;
    while (more > 0 && size < READ_MAX) {
        more = read(file, out + size, (size_t)(READ_MAX - size));
        size += more > 0 ? more : 0;
    }
    int error = errno;
    if (file > STDIN_FILENO) {
        close(file);
    }
    errno = error;
    return more < 0 ? -1 : size;
}

static struct text trim_secret_line_end(struct text whole) {
    if (whole.size > 0 && whole.at[whole.size - 1] == '\n') {
        whole.size--;
    }
    if (whole.size > 0 && whole.at[whole.size - 1] == '\r') {
        whole.size--;
    }
    return whole;
}

static enum outcome read_secret(const struct context *context, const char *option, const char *path,
                                struct secret *out) {
    char bytes[READ_MAX];
    ssize_t size = read_all(path, bytes);
    if (size < 0) {
        return refuse(context, "--%s: %s: %s", option, path, strerror(errno));
    }
    struct text value = trim_secret_line_end((struct text){bytes, (size_t)size});
    const char *complaint = value.size == 0           ? "is empty"
                            : value.size > SECRET_MAX ? "is longer than 512 bytes"
                                                      : validation_text(context->arena, value, SECRET_MAX);
    if (complaint == NULL && value.size < SECRET_LEAST && !arguments_has(&context->arguments, "weak-secret")) {
        complaint = "is shorter than 32 bytes: anybody who sees one message could find it by brute force. Use a longer "
                    "one, or omit the option to generate one; --weak-secret accepts it anyway";
    }
    if (complaint == NULL && !secret_set(out, value)) {
        complaint = "cannot be used as a secret";
    }
    explicit_bzero(bytes, sizeof bytes);
    return complaint == NULL ? OUTCOME_DONE
                             : refuse(context, "--%s: the secret in %s %s", option,
                                      strcmp(path, "-") == 0 ? "standard input" : path, complaint);
}

enum outcome secrets_take(const struct context *context, const char *option, struct secret *out) {
    struct text path = arguments_get(&context->arguments, option);
    if (path.at != NULL) {
        return read_secret(context, option, path.at, out);
    }
    return secret_generate(out) ? OUTCOME_DONE : refuse(context, "the system's random generator failed");
}

struct text secrets_seal(const struct context *context, const char *column, struct text owner,
                         const struct secret *secret) {
    unsigned char sealed[VAULT_SEALED_MAX];
    size_t size = vault_seal(context->vault, column, owner, secret, sealed);
    if (size == 0) {
        (void)refuse(context, "the secret cannot be encrypted"); /* the caller returns OUTCOME_REFUSED */
        return (struct text){NULL, 0};
    }
    return arena_copy(context->arena, (struct text){(const char *)sealed, size});
}
