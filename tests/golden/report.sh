#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# report: what is said about wrong command lines and files that are none.
. "$SONDE_TESTS/tap.sh"

fails() { # NAME STATUS REGEX ARGUMENT...
	local name=$1 status=$2 regex=$3
	shift 3
	tap_rc "$status" "$name: status $status" "$SONDE" report "$@"
	tap_like "$name" "$("$SONDE" report "$@" 2>&1)" "$regex"
}

fails "no recording" 255 'failed to open perf.data: No such file or directory' </dev/null
fails "no such recording" 255 'failed to open nosuch.data: No such file or directory' -i nosuch.data
echo "this is no recording, only a text that is long enough to be looked at as one ......" >text
fails "not a recording" 255 'incompatible file format' -i text
fails "empty file" 255 '.' -i /dev/null
fails "two recordings" 129 'one recording at a time' a b
fails "unknown option" 129 'unknown option .no-such' --no-such
fails "inlined functions" 129 'not in this version yet' --inline
fails "branch records" 129 'branch records' -b
fails "hardware traces" 129 'Intel PT' --itrace=i
fails "unknown word of -g" 129 'Invalid callchain mode: bogus' -g bogus
fails "short word of -g" 129 "Did you mean 'fractal'" -g fractl
fails "threshold" 129 'no threshold' --call-graph=-5,graph
fails "width" 129 'no width of a column' -w 5,x
fails "percentage" 129 'relative' --percentage somehow
tap_unlike "--no-inline is fine" "$("$SONDE" report --no-inline 2>&1)" 'inline'
tap_unlike "--no-branch-stack is fine" "$("$SONDE" report --no-branch-stack 2>&1)" 'branch'
tap_like "help finds options by word" "$("$SONDE" report -h quantum)" '--time-quantum <time>'
tap_like "the manual says what JSON is made of" "$("$SONDE" help --generate man report)" 'sonde_report_version'
tap_done
