#!/usr/bin/env bash
# Checksums: the digest of some fields' values, as they are sent, and the secret. checksum.sh RECIPE VALUE...
set -euo pipefail

declare -A RECIPES=( # what the values are, in this order
    [lookup]='sha512 name reference'
    [register]='sha512 name reference amount transaction'
    [confirm]='sha512 name transaction'
    [porder]='sha512 email country order money amount'
    [porder-query]='sha512 order merchant'
    [refund]='sha512 order merchant amount'
    [query]='sha512 reference currency netname timestamp_start'
    [answer]='sha512 order amount timestamp_end'
    [answer-with-limits]='sha512 order amount min max timestamp_end'
    [notification-sha256]='sha256 po_id status'
    [notification-sha512]='sha512 po_id status'
)

# checksum RECIPE SECRET VALUE...
checksum() {
    local recipe=$1 secret=$2 word='' algorithm names
    shift 2
    read -r algorithm names <<<"${RECIPES[$recipe]}"
    if [[ $# -ne $(wc -w <<<"$names") ]]; then
        echo "$recipe takes: $names" >&2
        return 1
    fi
    [[ $recipe != refund ]] || word=refund
    # printf and not echo: a line end would be part of the text.
    printf %s "$word" "$@" "$secret" | openssl dgst "-$algorithm" -r | cut -d ' ' -f 1
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
    checksum "$1" "$RECAUDO_SECRET" "${@:2}"
fi
