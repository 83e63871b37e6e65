# The module under the undefined behaviour sanitizer, which ends the backend where it finds something; sourced by
# script/test. It is built from a copy of the source and runs in a PostgreSQL of its own.
ubsan() {
    mkdir -p "$STATE/ubsan"
    matrix_copy_source "$STATE/ubsan/source"
    SNOWID_STATE=$STATE/ubsan MAKEFLAGS="with_llvm=no MODULE_SANITIZE=undefined" \
        "$STATE/ubsan/source/script/test" regress tap/018_random_calls
    grep -q __ubsan_handle "$STATE/ubsan/source/snowid.so" || fail "the module is not sanitised."
}
