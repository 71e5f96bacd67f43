#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What `make install` puts where; the variant and folder under test come from the make around us.
. "$SONDE_TESTS/tap.sh"

top=$(realpath "$SONDE_TESTS/..")
# The outer make's job pipe is not ours.
MAKEFLAGS=$(printf '%s' "${MAKEFLAGS:-}" | sed 's/ *--jobserver-[a-z]*=[^ ]*//g; s/ *-j[0-9]*//g')
export MAKEFLAGS
tap_ok "make install" make -s -C "$top" install DESTDIR="$PWD/root" PREFIX=/usr
cd root/usr || exit 1
tap_ok "the program" test -x bin/sonde
tap_is "is the one that was built" "$(bin/sonde --version)" "$("$SONDE" --version)"
tap_like "has its symbols" "$(nm bin/sonde 2>&1)" ' [Tt] main$'

tap_is "a page for every command" "$(cd share/man/man1 && find . -type f -size +0 -printf '%f\n' | sort)" \
	"$( (echo sonde.1; for command in $("$SONDE" --list-cmds); do echo "sonde-$command.1"; done) | sort)"
complaints=
if command -v man >/dev/null; then
	for page in share/man/man1/*; do
		out=$(MANROFFSEQ='' LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$page" 2>&1 >/dev/null)
		complaints+=${out:+$page: $out$'\n'}
	done
	tap_is "are accepted by man" "$complaints" ""
else
	tap_skip "are accepted by man" "man is not installed"
fi
tap_ok "completion is bash" bash -n share/bash-completion/completions/sonde

cd ../.. || exit 1
tap_ok "make uninstall" make -s -C "$top" uninstall DESTDIR="$PWD/root" PREFIX=/usr
tap_is "takes all files away" "$(find root -type f)" ""
tap_done
