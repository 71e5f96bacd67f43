#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Names for what is gone when the recording is looked at (deleted, replaced, in memory, in a container), and for what
# has its symbols elsewhere (debug link, build-id folder, .gnu_debugdata, --symfs).
. "$SONDE_TESTS/tap.sh"

command -v gcc >/dev/null || tap_skip_all "no gcc here"
"$SONDE" record -q -o probe.data -e cpu-clock:u true 2>err || tap_skip_all "cannot record here: $(head -n 1 err)"
# The build-id cache is this test's own: it is emptied on the way.
mkdir cache
export PERF_BUILDID_DIR=$PWD/cache

cat >spin.c <<'END'
#include <stdlib.h>
#include <time.h>
static volatile unsigned long sink;
__attribute__((noinline)) static void NAME(int n) { unsigned long a = 1; for (int i = 0; i < n; i++) a = a * 31 + i; sink += a; }
int main(int argc, char **argv)
{
	long end = clock() + (argc > 1 ? atol(argv[1]) : 60) * (CLOCKS_PER_SEC / 1000);
	while (clock() < end)
		NAME(100000);
}
END
# Names differ in length: linkers leave them out of build-ids.
build() { gcc -O1 -Wl,--build-id -DNAME="$1" spin.c -o "$2" "${@:3}"; }
record() { "$SONDE" record -q -e cpu-clock:u -F 2000 -o "$@" >out 2>err; }
report() { "$SONDE" report --stdio -F overhead,dso,sym -i "$@" 2>&1; }
has() { tap_like "$1" "$(report "$2" "${@:4}")" "[0-9]%.*\[\.\] $3 *$"; }
empty_cache() { rm -rf "$PWD/cache" && mkdir cache; }

# ---- gone

build spin_deleted here
record deleted.data sh -c './here; rm here'
has "deleted at the end" deleted.data spin_deleted
build spin_is_running here
./here 3000 &
pid=$!
sleep 0.1
rm here
record running.data -p $pid sleep 0.1
kill $pid
wait $pid 2>/dev/null
has "deleted before the recording" running.data spin_is_running

build spin_one one
build spin_second second
record replaced.data sh -c 'for name in one second; do rm -f same; cp $name same; ./same 150; done; rm same'
has "replaced: the first" replaced.data spin_one
has "replaced: the second" replaced.data spin_second
tap_is "with two build-ids" "$("$SONDE" buildid-list -i replaced.data 2>/dev/null | grep -c '/same$')" 2

cat >memory.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int in = open(argv[1], O_RDONLY), out = memfd_create("hidden", MFD_CLOEXEC);
	while (sendfile(out, in, NULL, 1 << 20) > 0)
		;
	fexecve(out, argv + 1, (char *[]){ NULL });
	return argc;
}
END
gcc memory.c -o memory
build spin_in_memory inner
record memory.data ./memory ./inner
has "executed from memory" memory.data spin_in_memory

# ---- in a container: a root folder in memory, which no other process sees

cat >enter.sh <<'END'
mkdir -p root && mount -t tmpfs none root && mkdir -p root/app && cp inside root/app && exec chroot root "$@"
END
if build spin_inside inside -static 2>err && unshare -m -p -f sh enter.sh /app/inside 1 2>>err; then
	empty_cache
	record container.data unshare -m -p -f sh enter.sh /app/inside 100
	has "a program that only its container has" container.data spin_inside
	tap_is "its file is in the cache" "$(find cache/app -name elf | wc -l)" 1
	unshare -m -p -f sh enter.sh /app/inside 5000 2>>err &
	pid=$!
	for _ in $(seq 100); do
		inside=$(pgrep -P $pid -x inside) && break
		sleep 0.05
	done
	empty_cache
	record container.data -p "$inside" sleep 0.1
	[ -z "$inside" ] || kill -9 "$inside"
	wait $pid 2>/dev/null
	has "one that ran already" container.data spin_inside
else
	tap_skip "a container" "cannot make one here: $(head -n 1 err)"
fi

# ---- elsewhere

if command -v objcopy >/dev/null && command -v strip >/dev/null; then
	empty_cache
	build spin_far full -g
	objcopy --only-keep-debug full full.debug
	strip -o stripped full
	objcopy --add-gnu-debuglink=full.debug stripped linked
	record stripped.data ./stripped
	record linked.data ./linked
	tap_like "stripped: addresses" "$(report stripped.data)" '%  stripped .*\[\.\] 0x0000'
	tap_is "said once" "$(report stripped.data | grep -c '^# .*stripped')" 1
	has "a debug link" linked.data spin_far
	mkdir .debug
	mv full.debug .debug
	has "a debug link into .debug" linked.data spin_far
	tap_unlike "then nothing is said" "$(report linked.data)" '^# .*stripped'

	mkdir -p "sysroot$PWD"
	cp full "sysroot$PWD/stripped"
	has "--symfs" stripped.data spin_far --symfs sysroot

	id=$("$SONDE" buildid-list -i stripped.data 2>/dev/null | sed -n 's, .*/stripped$,,p')
	mkdir -p "cache/.build-id/${id:0:2}/${id:2}"
	cp .debug/full.debug "cache/.build-id/${id:0:2}/${id:2}/debug"
	has "a separate file in the build-id cache" stripped.data spin_far
	empty_cache

	if command -v xz >/dev/null && [ -z "$("$SONDE" check feature liblzma 2>/dev/null | grep OFF)" ]; then
		echo spin_far >names
		objcopy -S --keep-symbols=names .debug/full.debug mini
		xz mini
		objcopy --add-section .gnu_debugdata=mini.xz stripped small
		record small.data ./small
		has ".gnu_debugdata" small.data spin_far
		tap_unlike "which is not called stripped" "$(report small.data)" '^# .*stripped'
	else
		tap_skip ".gnu_debugdata" "no xz here"
	fi
else
	tap_skip "stripped programs" "no objcopy here"
fi

# ---- what was asked for and is not there

for option in --kallsyms --vmlinux; do
	tap_rc 129 "$option without a file" "$SONDE" report --stdio -i memory.data $option /nonexistent
	tap_like "$option says so" "$tap_out" 'cannot read /nonexistent: No such file'
done
tap_done
