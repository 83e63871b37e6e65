# Uses Debian's buildah to build the images of the Dockerfile for one PostgreSQL version, starts a server in each, and
# asks it for an id. script/part sources this file. Debian's PostgreSQL on a fresh Debian stands in for the official
# image, which is made the same way from other packages.

container() { # version
    local version=$1 state=$STATE/container-$1 base=localhost/postgres:$1 folder server
    need_packages buildah
    rm -rf --one-file-system "$state"
    mkdir -p "$state"
    package_clean_system "$(matrix_suite "$version")" "$state/debian"
    buildah=(buildah --root "$state/images" --runroot "$state/run")
    export BUILDAH_ISOLATION=chroot

    server=$("${buildah[@]}" from scratch)
    "${buildah[@]}" copy -q "$server" "$state/debian" / >/dev/null
    "${buildah[@]}" run "$server" sh -ec "apt-get -qq update
        DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends postgresql-$version >/dev/null"
    "${buildah[@]}" config --env "PG_MAJOR=$version" --env "PATH=/usr/lib/postgresql/$version/bin:/usr/sbin:/usr/bin:/sbin:/bin" "$server"
    "${buildah[@]}" commit -q "$server" "$base"

    say "the image of a server"
    container_build snowid
    container_ask "$("${buildah[@]}" from snowid)"

    say "the image of the extension, as CloudNativePG mounts it"
    container_build extension --target extension
    "${buildah[@]}" copy -q --from extension "$server" / /extensions/snowid >/dev/null
    "${buildah[@]}" run "$server" ls /extensions/snowid/lib/snowid.so /extensions/snowid/share/extension/snowid.control /extensions/snowid/share/snowid/snowid.sql
    # From 18 on, a server can load extensions from any folder.
    [ "$version" -lt 18 ] || container_ask "$server" "extension_control_path = '/extensions/snowid/share:\$system'" \
        "dynamic_library_path = '/extensions/snowid/lib:\$libdir'"
    rm -rf --one-file-system "$state"
}

container_build() { # name, option...
    "${buildah[@]}" bud -q --layers --build-arg "BASE=$base" -t "$@" .
}

container_ask() { # container, line of the configuration...
    "${buildah[@]}" run --user postgres "$1" sh -ec '
        initdb -D /tmp/data -A trust >/dev/null
        printf "%s\n" "shared_preload_libraries = snowid" "snowid.worker_id = 7" "$@" >>/tmp/data/postgresql.conf
        pg_ctl -D /tmp/data -l /tmp/log -w start >/dev/null || { cat /tmp/log; exit 1; }
        psql -d postgres -XAt -c "CREATE EXTENSION snowid" -c "CREATE EXTENSION snowid_convert" -c "SELECT snowflake_worker(snowflake_next())" -c "SELECT version()" | tee /tmp/said
        pg_ctl -D /tmp/data -m fast -w stop >/dev/null
        grep -qx 7 /tmp/said' sh "${@:2}"
}
