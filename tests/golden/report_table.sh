#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# report of a recording made from a recipe: the whole text, whatever CPU and kernel this runs on.
. "$SONDE_TESTS/tap.sh"
shopt -s extglob

recipes=$SONDE_TESTS/golden/recipes
[ -x "$SONDE_TOOLS/recipe" ] || tap_skip_all "tests/tools/recipe is not built"
"$SONDE_TOOLS/recipe" "$recipes/report.recipe" file.data
report() { "$SONDE" report --stdio --kallsyms "$recipes/report.kallsyms" -i "${file:-file.data}" "$@" 2>&1; }
# Without trailing blanks, and up to the tip.
table() { report "$@" | sed -e 's/ *$//' -e '/^# (Tip/,$d' -e '/^# .*\(is not there\|entry point\)/d' |
	sed -e :a -e '/^[#\n]*$/{$d;N;ba' -e '}'; }

want_default='# To display the perf.data header info, please use --header/--header-only options.
#
#
# Total Lost Samples: 7
#
# Samples: 6  of event '\''cycles:u'\''
# Event count (approx.): 10000
#
# Children      Self  Command   Shared Object      Symbol
# ........  ........  ........  .................  ......................
#
    70.00%     0.00%  app       app                [.] 0x0000000000000080
            |
            ---app+0x80
               app+0x100
               |
                --60.00%--sys_enter
                          |
                          |--50.00%--do_read
                          |
                           --10.00%--do_write

    70.00%    10.00%  app       app                [.] 0x0000000000000100
            |
            |--60.00%--app+0x100
            |          sys_enter
            |          |
            |          |--50.00%--do_read
            |          |
            |           --10.00%--do_write
            |
             --10.00%--app+0x80
                       app+0x100

    60.00%     0.00%  app       [kernel.kallsyms]  [k] sys_enter
            |
            ---sys_enter
               |
               |--50.00%--do_read
               |
                --10.00%--do_write

    50.00%    50.00%  app       [kernel.kallsyms]  [k] do_read
            |
            ---app+0x80
               app+0x100
               sys_enter
               do_read

    20.00%    20.00%  worker/3  [kernel.kallsyms]  [k] do_read
            |
            ---sys_enter
               do_read

    20.00%     0.00%  worker/3  [kernel.kallsyms]  [k] sys_enter
            |
            ---sys_enter
               do_read

    10.00%    10.00%  app       [kernel.kallsyms]  [k] do_write
            |
            ---app+0x80
               app+0x100
               sys_enter
               do_write

    10.00%    10.00%  worker/3  [unknown]          [.] [unknown]
            |
            ---[unknown]



# Samples: 1  of event '\''faults'\''
# Event count (approx.): 1
#
# Children      Self  Command   Shared Object  Symbol
# ........  ........  ........  .............  ......................
#
   100.00%   100.00%  worker/3  app            [.] 0x0000000000000100
            |
            ---app+0x80
               app+0x100

   100.00%     0.00%  worker/3  app            [.] 0x0000000000000080
            |
            ---app+0x80
               app+0x100'
tap_is "everything that is there by default" "$(table)" "$want_default"
for format in --pipe --big "--big --pipe"; do
	"$SONDE_TOOLS/recipe" $format "$recipes/report.recipe" other.data
	file=other.data tap_is "the same written as $format" "$(file=other.data table)" "$want_default"
done
tap_is "the same from standard input" "$(cat file.data | file=- table)" "$want_default"

# Without features nobody knows what the user called the events.
"$SONDE_TOOLS/recipe" --unfinished "$recipes/report.recipe" other.data
tap_is "a recording whose writer died" "$(file=other.data table)" \
	"$(sed -e "s/cycles:u'/cycles'/; s/'faults'/'page-faults'/" <<<"$want_default")"

tap_is "no children: callees first" "$(table --no-children -q -c app --percent-limit 20)" \
'    50.00%  [kernel.kallsyms]  [k] do_read
            |
            ---do_read
               sys_enter
               app+0x100
               app+0x80'
tap_is "folded" "$(table --no-children -q -g folded,5,count -s comm | head -6)" \
'    70.00%  app
2 do_read;sys_enter;app+0x100;app+0x80
1 app+0x100;app+0x80
1 do_write;sys_enter;app+0x100;app+0x80
    30.00%  worker/3
