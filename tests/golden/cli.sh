#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The command line as a whole: names, usage, what is said about mistakes, exit statuses, small commands.
. "$SONDE_TESTS/tap.sh"

ln -s "$SONDE" perf
ln -s "$SONDE" perf-version
ln -s "$SONDE" sonde-check
perf=$PWD/perf

# ---- versions and names

tap_like "version" "$("$SONDE" --version)" '^sonde version [0-9]+\.[0-9]+\.[0-9]+$'
tap_is "-v is --version" "$("$SONDE" -v)" "$("$SONDE" version)"
tap_like "as perf: a version scripts understand" "$("$perf" --version)" '^perf version [0-9]+\.[0-9]+'
tap_like "perf-version" "$(./perf-version)" '^perf version'
tap_like "sonde-check" "$(./sonde-check feature libelf)" '^ +libelf: \[ on  \]  # HAVE_LIBELF_SUPPORT$'
tap_like "build options" "$("$SONDE" version --build-options)" '^ +zlib: \[ on  \]  # HAVE_ZLIB_SUPPORT$'
tap_is "-vv is version --build-options" "$("$SONDE" -vv)" "$("$SONDE" version --build-options)"

# ---- the list of commands

tap_rc 1 "nothing to do: status 1" "$SONDE"
tap_rc 0 "--help" "$SONDE" --help
tap_like "commands stand under what people want" "$("$SONDE")" '^ The tool itself$'
tap_like "as perf: perf's usage" "$("$perf")" '^ usage: perf \[--version\] \[--help\] \[OPTIONS\] COMMAND \[ARGS\]$'
tap_like "--list-cmds" "$("$SONDE" --list-cmds)" '(^| )version '
tap_like "--list-opts" "$("$SONDE" --list-opts)" '^--help --version '
tap_like "--list-opts of a command" "$("$SONDE" version --list-opts)" '^--build-options $'

# ---- mistakes

tap_rc 1 "unknown command: status 1" "$SONDE" frobnicate
tap_is "unknown command" "$("$SONDE" frobnicate 2>&1)" "sonde: 'frobnicate' is not a sonde-command. See 'sonde --help'."
tap_is "unknown command, nearly right, as perf" "$("$perf" chekc 2>&1)" "perf: 'chekc' is not a perf-command. See 'perf --help'.

Did you mean this?
	check"
tap_rc 129 "unknown option in front: status 129" "$SONDE" --frob
tap_is "unknown option in front" "$("$perf" --frob 2>&1)" "Unknown option: --frob

 Usage: perf [--version] [--help] [OPTIONS] COMMAND [ARGS]"
tap_rc 129 "missing value in front" "$SONDE" --debug
tap_rc 129 "unknown variable" "$SONDE" --debug frob=1 version
tap_rc 0 "known variable" "$SONDE" --debug verbose=2 --no-pager version
tap_rc 129 "unknown option: status 129" "$SONDE" version --frobnicate
tap_is "unknown option, nearly right" "$("$SONDE" version --biuld-options 2>&1)" " Error: unknown option \`biuld-options'
Did you mean --build-options?

 Usage: sonde version [<options>]

        --build-options   say also what this build can do"
tap_is "missing value" "$("$SONDE" test -w 2>&1)" " Error: switch \`w' requires a value

 Usage: sonde test -w <workload> [<arguments>]
    or: sonde test --list-workloads

    -w, --workload <work>
                          run this workload; what follows are its arguments"
tap_rc 129 "missing value: status 129" "$SONDE" test -w
tap_is "mistakes go to standard error" "$("$SONDE" version --frobnicate 2>/dev/null)" ""

# ---- help

tap_rc 129 "-h: status 129, as perf" "$SONDE" version -h
tap_like "-h" "$("$SONDE" check -h)" '^    -q, --quiet           say nothing'
tap_like "-h WORD" "$("$SONDE" config -h origin)" '^        --show-origin'
tap_unlike "-h WORD leaves out the rest" "$("$SONDE" config -h origin)" '--list'
tap_like "--help is the page" "$("$SONDE" config --help)" '^SYNOPSIS$'
tap_is "help CMD is the same page" "$("$SONDE" help config)" "$("$SONDE" config --help)"
tap_rc 16 "help of what does not exist" "$SONDE" help frobnicate
for command in $("$SONDE" --list-cmds); do
	page=$("$SONDE" help --generate man "$command" 2>&1)
	tap_like "page of $command" "$page" "^\.SH SYNOPSIS$"
	tap_like "page of $command says what it is" "$page" "^sonde..?${command//-/..?} ..?- ."
	if command -v groff >/dev/null; then
		tap_is "page of $command is good roff" "$(printf '%s\n' "$page" | groff -man -Tutf8 -ww 2>&1 >/dev/null)" ""
	else
		tap_skip "page of $command is good roff" "no groff"
	fi
