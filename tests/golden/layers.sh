#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/layers sees what it is there for.
. "$SONDE_TESTS/tap.sh"
command -v python3 >/dev/null || tap_skip_all "python3 is not installed"
layers="$SONDE_TESTS/../scripts/layers"

tap_ok "the source stands on its layers" "$layers" "$SONDE_TESTS/../src"

mkdir -p src/low src/mid src/top src/stray
printf 'low:\nmid: low top\ntop: *\n' >src/LAYERS
tap_rc 1 "a line may only name what stands above it in the list" "$layers" src
printf '# comment\nlow:\nside:\nmid: low\ntop: *\n' >src/LAYERS
printf '#include "low/a.h"\n#include <stdio.h>\n' >src/low/a.c
printf '#pragma once\n' >src/low/a.h
printf '#include "low/a.h"\n' >src/mid/b.h
printf '#include "mid/b.h"\n  #  include "low/a.h"\n' >src/top/c.c
tap_ok "a clean tree passes" "$layers" src

printf '\n#include "mid/b.h"\n' >src/low/bad.c
tap_is "upwards is refused, with the line" "$("$layers" src)" "src/low/bad.c:2: low must not include mid/b.h"
printf '#include "a.h"\n' >src/low/bad.c
tap_like "an include without its floor is refused" "$("$layers" src)" '"a.h" should be written "floor/a.h"'
printf '#include "low/none.h"\n' >src/low/bad.c
tap_like "so is one that leads nowhere" "$("$layers" src)" 'bad.c:1: there is no src/low/none.h'
rm src/low/bad.c
: >src/stray/d.c
tap_like "every folder is a floor" "$("$layers" src)" "src/stray/d.c: the floor 'stray' is not in src/LAYERS"
rm src/stray/d.c

printf '#include "low/y.h"\n' >src/low/x.h
printf '#include "low/z.h"\n' >src/low/y.h
printf '#include "low/x.h"\n' >src/low/z.h
tap_is "a circle is shown once, all the way round" "$("$layers" src)" \
	"include circle: low/x.h -> low/y.h -> low/z.h -> low/x.h"
tap_rc 1 "and fails" "$layers" src
tap_done
