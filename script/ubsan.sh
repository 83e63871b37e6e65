# Tests the module under the undefined behaviour sanitizer, which ends the backend when it finds something. script/test
# sources this file. The module is built from a copy of the source and runs in its own PostgreSQL. This is a separate
# run of tests: it shares no slots with the run that it is a part of (script/jobs.sh).
ubsan() {
    mkdir -p "$STATE/ubsan"
    matrix_copy_source "$STATE/ubsan/source"
    env -u SNOWID_RUN SNOWID_JOBS=1 SNOWID_STATE="$STATE/ubsan" MAKEFLAGS="with_llvm=no MODULE_SANITIZE=undefined" \
        "$STATE/ubsan/source/script/test" regress tap/018_random_calls
    grep -q __ubsan_handle "$STATE/ubsan/source/snowid.so" || fail "the module is not sanitised."
}
