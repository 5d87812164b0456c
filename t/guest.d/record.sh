# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
#
# record.sh FOLDER ENGINE[:WITHOUT]/LEVEL... - records functional.sh with each
# engine (WITHOUT: value of PROV_EBPF) and granularity, in a guest and on this machine alike. Prints parts: "==== NAME STATUS OUT ERR", then
# so many bytes of standard output and of standard error. In the environment:
# PROV, HERE (this folder), TOOLS.
folder=$1
shift
mkdir -p "$folder"
cd "$folder" || exit 1

part() {
	name=$1
	shift
	"$@" >"$folder/out" 2>"$folder/err"
	printf '==== %s %d %d %d\n' "$name" $? "$(wc -c <"$folder/out")" "$(wc -c <"$folder/err")"
	cat "$folder/out" "$folder/err"
}

record() {
	engine=${1%/*}
	PROV_STORE=$folder/$1.store/p.db
	PROV_EBPF=${engine#"${engine%%:*}"}
	export PROV_STORE PROV_EBPF
	mkdir -p "$folder/$1"
	cd "$folder/$1" || exit 1
	mkfifo ask answer
	(read -r said <ask && echo "$said" >stranger && echo done >answer) &
	part "$1.run" "$PROV" run --engine="${engine%%:*}" --granularity="${1#*/}" -- \
		sh "$HERE/functional.sh"
	# Where nothing was run nobody asked.
	kill $! 2>/dev/null
	part "$1.show" "$PROV" show @ --json
	part "$1.lineage" "$PROV" lineage piped --json
	part "$1.static" "$PROV" lineage static --json
	cd "$folder" || exit 1
}

ABLE=
for tool in raw raw32 ring; do
	"$TOOLS/$tool" able 2>/dev/null && ABLE="$ABLE $tool"
done
export ABLE
part kernel uname -r
part able echo "$ABLE"
part doctor "$PROV" doctor --json
for way in "$@"; do
	record "$way"
done
exit 0
