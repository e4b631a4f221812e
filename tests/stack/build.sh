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

# can_be_built ROOT: make and configure cannot work below a path with such characters. Says so in one line.
can_be_built() {
    local unsafe='[][[:space:]"'\''`\#$&%:;|*?<>(){}!]'
    [[ $1 =~ $unsafe ]] || return 0
    echo "The path of this checkout contains \"${BASH_REMATCH[0]}\", with which it cannot be built: move it to a path without. It is: $1" >&2
    return 1
}

# report_progress LOG TOTAL: how many of the steps in make's log are done, until it is ended: on a terminal in one line, elsewhere
# a line every 10 seconds.
report_progress() {
    local log=$1 total=$2 end='\n' pause=10 done_
    [[ ! -t 1 ]] || end='\r' pause=1
    while sleep "$pause"; do
        done_=$(grep -cE '^  (CC|CCLD|AR|GEN) ' "$log" || true)
        # shellcheck disable=SC2059
        printf "Building: %d of %d steps$end" "$done_" "$total"
    done
}

# make_shown LOG DIRECTORY TARGET...: make with its progress, where there is much to make.
make_shown() {
    local log=$1 directory=$2 total progress status=0
    shift 2
    total=$(make -C "$directory" --dry-run "$@" 2>/dev/null | grep -cE '^echo "  (CC|CCLD|AR|GEN) ' || true)
    if [[ -z ${show_progress:-} || $total -lt 10 ]]; then
        run_logged "$log" make -C "$directory" -j "$(nproc)" "$@"
        return
    fi
    echo "Building: $total steps, one to three minutes on two processors"
    report_progress "$log" "$total" &
    progress=$!
    run_logged "$log" make -C "$directory" -j "$(nproc)" "$@" || status=1
    kill "$progress"
    wait "$progress" 2>/dev/null || true
    [[ $status != 0 ]] || echo "Built."
    return "$status"
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
        say_step "Making configure"
        run_logged "$log" autoreconf -fi || return 1
    fi
    if ! is_configured "$directory" "$@"; then
        say_step "Configuring"
        (cd "$directory" && run_logged "$log" "$root/configure" --enable-silent-rules "$@") || return 1
        run_logged "$log" make -C "$directory" clean || return 1
    fi
    make_shown "$log" "$directory" "${targets[@]}" || return 1
}

say_step() {
    [[ -z ${show_progress:-} ]] || echo "$1"
}

# is_configured DIRECTORY OPTION...: whether it was configured with these options. Autoconf quotes each of them or none.
is_configured() {
    local directory=$1 option options
    shift
    [[ -e $directory/Makefile && -x $directory/config.status ]] || return 1
    options=$("$directory/config.status" --config) || return 1
    for option in "$@"; do
        [[ " ${options//\'/} " == *" $option "* ]] || return 1
    done
}
