#include "console/pages/file.h"

#include "store/schema/schema.h"

enum status file_connect(const struct view *view, struct connection **out) {
    const struct connection_options options = {.config = view->config, .account = &view->config->database.console};
    return schema_connect(&options, out);
}
