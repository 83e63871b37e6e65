# Tests the module on a PostgreSQL that is built without OpenSSL: sealed ids report that, and nothing else changes. script/test
# sources this file. No package is built that way. The module only looks at the headers and the list of libraries, so the test
# changes a copy of both.
without_openssl() {
    rm -rf "$STATE/without-openssl/source"
    matrix_copy_source "$STATE/without-openssl/source"
    SNOWID_STATE="$STATE/without-openssl" MAKEFLAGS="CXXFLAGS=-O0" bash -c 'source "$1/script/lib.sh"; source script/without_openssl.sh; without_openssl_run' snowid "$STATE/without-openssl/source"
}

without_openssl_run() {
    local server=$STATE/server
    need_private_postgresql
    sed -i '/define USE_OPENSSL/d' "$("$PG_BIN/pg_config" --includedir-server)/pg_config.h"
    sed -i 's/-lssl -lcrypto//' "$(dirname "$("$PG_BIN/pg_config" --pgxs)")/../Makefile.global"
    build_and_install
    ! nm -D snowid.so | grep EVP_ || fail "the module uses OpenSSL all the same."
    server_fresh "$server" "shared_preload_libraries = 'snowid'"
    trap "server_stop '$server'" EXIT
    "$PG_BIN/psql" -h "$server" -U postgres -XAtq -v ON_ERROR_STOP=1 -f test/without_openssl.sql
}
