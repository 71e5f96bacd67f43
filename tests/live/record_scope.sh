#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A launched command in a cgroup of its own: short processes are seen, and nothing is left behind.
. "$SONDE_TESTS/tap.sh"

[ "$(id -u)" = 0 ] || tap_skip_all "needs root"
"$SONDE" record -q --scope cgroup -o probe.data -e cpu-clock true 2>err ||
	tap_skip_all "no cgroup for a command here: $(head -n 1 err)"
root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
own=$root$(sed -n 's/^0:://p' /proc/self/cgroup)
cgroups() { find "$own" -maxdepth 1 -name 'sonde-*' | wc -l; }
samples() { "$SONDE" script -i "$1" -F comm 2>/dev/null | wc -l; }

before=$(cgroups)
loop='i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i + 1)); done'

"$SONDE" record -q -F 4000 -o cgroup.data -e cpu-clock sh -c "$loop" 2>err
"$SONDE" record -q -F 4000 --scope task -o task.data -e cpu-clock sh -c "$loop" 2>>err
seen=$(samples cgroup.data)
tap_ok "short processes are seen ($seen samples, followed by tasks $(samples task.data))" test "$seen" -gt 100
tap_like "by their names" "$("$SONDE" script -i cgroup.data -F comm 2>/dev/null | sort -u)" '^ *true'
tap_is "no cgroup is left" "$(cgroups)" "$before"
tap_unlike "idle is not sampled" "$("$SONDE" script -i cgroup.data -F comm 2>/dev/null)" 'swapper'

# A process that outlives the command.
"$SONDE" record -q -o bg.data -e cpu-clock sh -c 'sleep 3 & echo $! >left.pid; exit 4' 2>err
tap_is "a command that leaves a process" $? 4
tap_is "no cgroup is left either" "$(cgroups)" "$before"
tap_ok "the process lives on" kill -0 "$(cat left.pid)"
tap_is "where it would have been" "$(sed -n 's/^0:://p' "/proc/$(cat left.pid)/cgroup")" "$(sed -n 's/^0:://p' /proc/self/cgroup)"
kill "$(cat left.pid)"

# A recorder that is killed.
"$SONDE" record -q -o killed.data -e cpu-clock sleep 5 2>err &
pid=$!
for _ in $(seq 50); do
	[ "$(cgroups)" -gt "$before" ] && break
	sleep 0.1
done
kill -9 $pid
wait $pid 2>/dev/null
tap_is "a killed run leaves its cgroup" "$(cgroups)" $((before + 1))
left=$(cat "$own/sonde-$pid"-*/cgroup.procs)
"$SONDE" record -q -o next.data -e cpu-clock true 2>err
tap_is "the next run removes it" "$(cgroups)" "$before"
# shellcheck disable=SC2086
tap_ok "and not what ran in it" kill $left

# Within each other.
"$SONDE" record -q -o outer.data -e cpu-clock "$SONDE" record -q -o inner.data -e cpu-clock sh -c "$loop" 2>err
tap_ok "a recording of a recording" test "$(samples outer.data)" -ge "$(samples inner.data)"
tap_is "and no cgroup is left" "$(cgroups)" "$before"

# Tracepoints stay with tasks, in the same recording.
if "$SONDE" record -q -o mixed.data -e cpu-clock,sched:sched_process_exec sh -c "$loop" 2>err; then
	tap_is "tracepoints next to the clock" "$("$SONDE" script -i mixed.data -F event 2>/dev/null | grep -c exec)" 301
else
	tap_skip "tracepoints next to the clock" "$(head -n 1 err)"
fi
tap_done
