# Tests the module under the undefined behaviour sanitizer, which ends the backend where it finds something; script/test
# sources it. The module is built from a copy of the source and runs in a PostgreSQL of its own. This is a test run by
# itself: it shares no slots with the one that it is a part of (script/jobs.sh).
ubsan() {
    mkdir -p "$STATE/ubsan"
    matrix_copy_source "$STATE/ubsan/source"
    env -u SNOWID_RUN SNOWID_JOBS=1 SNOWID_STATE="$STATE/ubsan" MAKEFLAGS="with_llvm=no MODULE_SANITIZE=undefined" \
        "$STATE/ubsan/source/script/test" regress tap/018_random_calls
    grep -q __ubsan_handle "$STATE/ubsan/source/snowid.so" || fail "the module is not sanitised."
}
