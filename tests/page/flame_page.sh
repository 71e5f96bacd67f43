# SPDX-License-Identifier: Apache-2.0
#
# The flame graph's page in Chromium: what it shows, and that its mouse and keys do what they say.
. "$SONDE_TESTS/tap.sh"
command -v node >/dev/null || tap_skip_all "node is not installed"
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null ||
	tap_skip_all "no Chromium is installed"
[ -x "$SONDE_TOOLS/flame_page" ] || tap_skip_all "tests/tools/flame_page.c is not built"
for profile in demo deep names silent empty stacks threads; do
	"$SONDE_TOOLS/flame_page" html $profile >$profile.html 2>/dev/null || exit 1
done
exec node "$SONDE_TESTS/page/flame_page.js" .
