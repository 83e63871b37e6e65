# Runs parts on another processor, which qemu emulates: version 15-arm64 is PostgreSQL 15 in a Debian for arm64, with a
# folder as other versions have (script/matrix.sh). Only compilers are not emulated: the folder has this Debian's cross
# compilers, and the libraries that those need. script/matrix.sh sources this file.

# What differs with the order of bytes, the sign of a char, or the counter of the processor. Tests of SQL alone would take hours.
arch() {
    tools/check_runtime
    regress regress "$(regress_tests 'check.*|partition.*|.*_plans|maintain|catalog_lint|metrics')" "${PRELOADED[@]}"
}

arch_of() { # version
    case $1 in *-cassert) ;; *-*) echo "${1#*-}" ;; esac
}

# The kernel hands programs of that processor to qemu. Unless systemd runs, nothing has told it to yet.
arch_emulate() { # architecture
    [ "$1" != "$(dpkg --print-architecture)" ] || return 0
    need_packages qemu-user-static binfmt-support arch-test dpkg-dev
    arch-test "$1" >/dev/null 2>&1 && return
    [ -e /proc/sys/fs/binfmt_misc/register ] || mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc || true
    update-binfmts --enable || true
    arch-test "$1" >/dev/null || fail "this machine cannot run programs for $1: its kernel needs binfmt_misc."
}

arch_compiler() { # folder, architecture
    local triplet name
    triplet=$(dpkg-architecture -a "$2" -q DEB_HOST_GNU_TYPE 2>/dev/null)
    need_packages "g++-$triplet"
    cp -rL --parents "/usr/lib/gcc-cross/$triplet" "/usr/$triplet" "$1/"
    for name in gcc g++; do
        cp -L "/usr/bin/$triplet-$name" "$1/usr/bin/cross-$name"
        ln -sf "/usr/bin/cross-$name" "$1/usr/local/bin/$name"
    done
    ln -sf gcc "$1/usr/local/bin/cc"
    for name in "/usr/lib/gcc-cross/$triplet"/*/{cc1,cc1plus,collect2,lto1} "/usr/$triplet/bin"/{as,ld}; do ldd "$name"; done |
        grep -o '/[^ ]*\.so[^ ]*' | sort -u | xargs cp -L --parents -t "$1"
}
