#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Who ran what, where tasks and mappings change under the recording: names of threads, fork without exec, vfork, exec from
# a thread, mappings over mappings, libraries at one address, one number for two processes.
. "$SONDE_TESTS/tap.sh"

tasks=$SONDE_TOOLS/tasks
[ -x "$tasks" ] || tap_skip_all "tests/tools/tasks is not built"
"$SONDE" record -q -o probe.data -e cpu-clock:u true 2>err || tap_skip_all "cannot record here: $(head -n 1 err)"

# What was seen often: "comm function" lines. A sample or two may fall between a change and its record.
seen() {
	"$SONDE" script -i "$1" -F comm,ip,sym,dso 2>/dev/null | awk '
		$1 ~ /^[0-9a-f]+$/ && top { if ($2 ~ /^(as|moved|library)_/) n[comm " " $2 (libs ? " " $NF : "")]++; top = 0; next }
		NF { comm = $1; top = 1; if (NF > 2 && $3 ~ /^(as|moved|library)_/) { n[comm " " $3 (libs ? " " $NF : "")]++; top = 0 } }
		END { for (k in n) if (n[k] > 3) print k }' libs="$2" | sort
}
record() { "$SONDE" record -q -e cpu-clock:u -F 2000 -o "$@" >out 2>err; }

record threads.data "$tasks" threads
tap_is "a thread that changes its name" "$(seen threads.data)" "renamed as_renamed
tasks as_tasks"
record fork.data "$tasks" fork
tap_is "fork without exec" "$(seen fork.data)" "child as_renamed_child
tasks as_child"
record vfork.data "$tasks" vfork
tap_is "vfork, then exec" "$(seen vfork.data)" "tasks as_execed
tasks as_parent"
record exec.data "$tasks" exec
tap_is "exec from a thread" "$(seen exec.data)" "execing as_execing_thread
tasks as_execed"
record overlap.data "$tasks" overlap
tap_is "mappings over mappings" "$(seen overlap.data)" "tasks moved_first
tasks moved_second
tasks moved_third"

if command -v gcc >/dev/null; then
	echo 'unsigned long library_work(unsigned long n) { unsigned long a = n; for (unsigned long i = 0; i < n; i++) { a = a * 31 + i; __asm__ volatile("" : "+r"(a)); } return a; }' >first.c
	sed 's/31/37/' first.c >second.c
	for name in first second; do gcc -O1 -shared -fPIC -o lib$name.so $name.c; done
	record libraries.data "$tasks" libraries ./libfirst.so ./libsecond.so
	if [ "$(sort -u out | wc -l)" = 1 ]; then
		tap_is "two libraries at one address" "$(seen libraries.data 1 | sed 's/(.*\//(/')" "tasks library_work (libfirst.so)
tasks library_work (libsecond.so)"
	else
		tap_skip "two libraries at one address" "they were not loaded at one address"
	fi
else
	tap_skip "two libraries at one address" "no gcc here"
fi

if unshare -m -p -f --mount-proc "$SONDE" record -q -e cpu-clock:u -F 2000 -o reuse.data "$tasks" reuse >out 2>err &&
	[ "$(sort -u out | wc -l)" = 1 ]; then
	tap_is "one number for two processes" "$(seen reuse.data)" "child as_renamed_child
tasks as_execed"
else
	tap_skip "one number for two processes" "no pid namespace with numbers of our choice here"
fi
tap_done
