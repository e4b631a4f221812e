# shellcheck shell=bash
# Sourced by ./sandbox and ./check: the Debian packages that building, running and testing need, on Debian 12 and 13.

BUILD_PACKAGES=(
    autoconf automake check gcc libc6-dev libcsv-dev libcurl4-openssl-dev libfcgi-dev libglib2.0-dev
    libjson-c-dev libmariadb-dev libpcre2-dev libsmartcols-dev libssl-dev libsystemd-dev libzint-dev
    make pkgconf
)
# The server packages without a service of their own, where Debian has them apart: nginx has not.
RUN_PACKAGES=(
    ca-certificates curl mariadb-client-core mariadb-server-core nginx openssl python3 python3-pymysql tzdata
)
# What tests/bench compares recaudo with, and what draws its plots. Node's packages are npm's.
BENCH_PACKAGES=(gnuplot-nox nodejs php-cli php-fpm php-mysql)
TEST_PACKAGES=(
    apache2-bin chromium clang-format-19 fonts-dejavu-core galera-4 git libapache2-mod-auth-openidc libapache2-mod-qos libeatmydata1
    libfaketime mandoc mariadb-client patch perl "${BENCH_PACKAGES[@]}" python3-jsonschema python3-pytest python3-yaml systemd
    xz-utils zbar-tools
)
# For what ./check does and ./check --quick leaves out; gcovr for make coverage.
LONG_PACKAGES=(clang-19 clang-tidy-19 cppcheck gcovr libclang-rt-19-dev)
# Where promtool is: Debian 12 has no package of its own for it.
PROMTOOL_PACKAGE=promtool
[[ $(. /etc/os-release 2>/dev/null && echo "$VERSION_ID") != 12 ]] || PROMTOOL_PACKAGE=prometheus

PROMTOOL=var/promtool/usr/bin/promtool

is_installed() {
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

# install_missing PACKAGE...: installs those that are not there, as root or through sudo, and says so first.
install_missing() {
    local package missing=()
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        echo "This is not a Debian system; needed are the equivalents of: $*"
        return 0
    fi
    for package in "$@"; do
        is_installed "$package" || missing+=("$package")
    done
    [[ ${#missing[@]} -gt 0 ]] || return 0
    choose_root_command "${missing[@]}" || return 1
    echo "Installing ${#missing[@]} Debian packages: ${missing[*]}"
    if ! hold_services || ! apt_install "${missing[@]}"; then
        release_services "${missing[@]}"
        echo "The packages could not be installed." >&2
        return 1
    fi
    release_services "${missing[@]}"
}

choose_root_command() {
    AS_ROOT=()
    [[ $EUID -ne 0 ]] || return 0
    if ! command -v sudo >/dev/null; then
        printf 'These packages are missing, and installing them needs root or sudo:\n  apt-get install %s\n' "$*" >&2
        return 1
    fi
    AS_ROOT=(sudo)
    echo "Installing needs root: sudo may ask for your password."
}

# Lists that were never fetched, or are so old that the archive has moved on, are fetched anew.
apt_install() {
    local apt=("${AS_ROOT[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0
        -o DPkg::Lock::Timeout=300)
    local install=(install -y --no-install-recommends "$@")
    local log status=0
    log=$(mktemp)
    if ! apt-get --simulate "${install[@]}" &>"$log" || ! "${apt[@]}" "${install[@]}" &>"$log"; then
        { "${apt[@]}" update && "${apt[@]}" "${install[@]}"; } &>"$log" || status=1
    fi
    [[ $status -eq 0 ]] || tail -n 30 "$log" >&2
    rm -f "$log"
    return "$status"
}

POLICY=/usr/sbin/policy-rc.d

# Debian starts the service of a package when it is installed, unless this policy says no.
hold_services() {
    POLICY_IS_OURS=
    [[ ! -e $POLICY ]] || return 0
    POLICY_IS_OURS=yes
    trap 'release_services' EXIT
    printf '#!/bin/sh\nexit 101\n' | "${AS_ROOT[@]}" tee "$POLICY" >/dev/null
    "${AS_ROOT[@]}" chmod 755 "$POLICY"
}

# release_services [PACKAGE...]: removes our policy; a service that these packages brought does not start at boot
# either.
release_services() {
    if [[ -n $POLICY_IS_OURS ]]; then
        "${AS_ROOT[@]}" rm -f "$POLICY"
        POLICY_IS_OURS=
        trap - EXIT
    fi
    if [[ " $* " == *" nginx "* ]] && is_installed nginx; then
        "${AS_ROOT[@]}" update-rc.d nginx disable >/dev/null 2>&1 || true
    fi
    if [[ " $* " == *" php-fpm "* ]] && is_installed php-fpm; then
        "${AS_ROOT[@]}" update-rc.d "$(basename /etc/init.d/php*-fpm)" disable >/dev/null 2>&1 || true
    fi
}

# unpack_promtool: of its package the tests need one program and nobody needs a service that comes with it, so it is
# not installed but unpacked, once, into var/ of the checkout.
unpack_promtool() {
    [[ ! -x $PROMTOOL ]] && ! command -v promtool >/dev/null || return 0
    if ! command -v dpkg-deb >/dev/null || ! command -v apt-get >/dev/null; then
        echo "This is not a Debian system; needed is promtool, a part of Prometheus."
        return 0
    fi
    local directory status=0
    directory=$(mktemp -d)
    echo "Unpacking promtool of the Debian package $PROMTOOL_PACKAGE"
    download_package "$PROMTOOL_PACKAGE" "$directory" && mkdir -p var/promtool &&
        dpkg-deb --fsys-tarfile "$directory"/*.deb | tar -x -C var/promtool ./usr/bin/promtool || status=1
    rm -rf "$directory"
    [[ $status -eq 0 ]] || echo "The package $PROMTOOL_PACKAGE could not be fetched." >&2
    return "$status"
}

# install_peers: what tests/bench needs besides what it builds; ./check has installed it already.
install_peers() {
    local packages=("${BENCH_PACKAGES[@]}")
    command -v npm >/dev/null || packages+=(npm)
    install_missing "${packages[@]}" && install_npm_packages
}

# install_npm_packages: what tests/clients/package-lock.json names comes to lie in var/npm, unless it lies there.
install_npm_packages() {
    local lock=tests/clients/package-lock.json target=var/npm
    ! cmp -s "$lock" "$target/node_modules/.installed" || return 0
    echo "Installing the npm packages of tests/clients and tests/bench"
    mkdir -p "$target"
    cp tests/clients/package.json "$lock" "$target"
    if ! (cd "$target" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error); then
        echo "The npm packages could not be installed. tests/clients needs the npm registry: directly, by a proxy" \
            "(the variable HTTPS_PROXY) or by a mirror (npm config set registry)." >&2
        return 1
    fi
    cp "$lock" "$target/node_modules/.installed"
}

# download_package PACKAGE DIRECTORY: its file comes to lie in DIRECTORY; lists that are not there are fetched first.
download_package() {
    local download=(apt-get -qq -o APT::Sandbox::User=root download "$1")
    (cd "$2" && "${download[@]}" &>/dev/null) && return 0
    choose_root_command "$1" && "${AS_ROOT[@]}" apt-get -qq update && (cd "$2" && "${download[@]}")
}
