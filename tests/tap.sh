# SPDX-License-Identifier: Apache-2.0
#
# TAP from shell scripts: `. "$SONDE_TESTS/tap.sh"` at the top, `tap_done` at the end. The working
# folder is empty and private (tests/exec makes and removes it). Run one script with
# `tests/run tests/golden/x.sh`.

tap_count=0
tap_failed=0

# tap_pass NAME, tap_fail NAME [MORE]: the two that all others come down to.
tap_pass() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1"
}
tap_fail() {
	tap_count=$((tap_count + 1))
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count - $1"
	[ $# -lt 2 ] || printf '%s\n' "$2" | sed 's/^/#   /' | head -n "${TAP_LINES:-60}"
}

# tap_ok NAME COMMAND...: the command succeeds. tap_rc STATUS NAME COMMAND...: it exits with STATUS.
tap_ok() {
	tap_name=$1
	shift
	if tap_out=$("$@" 2>&1); then tap_pass "$tap_name"; else tap_fail "$tap_name" "status $?: $*
$tap_out"; fi
}
tap_rc() {
	tap_want=$1 tap_name=$2
	shift 2
	tap_out=$("$@" 2>&1)
	tap_got=$?
	if [ $tap_got = "$tap_want" ]; then tap_pass "$tap_name"; else tap_fail "$tap_name" "status $tap_got, not $tap_want: $*
$tap_out"; fi
}

# tap_is NAME GOT WANT: equal texts. tap_like NAME TEXT REGEX (extended), tap_unlike: some line matches, none does.
tap_is() {
	if [ "$2" = "$3" ]; then tap_pass "$1"; else tap_fail "$1" "$(diff <(printf '%s\n' "$3") <(printf '%s\n' "$2") |
		sed 's/^</wanted:/; s/^>/got:   /; /^[0-9-]/d')"; fi
}
tap_like() {
	if printf '%s\n' "$2" | grep -Eq -- "$3"; then tap_pass "$1"; else tap_fail "$1" "nothing matches /$3/ in:
$2"; fi
}
tap_unlike() {
	if printf '%s\n' "$2" | grep -Eq -- "$3"; then tap_fail "$1" "/$3/ matches in:
$2"; else tap_pass "$1"; fi
}

# tap_skip NAME REASON: one test that cannot run here. tap_skip_all REASON: the whole script.
tap_skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}
tap_skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

tap_done() {
	echo "1..$tap_count"
	[ "$tap_failed" = 0 ]
	exit
}
