#include "page/document.h"

/* Of document_style; the test prints the correct one. */
#define STYLE_DIGEST "sha256-HAa24Zfs/t0FrSRFw2TpUXxv0vLwNNcyOxX6abGR8z4="

const char document_content_type[] = "text/html; charset=utf-8";

const char document_headers[] = "Content-Security-Policy: default-src 'none'; style-src '" STYLE_DIGEST
                                "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
                                "X-Content-Type-Options: nosniff\r\n"
                                "Referrer-Policy: no-referrer\r\n"
                                "X-Robots-Tag: noindex, nofollow\r\n";

/* Every rule that sets a colour also sets its background, unless that is white: a test computes the contrast. */
const char document_style[] =
    ":root{color-scheme:light}"
    "*{box-sizing:border-box}"
    "body{margin:0;padding:16px;font:1rem/1.5 system-ui,sans-serif;color:#111827;background:#ffffff}"
    "main{max-width:640px;margin:0 auto}"
    "h1{margin:0;font-size:1.25rem;line-height:1.3}"
    "h2,dt{margin:0;font-size:.875rem;font-weight:600;color:#4b5563}"
    "p,dl,dd{margin:0}"
    ".merchant{font-size:1.75rem;font-weight:700;line-height:1.2;overflow-wrap:anywhere}"
    "section{margin-top:20px}"
    ".state{padding:12px 16px;border:1px solid;border-radius:8px}"
    ".state h2{font-size:1.25rem;line-height:1.3;color:inherit}"
    ".pending{color:#1e40af;background:#eff6ff}"
    ".held{color:#92400e;background:#fffbeb}"
    ".paid{color:#166534;background:#f0fdf4}"
    ".closed{color:#991b1b;background:#fef2f2}"
    ".over h2{font-size:2.5rem;line-height:1.2}"
    ".reference{font:700 clamp(1.5rem,9vw,2.25rem)/1.2 ui-monospace,monospace}"
    ".groups{display:flex;flex-wrap:wrap;gap:0 .5em}"
    ".spoken{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);user-select:none}"
    ".amount{font-size:clamp(1.5rem,8vw,2rem);font-weight:700;line-height:1.2;overflow-wrap:anywhere}"
    ".symbols{display:flex;flex-wrap:wrap;align-items:center;gap:16px;margin-top:12px}"
    "svg{display:block;max-width:100%;background:#ffffff}"
    ".barcode{height:96px}"
    "dl{margin-top:20px;border-top:1px solid #d1d5db}"
    "dl div{padding:8px 0;border-bottom:1px solid #d1d5db}"
    "dd{overflow-wrap:anywhere}"
    "footer{margin-top:16px;font-size:.875rem;color:#4b5563}"
    "@media(min-width:560px){dl div{display:grid;grid-template-columns:11rem 1fr;gap:16px;align-items:baseline}}"
    "@media print{@page{margin:15mm}:root{font-size:75%}body{padding:0}section{margin-top:14px}}";

struct text document_of(enum language language, struct text title, struct text body, struct arena *arena) {
    return arena_print(
        arena,
        "<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"robots\" content=\"noindex, nofollow\">\n"
        "<title>%.*s</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n%.*s</main>\n</body>\n</html>\n",
        wording_in(language)->code, TEXT_ARGS(title), document_style, TEXT_ARGS(body));
}
