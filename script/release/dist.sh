# Tests what PGXN's client installs from the zip of the last commit, on a PostgreSQL that is built without OpenSSL, so that one
# build serves both: sealed ids report what they lack, and nothing else changes. No package of PostgreSQL is built that way. The module only
# looks at the headers and the list of libraries, so the test changes a copy of both. script/part sources this file.
dist() { SNOWID_STATE="$STATE/dist" bash -c 'source script/lib.sh; source script/release/dist.sh; dist_run'; }

dist_run() {
    local server=$STATE/server
    need_private_postgresql
    sed -i '/define USE_OPENSSL/d' "$("$PG_BIN/pg_config" --includedir-server)/pg_config.h"
    sed -i 's/-lssl -lcrypto//' "$(dirname "$("$PG_BIN/pg_config" --pgxs)")/../Makefile.global"
    make -s distcheck PG_CONFIG="$PG_BIN/pg_config" DIST="$STATE/zip"
    cp -a "$STATE/zip/installed$PG_ROOT/." "$PG_ROOT/"
    ! nm -D "$("$PG_BIN/pg_config" --pkglibdir)/snowid.so" | grep EVP_ || fail "the module uses OpenSSL all the same."
    server_fresh "$server" "shared_preload_libraries = 'snowid'"
    trap "server_stop '$server'" EXIT
    "$PG_BIN/psql" -h "$server" -U postgres -XAtq -v ON_ERROR_STOP=1 -f test/without_openssl.sql
}
