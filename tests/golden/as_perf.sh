#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Called by the name perf: messages speak of perf, and nothing that fails is silent.
. "$SONDE_TESTS/tap.sh"

ln -s "$SONDE" perf
perf=$PWD/perf
[ -x "$SONDE_TOOLS/recipe" ] || tap_skip_all "tests/tools/recipe is not built"
"$SONDE_TOOLS/recipe" "$SONDE_TESTS/golden/recipes/report.recipe" file.data

for command in report script evlist buildid-list; do
	tap_rc 255 "$command without a recording" "$perf" $command </dev/null
	tap_is "$command: with perf's words" "$tap_out" \
		"perf: failed to open perf.data: No such file or directory  (try 'perf record' first)"
done
tap_like "and with our own name" "$("$SONDE" report 2>&1 </dev/null)" "\(try 'sonde record' first\)"
tap_unlike "no command is named that is not there" "$("$perf" record -e nosuchevent true 2>&1)" \
	"perf (annotate|top|stat|list)' shows"

if [ -w /dev/full ]; then
	for command in "version" "evlist -i file.data" "buildid-list -i file.data" "report -i file.data" "script -i file.data" \
		"check feature libelf" "help record" "--list-cmds" "report --list-opts" "help"; do
		# shellcheck disable=SC2086
		"$perf" $command 2>err >/dev/full </dev/null
		tap_is "$command on a full disk: status" $? 255
		tap_like "$command on a full disk: said" "$(cat err)" '^perf: .*: No space left on device'
	done
else
	tap_skip "a full disk" "no /dev/full"
fi
tap_done