1 do_read;sys_enter'
flat() { table -q -g none --no-children "$@" | sed '/^$/,$d'; }
tap_is "by comm" "$(flat -s comm -n --show-total-period)" \
'    70.00%             4          7000  app
    30.00%             2          3000  worker/3'
tap_is "by task" "$(flat -s pid)" '    70.00%       10:app
    30.00%       20:worker/3'
tap_is "digits collapsed" "$(flat -s comm_nodigit)" '    70.00%  app
    30.00%  worker/<N>'
tap_is "by time and CPU" "$(flat -F time,cpu,overhead --time-quantum 500ms)" '  0.000000      000    50.00%
  0.000000      001    20.00%
  0.500000      001    30.00%'
tap_is "columns by hand" "$(flat -s dso -F overhead,overhead_sys,overhead_us)" \
'    80.00%    80.00%     0.00%  [kernel.kallsyms]
    10.00%     0.00%    10.00%  [unknown]
    10.00%     0.00%    10.00%  app'
tap_is "separated" "$(flat -t , -s comm,dso)" '60.00%,app,[kernel.kallsyms]
20.00%,worker/3,[kernel.kallsyms]
10.00%,app,app
10.00%,worker/3,[unknown]'
tap_is "one task, of all" "$(flat -c app -s dso)" '    60.00%  [kernel.kallsyms]
    10.00%  app'
tap_is "one task, of itself" "$(flat -c app -s dso --percentage relative)" '    85.71%  [kernel.kallsyms]
    14.29%  app'
tap_is "one CPU" "$(flat -C 0 -s symbol)" '   100.00%  [k] do_read'
tap_is "a tenth" "$(flat --time 10%/5 -s symbol)" '   100.00%  [k] do_read'
tap_is "a time" "$(flat --time 0.25,0.45 -s symbol)" '    50.00%  [k] do_write
    50.00%  [.] 0x0000000000000100'
tap_is "parents" "$(flat -p sys_enter -s parent)" '    80.00%  sys_enter
    20.00%  [other]'
tap_is "callees ignored" "$(flat --ignore-callees sys_enter -s symbol)" '    80.00%  [k] sys_enter
    10.00%  [.] 0x0000000000000100
    10.00%  [.] 0x0000000000001234'
tap_is "only what has a name" "$(flat -U -s symbol)" '    87.50%  [k] do_read
    12.50%  [k] do_write'
tap_is "in levels" "$(table -q -H -g none -s comm,dso | sed '/^$/,$d')" '    70.00%     app
       60.00%     [kernel.kallsyms]
       10.00%     app
    30.00%     worker/3
       20.00%     [kernel.kallsyms]
       10.00%     [unknown]'
tap_like "side by side" "$(report --group -g none -s comm)" "^# Samples: 7  of events 'cycles:u, faults'"
tap_like "side by side: rows" "$(report --group -g none -s comm --no-children)" '^    30.00% 100.00%  worker/3'
tap_like "sorted by the second" "$(report --group --group-sort-idx 1 -g none -s comm --no-children -q | head -1)" 'worker/3'

json=$(report --json --no-children --percent-limit 40 -s comm,symbol)
tap_like "JSON: version" "$json" '^\{"sonde_report_version":1,"header":\{"file":"file.data",'
tap_like "JSON: lost" "$json" '"lost_samples":7,'
tap_like "JSON: an entry" "$json" '\{"overhead":50.0000,"comm":"app","symbol":"do_read","mode":"kernel","self_period":5000,"self_samples":2,"callgraph":\[\{"symbol":"do_read","dso":"\[kernel.kallsyms\]","period":5000,"samples":2,"children":\['
if command -v python3 >/dev/null; then
	tap_ok "JSON is JSON" python3 -c 'import json,sys; json.loads(sys.argv[1])' "$json"
fi
tap_like "nothing left" "$(report --time 5,6)" 'has no samples!'
tap_like "colours when asked for" "$(report --stdio-color always -g none -q | head -1 | cat -v)" '\^\[\[31m  70.00%\^\[\[m'
tap_done
