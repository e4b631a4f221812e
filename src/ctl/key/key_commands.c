#include "ctl/key/key_create.h"
#include "ctl/key/key_rotate.h"

static const struct option_spec ROTATE_OPTIONS[] = {
    {.name = "prepare", .help = "only add the next key to the file, so that it can be copied to every host first"},
    {.name = "finish", .help = "take the old key out of the file, once nothing is encrypted with it"},
    {.name = NULL},
};

const struct command key_commands[] = {
    {.verb = "create",
     .words = "",
     .purpose = "create the key file named in the configuration, if it does not exist",
     .details =
         "Networks' and merchants' secrets are stored encrypted with this key. Keep a copy of the file apart from the\n"
         "database's backups: without it nobody can read the secrets again. The workers must be able to read it.\n"
         "Asks the database first, as [database] owner_user or else as operator_user, and refuses while secrets are\n"
         "stored: a new key decrypts none of them, so restore the copy instead.",
     .options = key_create_options,
     .needs = NEEDS_CONFIG,
     .run = key_create},
    {"show", "", "the ids of the keys in the file, and how many secrets each encrypts",
     "Run it on every host that has a copy of the file: the ids say whether they have the same keys.", no_options, 0,
     NEEDS_DATABASE | RUN_BY_ROOT, key_show},
    {"rotate", "", "re-encrypt all secrets with a new key, while the service keeps running",
     "Run it as root, whose file the key is in. One host: `key rotate`, then `key rotate --finish`. Several: `key\n"
     "rotate --prepare`, copy the key file to every host, `key rotate`, copy it again, `key rotate --finish`, copy it\n"
     "once more; until then use recaudoctl on this host only. Workers and dispatchers find a new key in the file by\n"
     "themselves. A rotation that was broken off goes on when it is started again. Keep the old key with the backups\n"
     "of the database from its time.",
     ROTATE_OPTIONS, 0, NEEDS_DATABASE | RUN_BY_ROOT, key_rotate},
    {.verb = NULL},
};
