#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# record on this machine: ways of use, what is seen, statuses, files that end early.
. "$SONDE_TESTS/tap.sh"

"$SONDE" record -q -o probe.data -e cpu-clock:u true 2>probe.err ||
	tap_skip_all "cannot record here: $(head -n 1 probe.err)"

record() { "$SONDE" record "$@" 2>err; }
script() { "$SONDE" script -i "$@" 2>/dev/null; }
samples() { script "$1" -F comm | wc -l; }

spin='i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done'

# ---- a command
record -o a.data -e cpu-clock:u sh -c "$spin; exit 3"
tap_is "the command's exit status" $? 3
tap_like "the closing line" "$(cat err)" '^\[ sonde record: Captured and wrote [0-9.]+ MB a\.data \([0-9]+ samples\) \]$'
tap_like "its samples" "$(script a.data -F comm)" '^ *sh'
record -q -o a.data -e cpu-clock:u sh -c 'kill -9 $$'
tap_is "a killed command" $? 137
tap_is "-q says nothing" "$(cat err)" ""
tap_ok "the file before is kept" test -s a.data.old
record -o none.data -e cpu-clock:u /nonexistent/program
tap_is "a command that is not there" $? 255
tap_like "and why" "$(cat err)" "cannot run '/nonexistent/program': No such file"
tap_ok "and no file is left" test ! -e none.data
tap_rc 129 "an event that is not there" "$SONDE" record -e nosuchevent true
tap_like "with the place" "$tap_out" '^ {21}\\___ unknown event'
tap_like "a slip of the finger" "$("$SONDE" record -e cpu-clok true 2>&1)" 'Did you mean cpu-clock'
tap_rc 129 "no command, but an unknown option" "$SONDE" record --nosuchoption
tap_ok "--dry-run" "$SONDE" record --dry-run -e cpu-clock true
tap_like "-n: no samples" "$(record -n -e cpu-clock:u -o a.data sh -c "$spin"; samples a.data)" '^0$'

# ---- hardware counters that are not there
record -o a.data -e cycles:u sh -c "$spin"
if [ -e /sys/bus/event_source/devices/cpu ] || [ -e /sys/bus/event_source/devices/cpu_core ]; then
	tap_skip "the CPU clock instead of cycles" "there is a hardware PMU"
else
	tap_is "one line about the CPU clock" "$(grep -c 'no hardware counter for cycles:u' err)" 1
	tap_is "its name is perf's" "$("$SONDE" evlist -i a.data 2>/dev/null | head -n 1)" task-clock:u
fi

# ---- pipes
tap_like "a pipe by itself" "$("$SONDE" record -q -e cpu-clock:u sh -c "$spin" | "$SONDE" script -i - -F comm 2>/dev/null)" '^ *sh'
tap_like "-o -" "$("$SONDE" record -q -o - -e cpu-clock:u sh -c "$spin; echo out" 2>err | "$SONDE" script -i - -F comm 2>/dev/null)" '^ *sh'
tap_is "what the command prints is not in the data" "$(cat err)" out
"$SONDE" record -o - -e cpu-clock:u sh -c "$spin" 2>err | head -c 10 >/dev/null
tap_is "a reader that goes away" "${PIPESTATUS[0]}" 255
tap_like "and its name" "$(cat err)" 'Broken pipe'

# ---- compression, sizes, rows of files
record -z -o z.data -e cpu-clock:u sh -c "$spin"
tap_like "-z" "$(cat err)" 'compressed \(original [0-9.]+ MB, ratio is [0-9.]+\)'
tap_like "and back" "$(script z.data -F comm)" '^ *sh'
record --max-size 20K -o m.data -F 20000 -e cpu-clock:u sh -c "$spin; $spin; $spin"
tap_like "--max-size" "$(cat err)" 'size limit of 20 KB reached'
tap_ok "and its size" test "$(stat -c %s m.data)" -lt 200000
record --switch-output=20K --switch-max-files=2 -o s.data -F 20000 -e cpu-clock:u sh -c "$spin; $spin; $spin"
tap_is "--switch-output keeps the last files" "$(ls s.data.* | wc -l)" 2
for file in s.data.*; do
	tap_like "each is complete" "$(script "$file" -F comm,sym)" '^ *sh '
