# Builds the module with compilers that no other part uses, in a copy of the source, and checks what each asks of the C library.
# script/part sources this file.
COMPILERS=(clang)
if [ "$PG_MAJOR" = 15 ]; then COMPILERS=(clang-14 clang-16); fi

compilers() {
    local source=$STATE/compilers by
    matrix_copy_source "$source"
    for by in "${COMPILERS[@]/#clang/CXX=clang++}" COPT=-flto; do
        say "$by"
        make -s -C "$source" clean
        make -s -C "$source" all "$by"
        "$source/tools/check_runtime"
    done
}
