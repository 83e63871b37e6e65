# Tests the module under the undefined behaviour sanitizer, which ends the backend when it finds something. script/part
# sources this file. The module is built from a copy of the source and runs in its own PostgreSQL. This is a run of
# tests of its own.
ubsan() {
    mkdir -p "$STATE/ubsan"
    matrix_copy_source "$STATE/ubsan/source"
    SNOWID_JOBS=1 SNOWID_STATE="$STATE/ubsan" MAKEFLAGS="MODULE_SANITIZE=undefined CXXFLAGS=-O1" \
        "$STATE/ubsan/source/script/test" regress tap/018_random_calls
    grep -q __ubsan_handle "$STATE/ubsan/source/snowid.so" || fail "the module is not sanitised."
}
