#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What a recording holds, next to perf: header, raw dump, counts, tasks, mappings, events, build-ids, on recordings of
# many kinds; and recordings that sonde has written, read by perf. PERF=... chooses the perf.
#
# Differences that are known and left out, where perf 6.1 and 7.2 differ from each other or perf is wrong:
# names of types and configs in attrs and of markers in call chains (7.2 only), the width of counts (7.2), the order of
# tasks and the level of those without a parent (7.2 puts them below the idle task), the build-id of the vdso (perf takes
# it from itself), flags of mappings (7.2 always says shared), what a task inherited that was there before (7.2), attrs and
# features in the raw dump of pipes (7.2 only).
. "$SONDE_TESTS/tap.sh"

PERF=${PERF:-perf}
command -v "${PERF%% *}" >/dev/null || tap_skip_all "no perf here"
# perf itself aborts now and then on a busy machine: three attempts.
record() {
	local out=$1 i
	shift
	for i in 1 2 3; do
		rm -rf "$out"
		$PERF record -q -o "$out" "$@" >/dev/null 2>&1 && return
	done
	rm -rf "$out"
}
record probe.data -e cpu-clock true
[ -s probe.data ] || tap_skip_all "perf may not record here"

work=("$SONDE_TOOLS/threads" 1000)
record plain.data -e cpu-clock "${work[@]}"
record all.data -e cpu-clock -a "${work[@]}"
record chains.data -e cpu-clock -F 1999 -g "${work[@]}"
record dwarf.data -e cpu-clock --call-graph dwarf,4096 "${work[@]}"
record zstd.data -e cpu-clock -F 1999 -z -g "${work[@]}"
record trace.data -e 'sched:sched_switch,sched:sched_waking' -a "${work[@]}"
record group.data -e '{cpu-clock,task-clock,page-faults}:S' "${work[@]}"
record clock.data -e cpu-clock -k mono "${work[@]}"
record regs.data -e cpu-clock --intr-regs=ax,bx,ip "${work[@]}"
record fields.data -e cpu-clock -d -W --phys-data --data-page-size --code-page-size -T "${work[@]}"
record switch.data -e cpu-clock --switch-events -a "${work[@]}"
record spaces.data -e cpu-clock --namespaces --all-cgroups -a "${work[@]}"
record threads.dir -e cpu-clock --threads -a "${work[@]}"
$PERF record -q -e cpu-clock -o - "${work[@]}" >pipe.data 2>/dev/null || rm -f pipe.data

attrs() { sed -E -e 's/ \((PERF_[^)]*|[a-z_0-9]+:[^)]*)\)//g' -e 's/(type|config) = 0, //g' -e 's/(type|config): 0, //g'; }
blanks() { sed -E -e 's/ +/ /g' -e 's/^ //'; }
tree() { sed -E -e 's/\| +/|/' -e 's/^( +[0-9a-f]+-[0-9a-f]+ ...)[sp]/\1 /' -e 's/[0-9a-f]{40} \[vdso\]/0 [vdso]/' -e 's/  \[vdso\]/ 0 [vdso]/' | blanks | sort; }
dump() { sed -E -e 's/ \(PERF_CONTEXT_[A-Z_]*\)$//' -e '/ (THROTTLE|UNTHROTTLE)/d' | blanks; }
same() { # NAME FILTER OPTION...: what both say, filtered
	local name=$1 filter=$2
	shift 2
	if ! $PERF "$@" >raw.txt 2>/dev/null; then
		tap_skip "$name: $*" "this perf fails"
		return
	fi
	grep -v -e '^# To display' -e '^# Tip' raw.txt | $filter >perf.txt
	"$SONDE" "$@" 2>sonde.err | grep -v -e '^# To display' -e '^# Tip' | $filter >sonde.txt
	if [ ! -s perf.txt ]; then
		tap_skip "$name: $*" "this perf cannot"
	elif cmp -s perf.txt sonde.txt; then
		tap_pass "$name: $* ($(wc -l <sonde.txt) lines)"
	else
		tap_fail "$name: $*" "$(cat sonde.err; diff perf.txt sonde.txt | head -20)"
	fi
}
# perf 6.1 does not know these features and so does not miss them.
header() { attrs | sed -e '/^# missing features/s/ CPU_DOMAIN_INFO E_MACHINE CLN_SIZE//' -e '/empty$/d' -e '/not available$/d'; }

# A file whose build-id another recorder's records brought in twice is listed without one, too: not compared.
ids() { grep -v '^ ' | sort; }

for file in *.data threads.dir; do
	[ -s "$file" ] || { tap_skip "$file" "perf could not record it"; continue; }
	same "$file" header report --header-only -i "$file"
	same "$file" header report --header-only -I -i "$file"
	[ "$file" = pipe.data ] || same "$file" dump report -D -i "$file"
	same "$file" blanks report --stats -i "$file"
	same "$file" tree report --tasks -i "$file"
	same "$file" tree report --mmaps -i "$file"
	[ "$file" != pipe.data ] || continue # perf evlist does not read the names there
	same "$file" cat evlist -i "$file"
	same "$file" attrs evlist -v -i "$file"
	same "$file" cat evlist -F -i "$file"
	same "$file" cat evlist -g -i "$file"
	same "$file" cat evlist --trace-fields -i "$file"
	[ "$file" != dwarf.data ] || continue # perf unwinds and so hits more
	same "$file" ids buildid-list -i "$file"
	case $file in # of the whole machine: files of one path in several mount namespaces are one line here, several in perf
	all.data | trace.data | switch.data | spaces.data | threads.dir) ;;
	*) same "$file" ids buildid-list -H -i "$file" ;;
	esac
done
tap_done
