#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# report next to perf's, on the same recordings: rows, call graphs, keys, filters, listings. PERF=... chooses the perf.
. "$SONDE_TESTS/tap.sh"

PERF=${PERF:-perf}
command -v "${PERF%% *}" >/dev/null || tap_skip_all "no perf here"
command -v perl >/dev/null || tap_skip_all "no perl here"
$PERF record -q -e cpu-clock -o probe.data true >/dev/null 2>&1 || tap_skip_all "perf may not record here"

compare() { # NAME FILE OPTION...: the same options for both
	local name=$1 file=$2 out
	shift 2
	$PERF report --stdio --no-inline -i "$file" "$@" >perf.txt 2>perf.err
	"$SONDE" report --stdio --no-inline -i "$file" "$@" >sonde.txt 2>sonde.err
	out=$(perl "$SONDE_TESTS/lib/report_compare.pl" perf.txt sonde.txt)
	case $? in
	0) tap_pass "$name: $* ($out)" ;;
	2) tap_skip "$name: $*" "libraries without symbols: a frame without a name in every row" ;;
	*) tap_fail "$name: $*" "$(cat sonde.err)$out" ;;
	esac
}

lines() { # NAME FILE OPTION...: equal line by line, but for tips and notes
	local name=$1 file=$2
	shift 2
	$PERF report --stdio --no-inline -i "$file" "$@" 2>/dev/null | normalise >perf.txt
	"$SONDE" report --stdio --no-inline -i "$file" "$@" 2>/dev/null | normalise >sonde.txt
	if cmp -s perf.txt sonde.txt; then tap_pass "$name: $*"; else tap_fail "$name: $*" "$(diff perf.txt sonde.txt | head -20)"; fi
}
# The last block of '#' lines is perf's tip, or ours with what is to be said about the stacks.
normalise() {
	sed -e "s/ of events '\([^ ]*\)'$/ of event '\1'/" -e 's/ *$//' -e 's/\[[.kguH]\] /[.] /' -e '/^# (Tip/,$d' -e '/^# .*\(stripped\|entry point\)/d' |
		sed -e :a -e '/^[#\n]*$/{$d;N;ba' -e '}'
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
record() { $PERF record -q -o "$@" >/dev/null 2>&1; }
record threads.data -e cpu-clock -F 1999 -g "$SONDE_TOOLS/threads" 4000
record flat.data -e cpu-clock -F 1999 "$SONDE_TOOLS/threads" 2000
record forks.data -e cpu-clock -F 1999 -g sh forks.sh
record all.data -e cpu-clock -F 999 -a -g sh forks.sh
record events.data -e cpu-clock,page-faults,context-switches sh forks.sh
record group.data -e '{cpu-clock,page-faults}' sh forks.sh
record trace.data -e sched:sched_switch,sched:sched_process_exec -a sh forks.sh
if command -v python3 >/dev/null; then record python.data -e cpu-clock -F 1999 -g python3 work.py; fi
if command -v node >/dev/null; then record node.data -e cpu-clock -F 1999 -g node --perf-basic-prof work.js; fi
if command -v gcc >/dev/null; then record gcc.data -e cpu-clock -F 1999 -g gcc -O2 -c work.c -o work.o; fi

# Of the whole machine only what we run ourselves: nobody knows what else there is.
ours() { case $1 in all | trace) echo "-c sh,sed,grep,ls" ;; esac; }

# ---- rows, with and without call graphs

for file in threads forks all events group trace python node gcc flat; do
	[ -e $file.data ] || { tap_skip "$file" "cannot be recorded here"; continue; }
	compare $file $file.data --no-demangle --no-children -g none -F overhead,sample,comm,dso,sym \
		-w 8,12,16,50,2000 $(ours $file)
done 2>/dev/null
for file in threads forks all python node gcc; do
	[ -e $file.data ] || continue
	compare $file $file.data --no-demangle -w 8,8,16 $(ours $file)
	compare $file $file.data --no-demangle --no-children -w 8,16 $(ours $file)
done

# ---- layouts of call graphs

for how in fractal folded folded,0,count graph,0.1,period callee graph,5,caller; do
	compare threads threads.data -g $how
	compare threads threads.data -g $how --no-children
done
for how in flat flat,0,3 folded,0; do compare threads threads.data --no-children -g $how; done
compare threads threads.data --no-children -G
compare threads threads.data -s sym
compare threads threads.data -s dso,sym --no-children
compare threads threads.data --percent-limit 3
compare threads threads.data --no-children --max-stack 2

# ---- keys, columns, filters: line by line, without call graphs (ties are in the order of their names)

for options in "-s comm,dso" "-s pid" "-s comm -n --show-total-period --show-cpu-utilization" "-F comm,overhead,sample" \
	"-s dso -F overhead,comm,sample" "-F +period" "--hierarchy -s comm,dso" "--hierarchy --percent-limit 3" \
	"-s comm -c alpha" "-c alpha -d threads" "-s comm,dso -d libc.so.6 --percentage relative" "-s comm --time 10%/2" "-s comm --time 0%-50%" \
	"-s dso -w 10,20" "-s comm -q"; do
	lines flat flat.data $options
done
lines all all.data --no-children -g none -s cpu
lines all all.data --no-children -g none -s cpu,comm -C 0
lines all all.data --no-children -g none -s time,comm
lines group group.data -s comm,dso
lines group group.data --no-group -s comm
lines events events.data -s comm,dso

tap_done
