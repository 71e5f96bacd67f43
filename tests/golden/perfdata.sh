#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What a recording holds, from recipes: header, records, counts, tasks, mappings, events, build-ids. The other byte
# order and the pipe format must say the same.
. "$SONDE_TESTS/tap.sh"
[ -x "$SONDE_TOOLS/recipe" ] || tap_skip_all "no recipe tool"

make_recording() { "$SONDE_TOOLS/recipe" "${@:3}" "$SONDE_TESTS/golden/recipes/$1.recipe" "$2"; }
# Bytes in hex and offsets are those of the order and format.
words() { grep -v -e '^\.  ' -e 'raw event' "$1" | sed -e 's/0x[0-9a-f]*@[^ ]*/PLACE/' -e 's/ 0x[0-9a-f]* \[/ PLACE [/'; }

for name in simple records fields group tracepoint; do
	make_recording $name $name.little --little
	make_recording $name $name.big --big
	for what in -D --stats --tasks --mmaps; do
		"$SONDE" report $what -i $name.little >little.txt 2>&1
		"$SONDE" report $what -i $name.big >big.txt 2>&1
		tap_is "$name: $what in both byte orders" "$(words big.txt)" "$(words little.txt)"
	done
	tap_is "$name: evlist -v in both byte orders" "$("$SONDE" evlist -v -i $name.big)" "$("$SONDE" evlist -v -i $name.little)"
done

tap_is "simple: header" "$("$SONDE" report --header-only -i simple.little | grep -v captured)" '# ========
# header version : 1
# data offset    : 280
# data size      : 848
# feat offset    : 1128
# hostname : testhost
# os release : 6.1.0
# perf version : 1.0
# arch : x86_64
# nrcpus online : 2
# nrcpus avail : 2
# cmdline : sonde record -g ./app 
# event : name = cycles, , id = { 1, 2 }, type = 0 (PERF_TYPE_HARDWARE), size = 144, config = 0 (PERF_COUNT_HW_CPU_CYCLES), { sample_period, sample_freq } = 99, sample_type = IP|TID|TIME|CALLCHAIN|CPU|PERIOD, mmap = 1, comm = 1, freq = 1, task = 1, sample_id_all = 1, mmap2 = 1, comm_exec = 1
# time of first sample : 0.000001
# time of last sample : 0.000009
# sample duration :      0.008 ms
# missing features: TRACING_DATA BUILD_ID CPUDESC CPUID TOTAL_MEM CPU_TOPOLOGY NUMA_TOPOLOGY BRANCH_STACK PMU_MAPPINGS GROUP_DESC AUXTRACE STAT CACHE MEM_TOPOLOGY CLOCKID DIR_FORMAT BPF_PROG_INFO BPF_BTF COMPRESSED CPU_PMU_CAPS CLOCK_DATA HYBRID_TOPOLOGY PMU_CAPS CPU_DOMAIN_INFO E_MACHINE CLN_SIZE 
# ========
#'
tap_is "simple: --stats" "$("$SONDE" report --stats -i simple.little)" '
Aggregated stats:
               TOTAL events:         13
                COMM events:          1  ( 7.7%)
                EXIT events:          2  (15.4%)
                FORK events:          1  ( 7.7%)
              SAMPLE events:          3  (23.1%)
               MMAP2 events:          3  (23.1%)
      FINISHED_ROUND events:          2  (15.4%)
       FINISHED_INIT events:          1  ( 7.7%)
cycles stats:
              SAMPLE events:          3'
tap_is "group: samples are delivered to members that counted" \
	"$("$SONDE" report --stats -i group.little | sed -n '/stats:$/,$p' | sed 1,1d | grep -A1 stats: | tr -d '\n')" \
	'cycles stats:              SAMPLE events:          3instructions stats:              SAMPLE events:          2faults stats:              SAMPLE events:          1'
tap_is "simple: --mmaps" "$("$SONDE" report --mmaps -i simple.little)" '#      pid      tid     ppid  comm
         0        0       -1 |swapper
       100      100       -1 | app
                                 400000-402000 r-xp 00001000 00112233445566778899aabbccddeeff00112233 /usr/bin/app
                                 7f0000000000-7f0000100000 r-xp 00000000 42 /usr/lib/libc.so.6
       100      101      100 |  app
                                  400000-402000 r-xp 00001000 00112233445566778899aabbccddeeff00112233 /usr/bin/app
                                  7f0000000000-7f0000100000 r-xp 00000000 42 /usr/lib/libc.so.6'
tap_is "simple: buildid-list" "$("$SONDE" buildid-list -i simple.little)" \
'00112233445566778899aabbccddeeff00112233 /usr/bin/app
                                         /usr/lib/libc.so.6
                                         [kernel.kallsyms]'
tap_is "group: evlist -g" "$("$SONDE" evlist -g -i group.little)" '{cycles,instructions}
faults'
tap_is "group: evlist -F" "$("$SONDE" evlist -F -i group.little | head -1)" 'cycles: sample_freq=1000'
tap_is "tracepoint: evlist --trace-fields" "$("$SONDE" evlist --trace-fields -i tracepoint.little)" \
	'sched:sched_switch: trace_fields: prev_comm,prev_pid,prev_prio'
tap_rc 129 "evlist -g -v is refused" "$SONDE" evlist -g -v -i group.little

make_recording simple simple.pipe --pipe
tap_is "a pipe: --stats of the same records" \
	"$("$SONDE" report --stats -i - <simple.pipe | grep -e SAMPLE -e MMAP2 | sed 's/(.*//')" \
	"$("$SONDE" report --stats -i simple.little | grep -e SAMPLE -e MMAP2 | sed 's/(.*//')"
tap_is "a file through a pipe" "$(cat simple.little | "$SONDE" report --stats -i -)" "$("$SONDE" report --stats -i simple.little)"

make_recording damaged damaged.data
tap_is "damage: everything readable is counted" "$("$SONDE" report --stats -i damaged.data 2>/dev/null | grep -c 'SAMPLE events:          6')" 2
tap_rc 255 "no recording: refused" "$SONDE" evlist -i "$SONDE"
tap_like "no recording: said" "$("$SONDE" evlist -i "$SONDE" 2>&1)" 'incompatible file format'
tap_like "no file: said" "$("$SONDE" evlist -i nothing.data 2>&1)" 'failed to open nothing.data: No such file or directory'
tap_done
