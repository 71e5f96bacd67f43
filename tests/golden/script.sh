#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# script, on recordings made from text: what every field and record looks like, and what is said about wrong wishes.
. "$SONDE_TESTS/tap.sh"

recipe() { # NAME [OPTION...]: NAME.data from the recipe of that name
	local name=$1
	shift
	"$SONDE_TOOLS/recipe" "$@" "$SONDE_TESTS/golden/recipes/$name.recipe" "$name.data"
}
script() { "$SONDE" script "$@" 2>/dev/null; }
is() { # NAME WANT OPTION...
	local name=$1 want=$2
	shift 2
	tap_is "$name: $*" "$(script "$@")" "$want"
}

recipe simple
is "callchains" "$(cat <<'X'
app     100 [000]     0.000002:         10 cycles: 
	          400100 [unknown] (/usr/bin/app)
	          400200 [unknown] (/usr/bin/app)

app     101 [001]     0.000003:         20 cycles: 
	    7f0000000010 [unknown] (/usr/lib/libc.so.6)
	          400300 [unknown] (/usr/bin/app)

app     100 [000]     0.000004:         30 cycles: 
	ffffffff81000100 sys_enter+0x0 ([kernel.kallsyms])
	          400100 [unknown] (/usr/bin/app)
	          400200 [unknown] (/usr/bin/app)

X
)" -i simple.data --kallsyms "$SONDE_TESTS/golden/recipes/report.kallsyms"

recipe records
is "records beside samples" "$(cat <<'X'
            :100     100 [000] U         0.000000: PERF_RECORD_MMAP 100/100: [0x400000(0x1000) @ 0]: x /bin/first
            :100     100 [000] UM        0.000000: PERF_RECORD_MMAP2 100/100: [0x600000(0x1000) @ 0 00:00 0 0]: rw-s /bin/second
           first     100 [000]           0.000000: PERF_RECORD_COMM: first:100/100
          second     100 [000] E         0.000000: PERF_RECORD_COMM exec: second:100/100
          second     101 [000]           0.000000: PERF_RECORD_FORK(101:101):(100:100)
         swapper       0 [000]           0.000000: PERF_RECORD_LOST lost 3
         swapper       0 [000]           0.000000: PERF_RECORD_LOST_SAMPLES lost 4
          second     100 [000] Sp        0.000000: PERF_RECORD_SWITCH OUT preempt
          second     100 [000]           0.000000: PERF_RECORD_SWITCH IN         
          second     100 [000] S         0.000000: PERF_RECORD_SWITCH_CPU_WIDE OUT          next pid/tid:     5/6    
          second     100 [000]           0.000000: PERF_RECORD_SWITCH_CPU_WIDE IN           prev pid/tid:     7/8    
          second     100 [000]           0.000000: PERF_RECORD_NAMESPACES 100/100 - nr_namespaces: 3
		[0/net: 4/0xeffffff9, 1/uts: 4/0xeffffffe, 2/ipc: 4/0xefffffff]
         swapper       0 [000]           0.000000: PERF_RECORD_KSYMBOL addr ffffffffc0001000 len 64 type 1 flags 0x0 name bpf_prog_1234
         swapper       0 [000]           0.000000: PERF_RECORD_KSYMBOL addr ffffffffc0001000 len 64 type 1 flags 0x1 name bpf_prog_1234
         swapper       0 [000]           0.000000: PERF_RECORD_BPF_EVENT type 1, flags 0, id 77
         swapper       0 [000]           0.000000: PERF_RECORD_CGROUP cgroup: 42 /system.slice
         swapper       0 [000] K         0.000000: PERF_RECORD_TEXT_POKE ffffffff81000010  old len 5 new len 5
            Old bytes: 0f 1f 44 00 00
            New bytes: e9 12 34 56 78
          second     100 [001] U         0.000000:          1 cpu-clock:            400010 [unknown] (/bin/first)
          second     101 [000] U         0.000000:          1     dummy:            400020 [unknown] (/bin/first)
          second     101 [000]           0.000000: PERF_RECORD_EXIT(101:101):(100:100)
X
)" -i records.data -F +misc --show-task-events --show-mmap-events --show-switch-events --show-namespace-events \
	--show-cgroup-events --show-lost-events --show-bpf-events --show-text-poke-events
tap_like "lost records are said" "$("$SONDE" script -i records.data 2>&1 >/dev/null)" '7 records were lost in 2 places'

