#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What is recorded here opens in perf, without a word of complaint.
. "$SONDE_TESTS/tap.sh"

command -v perf >/dev/null && perf --version >/dev/null 2>&1 || tap_skip_all "perf is not installed"
"$SONDE" record -q -o probe.data -e cpu-clock:u true 2>err || tap_skip_all "cannot record here: $(head -n 1 err)"

loop='i=0; while [ $i -lt 100 ]; do /bin/true; i=$((i + 1)); done'

check() {
	name=$1
	shift
	if ! "$SONDE" record -q -o x.data "$@" sh -c "$loop" >out 2>err; then
		tap_skip "$name" "$(head -n 1 err)"
		return
	fi
	for view in "report --stdio" "script" "evlist -v" "report --header-only" "report --stats"; do
		# shellcheck disable=SC2086
		if ! perf $view -f -i x.data >out 2>complaints </dev/null || grep -q . complaints; then
			tap_fail "$name: perf $view" "$(cat complaints)"
			return
		fi
	done
	tap_pass "$name"
}

check "a command" -e cpu-clock:u
check "cycles" -e cycles:u
check "call graphs" -g -e cpu-clock:u
check "stack dumps" --call-graph dwarf -e cpu-clock:u
check "by tasks" --scope task -e cpu-clock
check "the machine" -a -g
check "a group read by its leader" -e '{cpu-clock:u,faults:u}:S'
check "several events" -e cpu-clock:u,faults:u,cs:u
check "a tracepoint" -e sched:sched_switch
check "a tracepoint and the clock" -e sched:sched_switch,cpu-clock
check "tracepoints of the machine" -a -e 'sched:*'
check "a filter" -a -e sched:sched_switch --filter 'prev_pid > 0'
check "a delay" -D 5 -e cpu-clock:u
check "all kinds of fields" -d -W -T --phys-data -s -R -P --sample-cpu --user-regs=ip,sp --intr-regs -e cpu-clock
check "namespaces, cgroups, switches" --namespaces --all-cgroups --switch-events -e cpu-clock
check "another clock" -k mono -e cpu-clock:u
check "compressed" -z -e cpu-clock:u
check "overwriting" --overwrite -e cpu-clock:u
check "by thread" --per-thread -e cpu-clock:u
check "told at the end" --tail-synthesize -a -e cpu-clock

if [ "$(id -u)" = 0 ]; then
	names() { perf evlist -v -i "$1" 2>/dev/null | sed 's/size: [0-9]*, //; s/, read_format: [A-Z|_]*//; s/, build_id: 1//; s/, exclude_guest: 1//; s/pppH/ppp/'; }
	if perf record -q -o perf.data -e cpu-clock,sched:sched_switch -g true >out 2>&1; then
		"$SONDE" record -q --scope task -o ours.data -e cpu-clock,sched:sched_switch -g true 2>/dev/null
		tap_is "the attrs are perf's" "$(names ours.data)" "$(names perf.data)"
	else
		tap_skip "the attrs are perf's" "perf record fails here"
	fi
fi

# A full disk.
if mkdir full && mount -t tmpfs -o size=256k tmpfs full 2>/dev/null; then
	"$SONDE" record -F 20000 -g -e cpu-clock -o full/x.data sh -c "$loop$(printf '; %s' "$loop" "$loop" "$loop" "$loop")" 2>err
	tap_is "a full disk" $? 255
	tap_like "is told" "$(cat err)" 'No space left'
	tap_like "and the file holds what came before" "$(perf script -f -i full/x.data 2>/dev/null | grep -c 'cpu-clock')" '^[1-9]'
	umount full
else
	tap_skip "a full disk" "no tmpfs can be mounted"
fi
tap_done
