# shellcheck shell=bash
# Sourced by ./sandbox and ./check, in the root of the checkout: the build with autotools.

# run_logged LOG COMMAND...: the command's output goes to LOG, and its end to the terminal if it fails.
run_logged() {
    local log=$1
    shift
    if ! "$@" >>"$log" 2>&1; then
        tail -n 40 "$log" >&2
        printf 'Failed: %s\nThe whole output is in %s.\n' "$*" "$log" >&2
        return 1
    fi
}

# build DIRECTORY OPTION...: makes everything in DIRECTORY. A directory that was configured without one of the OPTIONS
# is configured again and built from the start.
build() {
    build_only all "$@"
}

# build_only TARGETS DIRECTORY OPTION...: the same for some of make's targets.
build_only() {
    local targets directory=$2 log root=$PWD
    read -ra targets <<<"$1"
    shift 2
    mkdir -p "$directory"
    directory=$(cd "$directory" && pwd)
    log=$directory/build.log
    : >"$log"
    if [[ ! -e configure ]]; then
        run_logged "$log" autoreconf -fi || return 1
    fi
    if ! is_configured "$directory" "$@"; then
        (cd "$directory" && run_logged "$log" "$root/configure" --enable-silent-rules "$@") || return 1
        run_logged "$log" make -C "$directory" clean || return 1
    fi
    run_logged "$log" make -C "$directory" -j "$(nproc)" "${targets[@]}" || return 1
}

is_configured() {
    local directory=$1 option options
    shift
    [[ -e $directory/Makefile && -x $directory/config.status ]] || return 1
    options=$("$directory/config.status" --config) || return 1
    for option in "$@"; do
        [[ $options == *"'$option'"* ]] || return 1
    done
}
