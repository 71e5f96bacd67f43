#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The cached symbols of the running kernel: reports are the same without them, with them, and when they
# are damaged; nothing is written where nothing may be.
. "$SONDE_TESTS/tap.sh"

$SONDE record -q -g -F 9999 -o kernel.data -- find /usr/lib /etc >/dev/null 2>record.err ||
	tap_skip_all "cannot record: $(head -n 1 record.err)"
report() {
	$SONDE report --stdio -i kernel.data 2>&1
}
export XDG_CACHE_HOME=$PWD/cache
plain=$(SONDE_CACHE=0 report)
tap_ok "SONDE_CACHE=0 writes nothing" test ! -e cache
case $plain in
*"[k] "*) ;;
*) tap_skip_all "no samples of the kernel here" ;;
esac
if grep -Eqv '^0+ ' /proc/kallsyms && [ -r /sys/kernel/notes ]; then
	tap_is "the first report" "$(report)" "$plain"
	file=$(echo cache/sonde/kernel-*)
	tap_ok "leaves the tables behind" test -f "$file"
	tap_is "for this user only" "$(stat -c %a cache/sonde "$file" | xargs)" "700 600"
	before=$(stat -c %i "$file")
	tap_is "the second report" "$(report)" "$plain"
	tap_is "uses them" "$(stat -c %i "$file")" "$before"
	cp "$file" good
	truncate -s 100000 "$file"
	tap_is "a report with half a file" "$(report)" "$plain"
	tap_ok "which is made whole" cmp "$file" good
	dd if=/dev/urandom of="$file" bs=1024 seek=50 count=500 conv=notrunc status=none
	tap_is "a report with a damaged file" "$(report)" "$plain"
	tap_ok "which is mended" cmp "$file" good
	: >"$file"
	tap_is "a report with an empty file" "$(report)" "$plain"
	rm "$file" && mkdir "$file"
	tap_is "a report with a folder in its place" "$(report)" "$plain"
	rmdir "$file"
	for i in 1 2 3 4 5; do
		cp good "cache/sonde/kernel-000000000000000$i"
		touch -d "$i days ago" "cache/sonde/kernel-000000000000000$i"
	done
	touch cache/sonde/other
	report >/dev/null
	tap_is "four are kept, the youngest" "$(cd cache/sonde && echo kernel-0* other)" \
		"kernel-0000000000000001 kernel-0000000000000002 kernel-0000000000000003 other"
	mkdir home
	tap_is "in ~/.cache" "$(unset XDG_CACHE_HOME && HOME=$PWD/home report)" "$plain"
	tap_ok "where it belongs" test -d home/.cache/sonde
else
	tap_skip "the cache" "this user sees no addresses of the kernel"
fi
tap_is "without HOME" "$(unset HOME XDG_CACHE_HOME && report)" "$plain"
: >taken
tap_is "where no folder can be made" "$(XDG_CACHE_HOME=$PWD/taken report)" "$plain"
tap_done
