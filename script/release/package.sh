# Builds and tests the Debian package for one PostgreSQL version. script/part sources this file. The package is built in
# that version's folder (script/matrix.sh), and installed into a copy of a fresh Debian that has nothing but apt.

# Keeps one fresh Debian of each suite. Every test gets a copy of it.
package_clean_system() { # suite, to
    local kept=$(dirname "$(matrix_folder 15)")/snowid-clean-$1
    (flock 4; matrix_make_system "$kept" "$1") 4>"$kept.lock"
    rm -rf --one-file-system "$2"
    cp -a "$kept" "$2"
}

# Copies what the test needs: parts of the source, the package, and pg_regress, which none of the package's dependencies
# brings.
package_copy_test() { # version, to
    mkdir -p "$2"
    cp -r sql expected convert script test "$2/"
    cp "$folder"/usr/src/snowid-package/snowid-tools_*.deb "$2/"
    cp "$folder/usr/lib/postgresql/$1/lib/pgxs/src/test/regress/pg_regress" "$2/"
    cp "$folder"/usr/src/snowid-package/postgresql-"$1"-snowid_*.deb "$2/"
}

# Two builds in two folders are the same bytes.
package_same() { # folder, folder
    local package
    for package in "$1"/*.deb; do
        cmp "$package" "$2/${package##*/}" || fail "two builds of ${package##*/} differ."
    done
}

# git sees nothing that a build has left.
package_clean() { # folder
    local left
    left=$(git --work-tree="$1" status --porcelain | sed -n 's/^?? //p' | while read -r file; do if [ ! -e "$file" ]; then echo "$file"; fi; done)
    [ -z "$left" ] || fail "a build leaves this in the source: $left"
}

package() { # version
    local version=$1 folder clean build
    local source=/usr/src/snowid-package/source again=/usr/src/snowid-package/again/elsewhere test=/usr/src/snowid-test
    matrix_enter "$version"
    rm -rf "$folder/usr/src/snowid-package"
    for build in "$source" "$again"; do
        matrix_copy_source "$folder$build"
        SNOWID_PG_VERSION=$version matrix_inside "$folder" "$build/script/release/package_build"
    done
    package_same "$folder${source%/*}" "$folder${again%/*}"
    package_clean "$folder$source"
    clean=$folder-clean
    package_clean_system "$(matrix_suite "$version")" "$clean"
    package_copy_test "$version" "$clean$test"
    SNOWID_PG_VERSION=$version matrix_inside "$clean" "$test/script/release/package_try"
    rm -rf --one-file-system "$clean"
}
