# The Debian package of one PostgreSQL version, made and tested; sourced by script/test. It is built from what git knows,
# in that version's folder (script/matrix.sh), and installed in a copy of a fresh Debian that has nothing but apt.

# A fresh Debian of a suite is kept, and copied for each test.
package_clean_system() { # suite, to
    local kept=$(dirname "$folder")/snowid-clean-$1
    matrix_make_system "$kept" "$1" 9>&-
    rm -rf --one-file-system "$2"
    cp -a "$kept" "$2"
}

# What the test needs of the source, and the program that runs it: it is no part of what the package depends on.
package_copy_test() { # version, to
    mkdir -p "$2"
    cp -r sql expected script test "$2/"
    cp "$folder/usr/lib/postgresql/$1/lib/pgxs/src/test/regress/pg_regress" "$2/"
    cp "$folder"/usr/src/snowid-package/postgresql-"$1"-snowid_*.deb "$2/"
}

package() { # version
    local version=$1 folder clean
    local source=/usr/src/snowid-package/source test=/usr/src/snowid-test
    matrix_enter "$version"
    rm -rf "$folder/usr/src/snowid-package"
    matrix_copy_source "$folder$source"
    SNOWID_PG_VERSION=$version matrix_inside "$folder" "$source/script/package_build" 9>&-
    clean=$folder-clean
    package_clean_system "$(matrix_suite "$version")" "$clean"
    package_copy_test "$version" "$clean$test"
    SNOWID_PG_VERSION=$version matrix_inside "$clean" "$test/script/package_try" 9>&-
    rm -rf --one-file-system "$clean"
}
