#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Names of JIT-compiled code, from real runtimes: node, node in namespaces of its own, Python, Java.
. "$SONDE_TESTS/tap.sh"

"$SONDE" record -q -o probe.data -e cpu-clock:u true 2>err || tap_skip_all "cannot record here: $(head -n 1 err)"

record() { "$SONDE" record -q -e cpu-clock -F 999 -o "$@" >out 2>err; }
# Runtimes leave their maps in /tmp: those of the processes that were recorded here go.
clean() { for pid in $("$SONDE" script -i "$1" -F pid 2>/dev/null | sort -u); do rm -f "/tmp/perf-${pid%%/*}.map"; done; }
# Every view says the name; perf reads it from the same recording.
shown() { # NAME FILE REGEX
	tap_like "$1: report" "$("$SONDE" report --stdio -g none -i "$2" 2>/dev/null)" "\[JIT\] tid .*$3"
	tap_like "$1: script" "$("$SONDE" script -i "$2" 2>/dev/null)" "$3\+0x[0-9a-f]+ \(/tmp/perf-[0-9]+\.map\)"
	tap_like "$1: flame" "$("$SONDE" flame --folded "$2" 2>/dev/null)" ";.*$3"
	if command -v perf >/dev/null && perf --version >/dev/null 2>&1; then
		tap_like "$1: perf" "$(perf report --stdio -g none -f -i "$2" 2>/dev/null)" "$3"
	fi
}

# ---- node

cat >loop.js <<'END'
function hotFunction(n) { return n < 2 ? n : hotFunction(n - 1) + hotFunction(n - 2) }
const end = process.hrtime.bigint() + BigInt(process.argv[2]) * 1000000n
while (process.hrtime.bigint() < end) hotFunction(22)
END
if command -v node >/dev/null && node --perf-basic-prof loop.js 1 >/dev/null 2>&1; then
	record node.data -g node --perf-basic-prof loop.js 500
	shown node node.data 'JS:[*^+~]?hotFunction.*'
	clean node.data
	# /tmp is hidden there, and this folder with it.
	LOOP=$(cat loop.js)
	export LOOP
	program='mount -t tmpfs none /tmp && echo "$LOOP" >/tmp/loop.js && exec node --perf-basic-prof /tmp/loop.js'
	if unshare -m -p -f --mount-proc sh -c "$program 1" >/dev/null 2>err; then
		record inner.data -g unshare -m -p -f --mount-proc sh -c "$program 500"
		shown "node in a container that is gone" inner.data 'JS:[*^+~]?hotFunction.*'
		clean inner.data
		unshare -m -p -f --mount-proc sh -c "$program 8000" >/dev/null 2>&1 &
		outer=$!
		for _ in $(seq 100); do
			inner=$(pgrep -P $outer -x node) && break
			sleep 0.05
		done
		sleep 0.5
		record inner.data -g -p "$inner" sleep 0.3
		rm -f "/tmp/perf-$inner.map" # what was kept for later: its own is asked first
		tap_like "node in a container that lives" "$("$SONDE" report --stdio -g none -i inner.data 2>/dev/null)" hotFunction
		[ -z "$inner" ] || kill -9 "$inner"
		wait $outer 2>/dev/null
	else
		tap_skip "node in a container" "no namespaces here: $(head -n 1 err)"
	fi
else
	tap_skip node "no node with --perf-basic-prof here"
fi

# ---- Python

cat >loop.py <<'END'
import sys, time
def hot_function(n):
    return n if n < 2 else hot_function(n - 1) + hot_function(n - 2)
if not sys.is_stack_trampoline_active():
    sys.exit(1)
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    hot_function(15)
END
python=
for candidate in python3 "${PYENV_ROOT:-$(getent passwd "$(id -u)" | cut -d: -f6)/.pyenv}"/versions/3.1[2-9]*/bin/python3; do
	"$candidate" -X perf loop.py 0 >/dev/null 2>&1 && python=$candidate
done
if [ -z "$python" ]; then
	tap_skip Python "no Python with -X perf here"
else
	# Without frame pointers in the interpreter its trampolines are in few stacks; stack dumps have them all.
	record python.data -g "$python" -X perf loop.py 1
	if [ "$("$SONDE" script -i python.data -F ip,sym 2>/dev/null | grep -c py::hot_function)" -gt 3 ]; then
		shown Python python.data 'py::hot_function:.*'
	else
		tap_skip Python "this Python is built without frame pointers"
	fi
	clean python.data
fi

# ---- Java, whose map is written when jcmd asks

cat >Hot.java <<'END'
public class Hot {
	static int hotMethod(int n) { return n < 2 ? n : hotMethod(n - 1) + hotMethod(n - 2); }
	public static void main(String[] args) {
		long end = System.currentTimeMillis() + Long.parseLong(args[0]);
		int sum = 0;
		while (System.currentTimeMillis() < end)
			sum += hotMethod(20);
	}
}
END
if command -v javac >/dev/null && command -v jcmd >/dev/null && javac Hot.java 2>err; then
	java -XX:+PreserveFramePointer Hot 20000 >/dev/null 2>&1 &
	java=$!
	sleep 2
	if jcmd $java Compiler.perfmap >out 2>&1 && [ -e "/tmp/perf-$java.map" ]; then
		record java.data -g -p $java sleep 0.5
		shown Java java.data 'int Hot\.hotMethod\(int\)'
	else
		tap_skip Java "this Java writes no maps"
	fi
	kill $java
	wait $java 2>/dev/null
	rm -f "/tmp/perf-$java.map"
else
	tap_skip Java "no JDK here"
fi
tap_done
