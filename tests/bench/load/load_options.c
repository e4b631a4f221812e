#include "bench/load/load_options.h"

#include "bench/common/fail.h"

static const char usage[] =
    "Usage: recaudo-load --url http://ADDRESS:PORT --network NAME --hash-file FILE --orders FILE [option]...\n"
    "Sends requests of a collection network or a merchant, verifies every reply, prints throughput and latency.\n"
    "Exit code: 0 every reply was right, 1 some were not, 2 it could not run.\n"
    "\n"
    "  --url URL            default: $RECAUDO_BASE_URL; the address is numeric\n"
    "  --network NAME       default: $RECAUDO_NETWORK; in the modes porder and consult a merchant\n"
    "  --hash-file FILE     holds the network's FIXED_HASH; default: $RECAUDO_NETWORK_HASH\n" PLAN_USAGE
    "  --connections N      kept connections (32)\n"
    "  --threads N          threads that share them (1)\n"
    "  --rate R             start R per second, whatever the server does, and count latency from the intended start\n"
    "  --idle N             hold N more connections that each made one request\n"
    "  --timeout S          after which a reply counts as missing (10)\n"
    "  --json FILE          write the result there too\n";

/* http://HOST:PORT; what stands behind that is ignored. */
static void parse_url(struct load_options *options, const char *url) {
    if (url == NULL || sscanf(url, "http://%m[^:/]:%m[0-9]", &options->host, &options->port) != 2) {
        fail("--url must be http://ADDRESS:PORT");
    }
}

static void find_hash(struct load_options *options, const char *hash_file) {
    const char *hash = getenv("RECAUDO_NETWORK_HASH");
    if (hash_file != NULL) {
        options->network_hash = options_secret(hash_file);
    } else if (hash != NULL) {
        options->network_hash = strdup(hash);
    } else {
        fail("--hash-file is needed; see --help");
    }
}

static void check(const struct load_options *options) {
    if (options->network == NULL || strlen(options->network) > 160 || strpbrk(options->network, "\"\\") != NULL) {
        fail("--network is missing, too long, or has quotes or backslashes");
    }
    if (options->threads > options->connections) {
        fail("--threads: more than there are connections");
    }
    if (strcmp(options->plan.mode, "select") == 0) {
        fail("--mode select: there is no such request");
    }
}

void load_options_parse(int argc, char **argv, struct load_options *options) {
    *options = (struct load_options){
        .plan = PLAN_OPTIONS_DEFAULT,
        .network = getenv("RECAUDO_NETWORK"),
        .connections = 32,
        .threads = 1,
        .timeout = 10,
    };
    const char *url = getenv("RECAUDO_BASE_URL");
    const char *hash_file = NULL;
    const struct option_spec specs[] = {
        PLAN_OPTION_SPECS(&options->plan),
        {"url", OPTION_TEXT, &url, 0, 0},
        {"network", OPTION_TEXT, &options->network, 0, 0},
        {"hash-file", OPTION_TEXT, &hash_file, 0, 0},
        {"connections", OPTION_WHOLE, &options->connections, 1, 60000},
        {"threads", OPTION_WHOLE, &options->threads, 1, 64},
        {"rate", OPTION_DECIMAL, &options->rate, 0.01, 1e7},
        {"idle", OPTION_WHOLE, &options->idle, 0, 60000},
        {"timeout", OPTION_DECIMAL, &options->timeout, 0.01, 1e6},
        {"json", OPTION_TEXT, &options->json_path, 0, 0},
    };
    options_parse(argc, argv, usage, specs, COUNT_OF(specs));
    parse_url(options, url);
    find_hash(options, hash_file);
    check(options);
}

void load_options_free(struct load_options *options) {
    free(options->host);
    free(options->port);
    free(options->network_hash);
}