done
record --overwrite -o o.data -m 16K -F 20000 -e cpu-clock:u sh -c "$spin; $spin; $spin"
tap_like "--overwrite" "$(samples o.data)" '^[1-9]'

# ---- durations and signals
time=$( { TIMEFORMAT=%R; time record --timeout 200 -o t.data -e cpu-clock:u sleep 30; } 2>&1)
tap_ok "--timeout ends the command, too" test "${time%.*}" -lt 20
"$SONDE" record -o i.data -e cpu-clock:u sh -c "while :; do $spin; done" 2>err &
pid=$!
sleep 0.5
kill -INT $pid
wait $pid
tap_is "Ctrl-C" $? 130
tap_like "leaves a complete file" "$(samples i.data)" '^[1-9]'
tap_like "and says so" "$(cat err)" 'Captured and wrote'

# ---- processes that run
sh -c "while :; do $spin; done" &
spinner=$!
record -o p.data -e cpu-clock:u -p $spinner sleep 0.5
tap_is "-p PID sleep" $? 0
tap_like "sees it" "$(script p.data -F comm)" '^ *sh'
tap_like "and its mappings" "$(script p.data -F dso,ip,sym)" '/(ba|da|bu)*sh'
"$SONDE" record -o p.data -e cpu-clock:u -p $spinner 2>err &
pid=$!
sleep 0.5
kill $spinner
wait $pid
tap_is "ends with the process" $? 0
tap_like "and says what it has" "$(cat err)" 'Captured and wrote'
tap_rc 255 "a process that is not there" "$SONDE" record -o p.data -p 999999999
tap_like "and its number" "$tap_out" 'no process 999999999'

# ---- the machine
if record -o w.data -a -e cpu-clock sh -c "$spin"; then
	tap_like "-a" "$(script w.data -F comm,cpu)" '^ *sh'
	tap_like "processes that were there" "$(script w.data --show-task-events 2>/dev/null | head -n 400)" 'PERF_RECORD_COMM'
else
	tap_like "-a is not allowed, with advice" "$(cat err)" 'perf_event_paranoid'
fi

# ---- without rights
if [ "$(id -u)" = 0 ] && setpriv --reuid nobody --clear-groups true 2>/dev/null; then
	mkdir unprivileged && chown nobody unprivileged && chmod 755 . && cp "$SONDE" unprivileged/sonde
	as_nobody() { (cd unprivileged && setpriv --reuid nobody --clear-groups ./sonde record "$@" 2>../err); }
	if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" != 2 ]; then
		tap_skip "as another user" "kernel.perf_event_paranoid is not 2"
	elif as_nobody --dry-run true; then
		as_nobody -o n.data -e cpu-clock sh -c "$spin"
		tap_is "as another user" $? 0
		tap_like "without the kernel's part, which is told" "$(cat err)" 'perf_event_paranoid is 2'
		tap_is "and in the event's name" "$("$SONDE" evlist -f -i unprivileged/n.data 2>/dev/null)" cpu-clock:u
		as_nobody -o n.data -a true
		tap_like "the machine is refused, with advice" "$(cat err)" 'sysctl kernel.perf_event_paranoid=0'
	else
		tap_skip "as another user" "the working folder is out of its reach"
	fi
else
	tap_skip "as another user" "needs root and setpriv"
fi

# ---- commands
mkfifo ctl ack
"$SONDE" record -o c.data -e cpu-clock:u -D -1 --control fifo:ctl,ack sh -c "while :; do $spin; done" 2>err &
pid=$!
exec 7<>ack
answer() { echo "$1" >ctl; timeout 20 head -c 4 <&7; timeout 20 head -c 1 <&7 >/dev/null; }
tap_is "--control: ping" "$(answer ping)" ack
answer enable >/dev/null
sleep 0.3
answer disable >/dev/null
answer stop >/dev/null
wait $pid
tap_is "--control: stop" $? 0
tap_like "enabled in between" "$(samples c.data)" '^[1-9]'
exec 7<&-

tap_done
