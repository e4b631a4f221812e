#include "console/change/change.h"
#include "console/change/changes.h"
#include "console/pages/parts.h"
#include "store/console/changes.h"
#include "store/console/parties.h"
#include "store/external/integrations.h"

#include <inttypes.h>

/* Adds facts, and sets the address to return to. */
static void show_party(struct change *change, const char *folder, struct text name, bool enabled) {
    struct view *view = change->view;
    change->back = arena_print(view->arena, "/%s/%" PRIu64, folder, change->id);
    put_fact(view, SAY_NAME, name);
    put_fact(view, SAY_STATE, say(view, enabled ? SAY_ENABLED : SAY_DISABLED));
}

static void refuse_unless(struct change *change, bool can_be_done) {
    change->refusal = can_be_done ? TEXT("") : say(change->view, SAY_IS_SO_ALREADY);
}

static enum status show_merchant_state(struct change *change, bool wish) {
    struct console_merchant merchant;
    enum status status = console_merchants_find(&change->reader, change->id, &merchant);
    if (status == STATUS_OK) {
        show_party(change, "merchants", merchant.description.name, merchant.description.enabled);
        put_fact(change->view, SAY_COMMERCE, merchant.description.settings.commerce);
        refuse_unless(change, merchant.description.enabled != wish);
    }
    return status;
}

static enum status show_network_state(struct change *change, bool wish) {
    struct network_description network;
    enum status status = console_networks_find(&change->reader, change->id, &network);
    if (status == STATUS_OK) {
        show_party(change, "networks", network.name, network.enabled);
        refuse_unless(change, network.enabled != wish);
    }
    return status;
}

/* For operators only, who read everything (see the table of pages). Returns to the integration's merchant. */
static enum status show_integration_state(struct change *change, bool wish) {
    struct view *view = change->view;
    struct integration_row row;
    struct merchant_description merchant;
    enum status status = change->reader.scope.everything
                             ? integrations_describe(view->connection, change->id, view->arena, &row)
                             : STATUS_NONE;
    if (status == STATUS_OK) {
        status = merchants_describe(view->connection, row.merchant, view->arena, &merchant);
    }
    if (status != STATUS_OK) {
        return status;
    }
    bool is_in_force = row.removed_at == 0;
    change->back = arena_print(view->arena, "/merchants/%" PRIu64, merchant.id);
    put_fact(view, SAY_MERCHANT, row.merchant);
    put_fact(view, SAY_CODE, row.code);
    put_fact(view, SAY_NETWORK, row.network);
    put_fact(view, SAY_URL, row.endpoint);
    put_fact(view, SAY_CURRENCY, row.currency);
    put_fact(view, SAY_STATE, say(view, is_in_force ? SAY_ENABLED : SAY_DISABLED));
    refuse_unless(change, is_in_force != wish);
    return STATUS_OK;
}

/* Reads the facts after the number `seen`, so they are at least as new. */
static enum status read_party(struct change *change, enum console_party kind, bool wish) {
    static enum status (*const SHOW[])(struct change *, bool) = {[CONSOLE_MERCHANT] = show_merchant_state,
                                                                 [CONSOLE_NETWORK] = show_network_state,
                                                                 [CONSOLE_INTEGRATION] = show_integration_state};
    struct view *view = change->view;
    uint64_t *seen = arena_alloc(view->arena, sizeof *seen);
    enum status status = console_seen(view->connection, kind, change->id, seen);
    if (status != STATUS_OK) {
        return status;
    }
    change->subject = seen;
    change->seen = part_number(view, *seen);
    return SHOW[kind](change, wish);
}

static enum status write_party(struct change *change, enum console_party kind, bool wish) {
    const uint64_t *seen = change->subject;
    const struct console_enabling enabling = {.user_id = change->view->user->id,
                                              .kind = kind,
                                              .id = change->id,
                                              .enabled = wish,
                                              .seen = *seen,
                                              .reason = change->reason};
    return console_enable(change->view->connection, &enabling);
}

/* Defines the page that enables or disables one kind of party. */
#define PAGE(name, kind_of, wish, verb, text_of_consequence)                                                           \
    static enum status read_##name(struct change *change) {                                                            \
        return read_party(change, kind_of, wish);                                                                      \
    }                                                                                                                  \
    static enum status write_##name(struct change *change) {                                                           \
        return write_party(change, kind_of, wish);                                                                     \
    }                                                                                                                  \
    enum status change_##name(struct view *view) {                                                                     \
        static const struct change_kind KIND = {.title = SAY_##verb##_TITLE,                                           \
                                                .consequence = (text_of_consequence),                                  \
                                                .button = SAY_##verb##_BUTTON,                                         \
                                                .read = read_##name,                                                   \
                                                .write = write_##name};                                                \
        return change_make(view, &KIND);                                                                               \
    }

PAGE(merchant_enable, CONSOLE_MERCHANT, true, ENABLE, SAY_MERCHANT_ENABLE_CONSEQUENCE)
PAGE(merchant_disable, CONSOLE_MERCHANT, false, DISABLE, SAY_MERCHANT_DISABLE_CONSEQUENCE)
PAGE(network_enable, CONSOLE_NETWORK, true, ENABLE, SAY_NETWORK_ENABLE_CONSEQUENCE)
PAGE(network_disable, CONSOLE_NETWORK, false, DISABLE, SAY_NETWORK_DISABLE_CONSEQUENCE)
PAGE(integration_enable, CONSOLE_INTEGRATION, true, ENABLE, SAY_INTEGRATION_ENABLE_CONSEQUENCE)
PAGE(integration_disable, CONSOLE_INTEGRATION, false, DISABLE, SAY_INTEGRATION_DISABLE_CONSEQUENCE)