recipe fields
is "everything a sample can hold" "$(cat <<'X'
              :2       1/2       [003] U         0.000000:    all:             2000        68100142 |OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A               1               2               3 unknown             1000 ABI:2    AX:0x15    BX:0x16    IP:0x17  ABI:2    AX:0x1    BX:0x2    CX:0x3    DX:0x4    SI:0x5    DI:0x6    BP:0x7    SP:0x8    IP:0x9 FLAGS:0xa    CS:0xb    SS:0xc    R8:0xd    R9:0xe   R10:0xf   R11:0x10   R12:0x11   R13:0x12   R14:0x13   R15:0x14  0x1000/0x2000/M/-/-/1//-  0x3000/0x4000/P/-/-/18//-             5000 4K 2M
             app       1     0.000000:          1 simple:              1004 [unknown] ([unknown])
             app       1/1       [000] U         0.000000:    all:                0               0 |OP No|LVL N/A|SNP N/A|TLB N/A|LCK No|BLK  N/A                              0               0               0 unknown             1008               0 N/A N/A
X
)" -i fields.data -G -F hw:comm,pid,tid,time,cpu,event,addr,data_src,weight,ins_lat,retire_lat,cgroup,ip,iregs,uregs,brstack,phys_addr,data_page_size,code_page_size,misc

recipe group
is "a group's counts go to its members" "$(cat <<'X'
             app       9     0.000000:        100       cycles:                10 [unknown] ([unknown])
             app       9     0.000000:        250 instructions:                10 [unknown] ([unknown])
             app       9     0.000000:        100       cycles:                20 [unknown] ([unknown])
             app       9     0.000000:        100       cycles:                30 [unknown] ([unknown])
             app       9     0.000000:        650 instructions:                30 [unknown] ([unknown])
             app       9     0.000000:          1       faults:                40 [unknown] ([unknown])
X
)" -i group.data

recipe tracepoint
is "a tracepoint" \
	"             app       5 [000]     0.000000: sched:sched_switch: prev_comm=app prev_pid=5 prev_prio=120" -i tracepoint.data
is "fields of tracepoints" "    0.000000010: prev_comm=app prev_pid=5 prev_prio=120" -i tracepoint.data -F trace:time,trace --ns

# The same lines whatever the container.
for name in simple records fields group; do
	script -i $name.data >want.txt
	recipe $name --pipe && tap_is "$name as a pipe" "$(script -i $name.data)" "$(cat want.txt)"
	tap_is "$name through a pipe" "$(cat $name.data | script)" "$(cat want.txt)"
	recipe $name --big && tap_is "$name of the other byte order" "$(script -i $name.data)" "$(cat want.txt)"
	recipe $name
done
recipe compressed
tap_is "compressed" "$(script -i compressed.data -F ip | tr -d ' ' | tr '\n' ' ')" "10 20 30 40 "

# ---- what is said

fails() { # NAME STATUS REGEX OPTION...
	local name=$1 status=$2 regex=$3
	shift 3
	tap_rc "$status" "$name: status $status" "$SONDE" script "$@"
	tap_like "$name" "$("$SONDE" script "$@" 2>&1)" "$regex"
}

fails "unknown field" 129 'Invalid field requested.' -i simple.data -F comm,nosuch
fails "unknown type" 129 'Invalid event type in field string.' -i simple.data -F hard:comm
fails "no fields" 129 "Cannot set fields to 'none' for all event types." -i simple.data -F ''
fails "both ways" 129 'Cannot mix \+-field with overridden fields' -i simple.data -F comm,+ip
fails "wrong type" 129 "'trace' not valid for hardware events." -i simple.data -F hw:trace
fails "missing field" 255 "Samples for 'cycles' event do not have ADDR attribute set. Cannot print 'addr' field." -i simple.data -F +addr
fails "offsets of nothing" 255 'symbol is notselected' -i simple.data -F comm,symoff
fails "lines of nothing" 255 'sample IP is not' -i simple.data -F comm,srcline
fails "events of no such type" 255 'raw events do not exist. Remove corresponding -F option to proceed.' -i simple.data -F raw:
fails "no clock" 255 "Can't provide 'tod' time" -i simple.data -F tod
fails "no CPUs" 255 'File does not contain CPU events. Remove -C option to proceed.' -i group.data -C 0
fails "refused field" 255 "field 'metric'" -i simple.data -F metric
fails "two times" 255 "the two don't get along well" -i simple.data --reltime --deltatime
fails "no recording" 255 'failed to open nosuch.data: No such file or directory' -i nosuch.data
fails "scripts" 255 'running scripts .* is not built in' -i simple.data foo
fails "flame graphs by script" 255 'flame$' report flamegraph
fails "decoding" 129 'Intel PT' -i simple.data --itrace=i
fails "inlines" 129 'not in this version yet' -i simple.data --inline
fails "unknown event" 255 "no event 'nosuch' to switch by" -i simple.data --switch-on nosuch
tap_like "the field ignored" "$("$SONDE" script -i simple.data -F comm,trace 2>&1)" "'trace' not valid for hardware events. Ignoring."
tap_done
