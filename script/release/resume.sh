# A release is tested over days, and mended in between. script/test sources this file for the tier `release`. What has passed is kept in
# $STATE/passed, a file for each part: what it depends on, and the line of the run.
PASSED=$STATE/passed
mkdir -p "$PASSED"

# A part depends on its line of tools/parts, and on all files but texts that only people read, and tests of other parts.
RELEASE_FILES=$(git ls-files -co --exclude-standard | while read -r file; do [ ! -f "$file" ] || echo "$file"; done | xargs -d '\n' sha256sum |
    grep -vE '  ((CHANGELOG|CONTRIBUTING|SECURITY)\.md|(bench|\.github|\.ci)/.*|tools/parts|script/(test|parts\.sh|release/resume\.sh))$')
release_key() { # VERSION:PART
    local part=${1#*:} file seconds tiers needs command texts='doc/|README\.md|mkdocs\.yml|web/'
    file=$(part_file "$part")
    part_of_table "$part"
    [[ $part != @(docs|look|lint|dist|package)* ]] && ! grep -sqE 'doc/|README' "$file" || texts=none
    { echo "$needs $command"; grep -F "  $file" <<<"$RELEASE_FILES" || true; grep -vE "  ($texts)|  (test|convert)/(tap|fleet|long)/[^/]*\.pl$" <<<"$RELEASE_FILES"; } |
        sha256sum
}
release_file() { echo "$PASSED/${1//\//-}"; } # VERSION:PART

# Takes what has passed from WANTED.
release_left() {
    local part left=()
    for part in "${WANTED[@]}"; do
        if [ "$(release_key "$part")" != "$(head -n 1 "$(release_file "$part")" 2>/dev/null)" ]; then left+=("$part"); fi
    done
    say "$((${#WANTED[@]} - ${#left[@]})) of ${#WANTED[@]} parts have passed with these files; the rest takes $(awk -F'|' -v left="${left[*]#*:}" -v cores="$(nproc)" '{budget[$1] = $2} END {n = split(left, names, " "); for (i in names) sum += budget[names[i]]; print int(sum / 60 / cores + 1)}' <<<"$PARTS") minutes or more: ${left[*]}"
    WANTED=("${left[@]}")
}

release_keep() { # the line of a part that has passed
    local part
    read -r _ part _ <<<"$1"
    { release_key "$part"; echo "$1 $(git rev-parse --short=12 HEAD)"; } >"$(release_file "$part")"
}

# For the notes of the release.
release_table() {
    local version file line
    echo "| PostgreSQL | parts that have passed | s of processors |"
    echo "| --- | --- | --- |"
    for version in $(parts_of_tier release | cut -d: -f1 | sort -Vu); do
        parts_of_tier release "$version" | while read -r part; do echo; tail -qn 1 "$(release_file "$part")" 2>/dev/null || true; done |
            awk -v version="$version" '/^$/ {all++} match($0, /[0-9]+ of [0-9]+ s/) {n++; sum += substr($0, RSTART)} END {printf "| %s | %d of %d | %d |\n", version, n, all, sum}'
    done
}
