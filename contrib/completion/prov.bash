# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
# bash completion for prov; install as /usr/share/bash-completion/completions/prov

_prov_runs()
{
	printf '%s\n' last
	prov log -n 30 2>/dev/null | sed -n 's/^\(r[0-9a-f]\{8\}\) .*/\1/p'
}

_prov_words()
{
	mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$1" -- "$2")
}

_prov_files()
{
	compopt -o filenames 2>/dev/null
	mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$1")
}

_prov_options()
{
	case $1 in
	run) echo '--name --note --note-file --engine --granularity --quiet --help' ;;
	log) echo '--number --since --until --user --grep --json --help' ;;
	show) echo '--all --json --help' ;;
	lineage) echo '--depth --at --all --ascii --json --help' ;;
	impact) echo '--depth --at --all --ascii --json --help' ;;
	stat) echo '--all --json --help' ;;
	status) echo '--json --metrics --help' ;;
	graph) echo '--output --impact --depth --at --all --help' ;;
	export) echo '--format --output --impact --depth --at --all --help' ;;
	granularity) echo '--help' ;;
	trace) echo '--file --number --json --help' ;;
	doctor) echo '--json --help' ;;
	config) echo '--json --help' ;;
	help) echo '--help' ;;
	version) echo '--json --help' ;;
	esac
}

_prov()
{
	local commands='run log show lineage impact stat status graph export granularity trace doctor config help version'
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command= at

	COMPREPLY=()
	for ((at = 1; at < COMP_CWORD; at++)); do
		[[ ${COMP_WORDS[at]} == -* ]] && continue
		command=${COMP_WORDS[at]}
		break
	done
	if [[ -z $command ]]; then
		_prov_words "$commands --no-pager --help --version" "$cur"
		return
	fi
	if [[ $command == run ]]; then
		for ((at++; at < COMP_CWORD; at++)); do
			if [[ ${COMP_WORDS[at]} == -- ]]; then
				declare -F _command_offset >/dev/null && _command_offset $((at + 1))
				return
			fi
		done
	fi
	case $prev in
	--since | --until | --at) _prov_words 'today yesterday now' "$cur" && return ;;
	--engine) _prov_words 'auto preload ebpf' "$cur" && return ;;
	--granularity) _prov_words 'all first-last open-close off' "$cur" && return ;;
	-f | --format) _prov_words 'prov-json json dot svg text' "$cur" && return ;;
	-u | --user) mapfile -t COMPREPLY < <(compgen -u -- "$cur") && return ;;
	-o | --output | --file) _prov_files "$cur" && return ;;
	-n | --number | -d | --depth | --grep | --name | --note | --note-file) return ;;
	esac
	if [[ $cur == -* ]]; then
		_prov_words "$(_prov_options "$command")" "$cur"
		return
	fi
	case $command in
	show | graph | export) _prov_words "$(_prov_runs)" "$cur" && _prov_files "$cur" ;;
	granularity)
		_prov_words "last node all first-last open-close off $(prov granularity 2>/dev/null | sed 's/ .*//')" "$cur"
		;;
	stat | trace) _prov_words "$(_prov_runs)" "$cur" ;;
	lineage | impact) _prov_files "$cur" ;;
	config) _prov_words "$(prov config 2>/dev/null | sed -n '2,$s/ .*//p')" "$cur" ;;
	help) _prov_words "$commands" "$cur" ;;
	esac
}

complete -F _prov prov