done
"$SONDE" help --generate bash >completion
tap_ok "completion script is good bash" bash -n completion
complete_line() {
	bash -c 'PATH='"$PWD"':$PATH; . ./completion; COMP_LINE=$1; read -ra COMP_WORDS <<<"$1"; [[ $1 == *" " ]] &&
		COMP_WORDS+=(""); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _sonde; echo "${COMPREPLY[*]}"' - "$1"
}
ln -s "$SONDE" sonde
tap_is "completes commands" "$(complete_line "sonde che")" "check"
tap_is "completes options" "$(complete_line "sonde version --b")" "--build-options"
tap_is "completes subcommands" "$(complete_line "sonde check fe")" "feature"
tap_is "completes commands behind help" "$(complete_line "sonde help vers")" "version"
tap_is "completes choices" "$(complete_line "sonde help --generate ba")" "bash"

# ---- check

tap_rc 0 "feature that is on" "$SONDE" check feature libelf
tap_rc 0 "by its macro" "$SONDE" check feature HAVE_LIBELF_SUPPORT
tap_rc 1 "feature that is off" "$SONDE" check feature libbfd
tap_rc 1 "one of several is off" "$SONDE" check feature libelf,libbfd
tap_rc 1 "unknown feature" "$SONDE" check feature frob
tap_is "-q says nothing" "$("$SONDE" check -q feature libelf,frob 2>&1)$("$SONDE" check feature -q libelf 2>&1)" ""
tap_rc 129 "check without words" "$SONDE" check
tap_rc 129 "check feature without words" "$SONDE" check feature
tap_rc 129 "check frob" "$SONDE" check frob

# ---- config

export HOME=$PWD/home
mkdir home
unset PERF_CONFIG XDG_CONFIG_HOME
tap_rc 255 "a key needs a section" "$SONDE" config frob
tap_rc 255 "a setting needs a value" "$SONDE" config a.b=
tap_is "no settings" "$("$SONDE" config -l --user)" ""
"$SONDE" config colors.top='red, lightgray' 2>/dev/null
"$perf" config colors.top=blue core.pager=cat 2>/dev/null
tap_is "ours overrides perf's" "$("$SONDE" config --user -l)" "colors.top=red, lightgray
core.pager=cat"
tap_is "perf's file" "$(cat home/.perfconfig)" "[colors]
	top = blue
[core]
	pager = cat"
tap_is "origin" "$("$SONDE" config --show-origin core.pager)" "$HOME/.perfconfig:4	core.pager=cat"
tap_is "PERF_CONFIG alone" "$(printf '[a]\nb\n' >only; PERF_CONFIG=only "$SONDE" config)" "a.b=true"
tap_is "a bad line is reported" "$(printf 'x\n[a]\nb = 1\n' >bad; PERF_CONFIG=bad "$SONDE" config 2>&1)" \
	"sonde: bad:1: a setting must stand under a [section]
a.b=1"
tap_like "a key nobody reads is reported" "$("$SONDE" config frob.nicate=1 2>&1)" "no command reads 'frob.nicate'"
tap_rc 129 "--list takes no words" "$SONDE" config --list a.b
export PERF_CONFIG=/dev/null

# ---- kallsyms

cat >symbols <<'END'
ffffffff81000000 T _text
ffffffff81000010 t second
ffffffff81000040 T third
ffffffffc0001000 t in_module	[ext4]
ffffffffc0001020 t behind	[ext4]
ffffffffc0001010 t other	[xfs]
END
tap_is "kallsyms" "$("$SONDE" kallsyms --kallsyms symbols second nosuch third in_module)" \
	"second: [kernel] [kernel.kallsyms] 0xffffffff81000010-0xffffffff81000040 (0xffffffff81000010-0xffffffff81000040)
nosuch: not found
third: [kernel] [kernel.kallsyms] 0xffffffff81000040-0xffffffff81001000 (0xffffffff81000040-0xffffffff81001000)
in_module: [ext4] [ext4] 0xffffffffc0001000-0xffffffffc0001020 (0xffffffffc0001000-0xffffffffc0001020)"
tap_rc 129 "kallsyms without names" "$SONDE" kallsyms
tap_rc 255 "kallsyms without a list" "$SONDE" kallsyms --kallsyms nosuch x

# ---- workloads

for workload in $("$SONDE" test --list-workloads); do
	case $workload in
	noploop | thloop | leafloop | sqrtloop | datasym | inlineloop) argument=0.02 ;;
	landlock) argument= ;;
	*) argument=2 ;;
	esac
	tap_ok "workload $workload $argument" "$SONDE" test -w "$workload" $argument
	tap_like "$workload is a function" "$(nm "$SONDE" 2>/dev/null || echo skip)" " [tT] $workload$| $workload|^skip$"
done
tap_is "unknown workload" "$("$SONDE" test -w nooploop 2>&1)" "sonde: No workload found: nooploop
Did you mean 'noploop'?"
tap_rc 255 "unknown workload: status 255" "$SONDE" test -w frob
tap_rc 255 "bad argument: status 255" "$SONDE" test -w noploop frob
tap_rc 129 "no self tests" "$SONDE" test 1

# ---- output that cannot be written

if [ -w /dev/full ]; then
	tap_rc 255 "a full disk is an error" sh -c '"$0" version --build-options >/dev/full' "$SONDE"
	tap_rc 255 "a full disk is an error in a page" sh -c '"$0" help test >/dev/full' "$SONDE"
fi
tap_done
