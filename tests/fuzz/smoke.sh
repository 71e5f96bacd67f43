#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A short run of every fuzz target, seeded with tests/fuzz/corpus/TARGET/ and every file that a
# target once crashed on. FUZZ_RUNS and FUZZ_SECONDS make it longer. An input that breaks a target
# is kept in the folder that is printed; put it into the corpus with the repair.
. "$SONDE_TESTS/tap.sh"

ls "$SONDE_TESTS"/fuzz/*.c >/dev/null 2>&1 || tap_skip_all "no fuzz targets in tests/fuzz"
for source in "$SONDE_TESTS"/fuzz/*.c; do
	name=$(basename "$source" .c)
	target=${SONDE_FUZZERS:-/nonexistent}/$name
	target=$(cd "$SONDE_TESTS/.." && realpath -m "$target")
	if [ ! -x "$target" ]; then
		tap_skip "$name" "not built: clang with -fsanitize=fuzzer is missing (clang and libclang-rt-dev)"
		continue
	fi
	mkdir -p "new/$name"
	crashes=$(dirname "$target")/crashes
	mkdir -p "$crashes"
	corpus=()
	[ ! -d "$SONDE_TESTS/fuzz/corpus/$name" ] || corpus=("$SONDE_TESTS/fuzz/corpus/$name")
	tap_ok "$name: inputs of ${corpus[*]:+the corpus and }the fuzzer" "$target" -runs="${FUZZ_RUNS:-20000}" \
		-max_total_time="${FUZZ_SECONDS:-10}" -timeout=10 -rss_limit_mb=2048 -close_fd_mask=1 -print_final_stats=0 \
		-verbosity=0 -artifact_prefix="$crashes/$name-" "new/$name" "${corpus[@]}"
done
tap_done
