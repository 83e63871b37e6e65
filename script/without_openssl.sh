# Tests the module on a PostgreSQL that is built without OpenSSL: sealed ids report that, and nothing else changes. script/part
# sources this file. No package is built that way. The module only looks at the headers and the list of libraries, so the test
# changes a copy of both. Only the room that asks for OpenSSL is compiled again, with a prelude of its own.
without_openssl() {
    local source=$STATE/without-openssl/source room
    room=$(dirname "$(grep -rl --include='*.cpp' USE_OPENSSL src)")
    rm -rf "$source"
    mkdir -p "$source"
    need_packages rsync
    rsync -a --exclude=/.git --exclude="/build/$room/*.o" --include=/build/{by,objects,src,g++} --exclude='/build/*' --exclude=/snowid.so ./ "$source/"
    SNOWID_STATE="$STATE/without-openssl" bash -c 'source "$1/script/lib.sh"; source script/without_openssl.sh; without_openssl_run' snowid "$source"
}

without_openssl_run() {
    local server=$STATE/server
    need_private_postgresql
    sed -i '/define USE_OPENSSL/d' "$("$PG_BIN/pg_config" --includedir-server)/pg_config.h"
    sed -i 's/-lssl -lcrypto//' "$(dirname "$("$PG_BIN/pg_config" --pgxs)")/../Makefile.global"
    mv build/g++/prelude.hpp.gch build/with
    make -s build/g++/prelude.hpp.gch PG_CONFIG="$PG_BIN/pg_config"
    touch -r build/with build/g++/prelude.hpp.gch  # so that the other rooms stay
    build_and_install
    ! nm -D snowid.so | grep EVP_ || fail "the module uses OpenSSL all the same."
    server_fresh "$server" "shared_preload_libraries = 'snowid'"
    trap "server_stop '$server'" EXIT
    "$PG_BIN/psql" -h "$server" -U postgres -XAtq -v ON_ERROR_STOP=1 -f test/without_openssl.sql
}
