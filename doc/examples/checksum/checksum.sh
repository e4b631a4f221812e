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
    [signature]='hmac id timestamp method target body'
)

# signature SECRET ID TIMESTAMP METHOD TARGET BODY: the header Recaudo-Signature of a request; TARGET is path and query as they are sent.
# HMAC from two digests: given to openssl as a word, the secret would be seen by other users of the machine.
signature() {
    local key inner='' outer='' byte at
    key=$(printf %s "$1" | od -An -v -tx1 | tr -d ' \n')
    if (( ${#key} > 128 )); then
        key=$(printf %s "$1" | openssl dgst -sha256 -r | cut -d ' ' -f 1)
    fi
    for (( at = 0; at < 128; at += 2 )); do
        byte=${key:at:2}
        printf -v inner '%s\\x%02x' "$inner" $(( 0x${byte:-00} ^ 0x36 ))
        printf -v outer '%s\\x%02x' "$outer" $(( 0x${byte:-00} ^ 0x5c ))
    done
    {
        printf %b "$outer"
        { printf %b "$inner"; printf '%s.%s.%s %s\n%s' "${@:2}"; } | openssl dgst -sha256 -binary
    } | openssl dgst -sha256 -binary | openssl base64 | sed 's/^/v1,/'
}

# checksum RECIPE SECRET VALUE...
checksum() {
    local recipe=$1 secret=$2 word='' algorithm names
    shift 2
    if [[ -z $recipe || -z ${RECIPES[$recipe]:-} ]]; then
        echo "RECIPE VALUE...; the recipes are ${!RECIPES[*]}" >&2
        return 1
    fi
    read -r algorithm names <<<"${RECIPES[$recipe]}"
    if [[ $# -ne $(wc -w <<<"$names") ]]; then
        echo "$recipe takes: $names" >&2
        return 1
    fi
    if [[ $recipe == signature ]]; then
        signature "$secret" "$@"
        return
    fi
    [[ $recipe != refund ]] || word=refund
    # printf and not echo: a line end would be part of the text.
    printf %s "$word" "$@" "$secret" | openssl dgst "-$algorithm" -r | cut -d ' ' -f 1
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
    checksum "${1:-}" "${RECAUDO_SECRET:?is not set}" "${@:2}"
fi
