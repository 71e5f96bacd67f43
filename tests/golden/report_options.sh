#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# report: what single options do to the table of a recording made from a recipe.
. "$SONDE_TESTS/tap.sh"

recipes=$SONDE_TESTS/golden/recipes
[ -x "$SONDE_TOOLS/recipe" ] || tap_skip_all "tests/tools/recipe is not built"
"$SONDE_TOOLS/recipe" "$recipes/report.recipe" file.data
report() { "$SONDE" report --stdio --kallsyms "$recipes/report.kallsyms" -i "$@" 2>&1 </dev/null | sed 's/ *$//'; }
rows() { report file.data --no-children -g none "$@" | grep -v '^#' | grep .; }

# ---- widths: keys are cut, numbers and their titles never
tap_is "-w" "$(report file.data --no-children -g none -n -w 3,3,4,5 | sed -n '9,13p')" "# Overhead  Samples  Comm  Share  Symbol
# ........  .......  ....  .....  ......................
#
    50.00%        2  app   [kern  [k] do_read
    20.00%        1  work  [kern  [k] do_read"

# ---- parents: -p shows them, -x alone only chooses
tap_like "-p shows the parent" "$(report file.data --no-children -g none -p sys_enter)" '^# Overhead.* Parent symbol$'
tap_is "-p with --sort parent shows it once" "$(report file.data --no-children -g none -p sys_enter -s parent | sed -n '9p;12,13p')" \
	"# Overhead  Parent symbol
    80.00%  sys_enter
    20.00%  [other]"
tap_unlike "-x shows no column" "$(report file.data --no-children -x -g none -p sys_enter -F overhead,comm)" 'Parent'
tap_is "-x leaves the others out" "$(rows -x -p sys_enter -F overhead,comm)" "$(printf '    60.00%%  app\n    20.00%%  worker/3')"

# ---- what is said about the choice
tap_like "--time in seconds stands in the head" "$(report file.data --time ,0.35)" "^# Samples: 3  of event 'cycles:u' \(time slices: ,0.35\)$"
tap_like "--time in percent, too" "$(report file.data --time 0%-50%)" "\(time slices: 0%-50%\)$"

# ---- groups: events without samples
tap_like "of all together" "$(report file.data --group -s comm --time 0.9,)" "^# Samples: 1  of events 'faults' "
tap_like "--no-skip-empty" "$(report file.data --group --no-skip-empty -s comm --time 0.9,)" "of events 'cycles:u, faults' "
tap_is "--no-skip-empty, without groups" "$(report file.data --no-skip-empty -s comm --time 0.9, | grep -c '^# Samples: ')" 2

# ---- perf's spelling, things that are done anyway, things that are not done
tap_is "--showcpuutilization" "$(report file.data --showcpuutilization)" "$(report file.data --show-cpu-utilization)"
tap_is "--modules" "$(report file.data -m)" "$(report file.data)"
tap_is "--no-source" "$(report file.data --no-source)" "$(report file.data)"
for option in --source "-M intel" --objdump=x --percent-type=local-period --pretty=raw --disable-order --addr2line=x; do
	# shellcheck disable=SC2086
	tap_rc 129 "$option is refused" "$SONDE" report -i file.data $option
	tap_like "$option: with the reason" "$tap_out" 'not in this version|no program is run'
done
tap_like "--symfs of a folder that is not there" "$(report file.data --symfs nosuch)" "cannot look into 'nosuch': No such file"
tap_like "--symfs of a file" "$(report file.data --symfs file.data)" "'file.data' is no directory"
tap_like "--ignore-vmlinux" "$(report file.data --ignore-vmlinux -s sym)" '\[k\] do_read$'
tap_done
