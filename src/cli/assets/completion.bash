# bash completion for sonde
# SPDX-License-Identifier: Apache-2.0

# Candidates for an argument: by its name, or the choices themselves ("a|b|c").
_sonde_argument() {
	local kind=$1 word=$2
	case $kind in
	*'|'*) COMPREPLY=($(compgen -W "${kind//|/ }" -- "$word")) ;;
	event)
		# Only what stands behind the last comma or brace is completed.
		local head=${word%"${word##*[,\{]}"}
		COMPREPLY=($(compgen -P "$head" -W "$("$sonde" list --raw-dump 2>/dev/null)" -- "${word##*[,\{]}"))
		__ltrimcolon_completions "$word" 2>/dev/null
		;;
	pid | tid) COMPREPLY=($(compgen -W "$(cd /proc && echo [0-9]*)" -- "$word")) ;;
	user | uid) COMPREPLY=($(compgen -u -- "$word")) ;;
	dir | directory) COMPREPLY=($(compgen -d -- "$word")) ;;
	*) COMPREPLY=($(compgen -f -- "$word")) ;;
	esac
}

_sonde() {
	local sonde=${COMP_WORDS[0]} cur=${COMP_WORDS[COMP_CWORD]} line=() path='' kind='' word words parts stops i
	# bash cuts words at '=' and ':'; put them together again.
	for ((i = 1; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if ((${#line[@]})) && [[ $word == [=:]* || ${line[-1]} == *[=:] && ${line[-1]} == -* ||
			${line[-1]} == *: ]]; then
			line[-1]+=$word
		else
			line+=("$word")
		fi
	done
	_sonde_words ''
	local last=$((${#line[@]} - 1))
	for ((i = 0; i < last; i++)); do
		word=${line[i]}
		if [[ $word == -- ]]; then
			_command_offset $((COMP_CWORD - (last - i) + 1)) 2>/dev/null
			return
		elif [[ $word == -* ]]; then
			# An option whose argument is the next word.
			if [[ $word != *=* && " $words " == *" $word="* ]]; then
				kind=${words#* "$word"=}
				kind=${kind%% *}
				((i++))
				((i == last)) && { _sonde_argument "$kind" "${line[last]}"; return; }
			fi
		elif [[ " $parts " == *" $word "* ]]; then
			path=${path:+$path }$word
			[[ $path == help\ * ]] || _sonde_words "$path"
		elif ((stops)); then
			_command_offset $((COMP_CWORD - (last - i))) 2>/dev/null
			return
		fi
	done
	word=${line[last]}
	if [[ $word == --*=* ]]; then
		if [[ " $words " == *" ${word%%=*}="* ]]; then
			kind=${words#* "${word%%=*}"=}
			_sonde_argument "${kind%% *}" "${word#*=}"
		fi
	elif [[ $word == -* ]]; then
		local names=()
		for i in $words; do names+=("${i%%=*}"); done
		COMPREPLY=($(compgen -W "${names[*]}" -- "$word"))
	elif [[ $path == help ]]; then
		_sonde_words ''
		COMPREPLY=($(compgen -W "$parts" -- "$word"))
	elif [[ $path == config ]]; then
		COMPREPLY=($(compgen -W "$("$sonde" help --generate config | cut -f1)" -- "$word"))
	elif [[ -n $parts ]]; then
		COMPREPLY=($(compgen -W "$parts" -- "$word"))
	elif ((stops)); then
		COMPREPLY=($(compgen -c -- "$word"))
	fi
}
