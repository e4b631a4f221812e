# What tests/package and tests/booted share: to build the Debian package, to install it, and to be somebody who uses it. Sourced.
# shellcheck shell=bash
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
examples=/usr/share/doc/recaudo/examples

say() {
    printf -- '-- %s\n' "$*"
}

# A command that must fail, without what it prints. (`! COMMAND` alone ends no script.)
fails() {
    ! "$@" &>/dev/null || {
        say "this succeeded: $*"
        return 1
    }
}

install_quietly() {
    apt-get -qq -o Dpkg::Use-Pty=0 install -y --no-install-recommends "$@" >/var/tmp/package.log 2>&1 || {
        tail -n 30 /var/tmp/package.log >&2
        return 1
    }
}

build_package() {
    say "building"
    apt-get -qq update
    install_quietly build-essential debhelper dpkg-dev lintian
    apt-get -qq -o Dpkg::Use-Pty=0 build-dep -y --no-install-recommends . >/var/tmp/package.log 2>&1
    dpkg-buildpackage -b -us -uc >/var/tmp/package.log 2>&1 || { tail -n 40 /var/tmp/package.log >&2; return 1; }
    lintian --allow-root --fail-on error ../recaudo_*.changes
}

as() {
    local user=$1
    shift
    setpriv --reuid "$user" --regid "$user" --init-groups "$@"
}

# README.Debian, steps 1 to 3.
follow_readme() {
    mariadb -e "CREATE DATABASE IF NOT EXISTS recaudo CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"
    mariadb <"$examples/sql/accounts.sql"
    recaudoctl key create
    chgrp recaudo /etc/recaudo/secret.key
    chmod 0640 /etc/recaudo/secret.key
    recaudoctl db migrate
    as recaudo_operator recaudoctl config check
    [[ -f /usr/share/doc/recaudo/install.md ]]    # as the units name it, not compressed
}

# The nginx that runs serves recaudo and nothing else.
configure_nginx() {
    cp "$examples/nginx/recaudo.conf" /etc/nginx/conf.d/
    rm -f /etc/nginx/sites-enabled/default
    nginx -t 2>/dev/null
}

answers() {
    local path=$1 code=$2 answer
    answer=$(curl -sS "http://127.0.0.1:8080$path")
    say "$path: $answer"
    [[ $answer == *"\"CODE\":\"$code\""* ]]
}

# A network is added, and asks what is due; `question` is what it asks, and 0101 the answer.
ask() {
    local name=red-andina hash digest
    hash=$(as recaudo_operator recaudoctl --json network add "$name" | sed -n 's/.*"fixed_hash": *"\([^"]*\)".*/\1/p')
    digest=$(printf '%s%s%s' "$name" 123456 "$hash" | sha512sum | cut -d' ' -f1)
    question="/v1/orders/123456?name=$name&checksum=$digest"
    answers "$question" 0101
    answers "${question%?}x" 0025
}
