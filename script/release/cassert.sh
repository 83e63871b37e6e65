# Builds a PostgreSQL that checks its assertions from Debian's source, once. script/part sources this file. The
# versions are 15-cassert, 17-cassert and 18-cassert, and their tests run in the folder of that Debian
# (script/matrix.sh).

CASSERT_PACKAGES=(libpq5 libssl-dev build-essential dpkg-dev bison flex perl libipc-run-perl zlib1g-dev libreadline-dev libicu-dev libxml2-dev pkg-config postgresql-common)

need_cassert_postgresql() {
    local build=$STATE/cassert-build
    [ ! -e "$PG_ROOT/version" ] || return 0
    say "building PostgreSQL $PG_MAJOR with assertions; ${SNOWID_ROOT:-}$build.log tells how it goes"
    { cassert_configure "$build" && cassert_build "$build"; } >"$build.log" 2>&1 ||
        { tail -n 20 "$build.log" >&2; fail "PostgreSQL was not built; all of it is in ${SNOWID_ROOT:-}$build.log."; }
    "$PG_BIN/postgres" --version >"$PG_ROOT/version"
    rm -rf "$build"
    chown postgres: "$STATE"
}

# -O1 makes the build fast. Debian's own build is optimised, and is tested too.
cassert_configure() { # folder
    rm -rf "$1"
    mkdir -p "$1"
    sed 's/^deb /deb-src /' /etc/apt/sources.list >/etc/apt/sources.list.d/source.list &&
        apt-get -qq update &&
        (cd "$1" && apt-get -q source "postgresql-$PG_MAJOR" && mv postgresql-"$PG_MAJOR"*/ source && cd source &&
            ./configure --prefix="/usr/lib/postgresql/$PG_MAJOR" --enable-cassert --enable-debug --enable-tap-tests --with-icu --with-libxml --with-ssl=openssl CFLAGS=-O1)
}

cassert_build() { # folder
    make -s -j"$(nproc)" -C "$1/source" &&
        make -s -j"$(nproc)" -C "$1/source/contrib" &&
        make -s -C "$1/source" install DESTDIR="$PG_ROOT" &&
        make -s -C "$1/source/contrib" install DESTDIR="$PG_ROOT"
}
