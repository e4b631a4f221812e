#include "ctl/config/config_key.h"

#include "ctl/config/config_readers.h"

void check_key(struct findings *findings) {
    const struct config *config = &findings->context->config;
    const char *const users[] = {config->database.worker.user, config->database.deliverer.user, NULL};
    char error[KEY_FILE_ERROR_SIZE];
    struct key_ring ring = {.count = 0};
    if (key_file_read(config->security.key_file, &ring, error)) {
        check_readers(findings, "key file", config->security.key_file, users, FOR_ITS_GROUP);
    } else {
        add_config_finding(findings, "key file", WRONG, error);
    }
    key_ring_wipe(&ring);
}
