#include "outbound/http_url.h"

#include "base/memory.h"

#include <curl/curl.h>

static bool has_character(CURLU *url, CURLUPart part) {
    char *value = NULL;
    bool there = curl_url_get(url, part, &value, 0) == CURLUE_OK && value[0] != '\0';
    curl_free(value);
    return there;
}

static bool is_web(CURLU *url) {
    char *scheme = NULL;
    bool web = curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
               (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0);
    curl_free(scheme);
    return web;
}

/* The library also accepts http:/host and http:///host, in which a path would become the host. */
static bool has_two_slashes(const char *url) {
    const char *colon = strchr(url, ':');
    return colon != NULL && strncmp(colon, "://", 3) == 0 && colon[3] != '/';
}

bool http_url_is_fit(struct text url) {
    CURLU *parts = memory_needed(curl_url());
    bool fit = url.size == strlen(url.at) && has_two_slashes(url.at) &&
               curl_url_set(parts, CURLUPART_URL, url.at, CURLU_DISALLOW_USER) == CURLUE_OK && is_web(parts) &&
               has_character(parts, CURLUPART_HOST) && !has_character(parts, CURLUPART_USER) &&
               !has_character(parts, CURLUPART_PASSWORD);
    curl_url_cleanup(parts);
    return fit;
}
