# SPDX-License-Identifier: Apache-2.0
#
# What the flame graph's page computes (trees of callers and callees, shares, search, links), in node.
. "$SONDE_TESTS/tap.sh"
command -v node >/dev/null || tap_skip_all "node is not installed"
[ -x "$SONDE_TOOLS/flame_page" ] || tap_skip_all "tests/tools/flame_page.c is not built"
for profile in demo deep names silent empty; do
	"$SONDE_TOOLS/flame_page" html $profile >$profile.html 2>/dev/null || exit 1
done
exec node "$SONDE_TESTS/page/flame_model.js" demo.html deep.html names.html silent.html empty.html
