/* A configuration that is read is the same when it is read again as it prints itself; one that is refused says why. */
#include "base/arena.h"
#include "base/config/config.h"
#include "fuzz.h"

struct printing {
    struct arena *arena;
    struct text file;
};

/* A setting without a value is one that is not set. */
static void print_setting(void *context, const char *section, const char *key, const char *value) {
    struct printing *printing = context;
    if (value[0] != '\0') {
        printing->file =
            arena_print(printing->arena, "%.*s[%s]\n%s = %s\n", TEXT_ARGS(printing->file), section, key, value);
    }
}

static struct text print_config(const struct config *config, struct arena *arena) {
    struct printing printing = {arena, TEXT("")};
    config_each(config, print_setting, &printing);
    return printing.file;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct config config, again;
    char error[CONFIG_ERROR_SIZE] = "";
    if (!config_read(fuzz_file(data, size), &config, error)) {
        assert(error[0] != '\0');
        return 0;
    }
    struct arena *arena = arena_create();
    struct text printed = print_config(&config, arena);
    assert(memchr(data, '\0', size) == NULL);
    assert(config_read(fuzz_file(printed.at, printed.size), &again, error));
    assert(text_equal(printed, print_config(&again, arena)));
    config_free(&again);
    config_free(&config);
    arena_destroy(arena);
    return 0;
}
