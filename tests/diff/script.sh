#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# script next to perf's, on the same recordings, line by line. PERF=... chooses the perf; what is known to differ is
# listed in tests/lib/script_compare.pl.
. "$SONDE_TESTS/tap.sh"

PERF=${PERF:-perf}
command -v "${PERF%% *}" >/dev/null || tap_skip_all "no perf here"
command -v perl >/dev/null || tap_skip_all "no perl here"
$PERF record -q -e cpu-clock -o probe.data true >/dev/null 2>&1 || tap_skip_all "perf may not record here"
version=$($PERF --version 2>/dev/null | sed 's/[^0-9]*\([0-9]*\).*/\1/')
old=
[ "${version:-0}" -ge 7 ] || old=old

compare() { # NAME FILE OPTION...: the same options for both
	local name=$1 file=$2 out
	shift 2
	$PERF script --no-inline -i "$file" "$@" >perf.txt 2>perf.err
	if [ ! -s perf.txt ]; then
		tap_skip "$name: $*" "perf cannot read what it has recorded: $(head -n 1 perf.err)"
		return
	fi
	"$SONDE" script --no-inline -i "$file" "$@" >sonde.txt 2>sonde.err
	if out=$(perl "$SONDE_TESTS/lib/script_compare.pl" perf.txt sonde.txt $old); then
		tap_pass "$name: $* ($out)"
	else
		tap_fail "$name: $*" "$(cat sonde.err)$out"
	fi
}

# ---- recordings

cat >forks.sh <<'X'
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	echo "$i" | sed s/1/2/ | grep -c 2 >/dev/null; ls /usr/bin >/dev/null
done
X
cat >work.py <<'X'
import json, re
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
data = [{"a": i, "b": str(i) * 3} for i in range(2000)]
for k in range(5):
    text = json.dumps(data); json.loads(text); re.findall(r"\d+", text); fib(17)
X
cat >work.js <<'X'
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }
for (let i = 0; i < 5; i++) { fib(25); JSON.parse(JSON.stringify(Array.from({length: 9000}, (_, k) => ({a: k})))) }
X
cat >work.c <<'X'
#include <stdio.h>
#include <stdlib.h>
int cmp(const void *a, const void *b) { return *(int *)a - *(int *)b; }
int main(void) { int a[100]; for (int i = 0; i < 100; i++) a[i] = i * 7 % 31; qsort(a, 100, 4, cmp); printf("%d\n", a[5]); }
X

record() { # FILE OPTION... -- COMMAND...
	local file=$1
	shift
	$PERF record -q -o "$file" "$@" >/dev/null 2>record.err
	[ -s "$file" ]
}

"$SONDE" test -w thloop 0.01 >/dev/null 2>&1 && threads=("$SONDE" test -w thloop 0.3) || threads=(bash forks.sh)
record threads.data -g -e cpu-clock -- "${threads[@]}" && compare "a program with threads" threads.data
record flat.data -e cpu-clock -- "${threads[@]}" && compare "no callchains" flat.data
record forks.data -g -e cpu-clock -F 2000 -- bash forks.sh && compare "a shell script that forks" forks.data
record all.data -a -g -e cpu-clock -F 1000 -- bash forks.sh && compare "all CPUs" all.data
if command -v python3 >/dev/null; then
	record python.data -g -e cpu-clock -- python3 work.py && compare "python" python.data
fi
if command -v node >/dev/null; then
	record node.data -g -e cpu-clock -- node --perf-basic-prof work.js && compare "node" node.data
fi
if command -v gcc >/dev/null; then
	record gcc.data -g -e cpu-clock -F 4000 -- gcc -O2 -o work work.c && compare "gcc" gcc.data
fi
if record group.data -e '{cpu-clock,page-faults,context-switches}:S' -- bash forks.sh; then
	compare "a group that is read with its leader" group.data
fi
record several.data -g -e cpu-clock -e page-faults -e context-switches -- bash forks.sh &&
	compare "several events" several.data
