# Reads tools/parts. script/test and script/part source this file.

# The table, with a line for each file that a * stands for: name|seconds|tiers|needs|command.
read_parts() {
    local name rest
    sed -E '/^(#|$)/d; s/ *\| */|/g' tools/parts | while IFS='|' read -r name rest; do
        case $name in
            clients/\*) (cd test && printf '%s\n' clients/*/run) | sed 's|/run$||' ;;
            at-length/\*) { grep -sl usual_or_long test/{fleet,tap}/*.pl convert/tap/*.pl || true; } | sed 's|^test/|at-length/|; s|^convert/tap/|at-length/convert/|; s|\.pl$||' ;;
            convert/\*) (cd convert/tap && printf 'convert/%s\n' *.pl) | sed 's|\.pl$||' ;;
            *{*) eval "printf '%s\n' $name" ;;
            *\*) (cd test && printf '%s\n' $name.pl) | sed 's|\.pl$||' ;;
            *) echo "$name" ;;
        esac | while read -r name; do echo "$name|$rest"; done
    done | awk -F'|' '!seen[$1]++'
}
PARTS=$(read_parts)

# Sets `seconds`, `tiers`, `needs` and `command` to what the table says of a part.
part_of_table() { # name
    local found
    found=$(awk -F'|' -v name="$1" '$1 == name' <<<"$PARTS")
    [ -n "$found" ] || fail "there is no part \"$1\"; tools/parts has them all."
    IFS='|' read -r _ seconds tiers needs command <<<"$found"
    : "${command:=tap $1}"
}

# Where the test of a part is that is a file.
part_file() { # name
    local name=${1#at-length/}
    case $name in convert/*) echo "convert/tap/${name#*/}.pl" ;; *) echo "test/$name.pl" ;; esac
}

# The parts of a tier, like 15:regress, on all versions or on one.
parts_of_tier() { # tier, version if only one
    awk -F'|' -v tier="$1" -v only="${2:-}" '{
        n = split($3, tiers, " ")
        for (i = 1; i <= n; i++) {
            split(tiers[i], on, "@")
            m = on[1] == tier ? split(on[2] == "" ? 15 : on[2], versions, ",") : 0
            for (j = 1; j <= m; j++) if (only == "" || versions[j] == only) print versions[j] ":" $1
        }
    }' <<<"$PARTS" | sort -t: -k1,1 -s
}

# The part of this name, and those whose names begin with it: `tap` is all of tap/*.
parts_named() { # name
    cut -d'|' -f1 <<<"$PARTS" | grep -E "^$1(/|$)" || fail "there is no part \"$1\"; tools/parts has them all."
}