record memory.data -d -e page-faults -c 1 -- bash forks.sh && compare "addresses" memory.data -F comm,tid,time,event,addr,dso
record mono.data -k mono -e cpu-clock -- bash forks.sh && compare "wall time" mono.data -F +tod
if $PERF record -q -a -e 'sched:*,raw_syscalls:*,irq:*,timer:*,kmem:*,workqueue:*,signal:*,task:*' -m 1M -o trace.data \
	bash forks.sh >/dev/null 2>&1; then
	compare "tracepoints" trace.data
	compare "tracepoints" trace.data -F comm,tid,cpu,time,event,trace --ns
else
	tap_skip "tracepoints" "perf may not record them here"
fi
if $PERF record -q -g -e sched:sched_switch -e cpu-clock -o switch.data bash forks.sh >/dev/null 2>&1; then
	compare "tracepoints with callchains" switch.data
fi
record z.data -z -g -e cpu-clock -- bash forks.sh && compare "compressed" z.data
$PERF record -q -g -e cpu-clock -o - bash forks.sh 2>/dev/null >pipe.data && [ -s pipe.data ] && compare "pipe format" pipe.data

# ---- options

# Functions that samples were taken in.
symbols=$("$SONDE" script -G -F ip,sym -i all.data 2>/dev/null | awk '$2 != "[unknown]" && NF == 2 {print $2}' | sort | uniq -c |
	sort -rn | awk 'NR < 4 {printf "%s%s", (NR > 1 ? "," : ""), $2}')
[ -s all.data ] && compare "functions" all.data -G -S "$symbols"
[ -s forks.data ] && compare "comms" forks.data --comms bash,ls
while read -r options; do
	[ -s all.data ] || break
	case $old$options in old*dsoff*) continue ;; esac
	compare "options" all.data $options
done <<'X'
-G
-F comm
-F pid,tid,time
-F comm,tid,cpu,event -G
-F +misc -G
-F ip,sym,dso -G
-F ip,sym,symoff,dsoff -G
-F comm,event,sym,dso
-F sw:comm
-F -ip
-G --ns
-G --reltime
-G --deltatime
-L -G
-G --max-stack 2
--max-stack 1
-G --time 10%-20%
-G --time 0%-5%,50%-55%
-G -C 0
-G --dsos libc.so.6
-G --show-task-events
-G --show-mmap-events
X

# The streaming way and the file give the same lines.
if "$SONDE" script -i - <pipe.data >file.txt 2>/dev/null && cat pipe.data | "$SONDE" script >stream.txt 2>/dev/null; then
	tap_ok "from a pipe as from a file" cmp file.txt stream.txt
fi
# Lines are the same whatever the number of workers.
SONDE_WORKERS=1 "$SONDE" script -i all.data >one.txt 2>/dev/null
SONDE_WORKERS=5 "$SONDE" script -i all.data >five.txt 2>/dev/null
tap_ok "one worker and five" cmp one.txt five.txt
# What collapses stacks sums up to the periods of the samples that have one.
cat >collapse.pl <<'X'
my ($period, $total, $stack, @frames) = (0, 0, 0);
while (<>) {
	if (/^\S.*?\s+\d+(?:\/\d+)?\s.*?:\s+(\d+)\s+\S+:/) { $period = $1; @frames = (); $total += $period; $open = 1 }
	elsif (/^\s+([0-9a-f]+) (.+) \((\S*)\)$/) { unshift @frames, $2 }
	elsif (/^$/ && $open) { $stack{join ';', @frames} += $period; $open = 0 }
}
my $sum = 0; $sum += $_ for values %stack;
print "$sum $total ", scalar(keys %stack), "\n";
X
if [ -s all.data ]; then
	tap_is "stacks sum up as perf's" "$(perl collapse.pl five.txt | cut -d' ' -f1,2)" \
		"$($PERF script --no-inline -i all.data 2>/dev/null | perl collapse.pl | cut -d' ' -f1,2)"
fi
tap_done
