# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
#
# functional.sh - the program that is recorded; expect.py has what must be on
# record. TOOLS: folder of the static programs; ABLE: those that can run here.
# Which programs of the kernel its recorder holds, for who reads the output.
cat /proc/$PPID/fdinfo/* 2>/dev/null
printf '%s\n' one two three >input
cat input >copy
mv copy moved
printf gone >doomed
rm doomed
tr a-z A-Z <input | cat >piped
busybox cat input >static

# Somebody whom nobody records writes while this is recorded; see record.sh.
echo go >ask
read -r said <answer

for tool in $ABLE; do
	case $tool in
	ring)	"$TOOLS/ring" input ring.out ;;
	*)	"$TOOLS/$tool" "$tool" ;;
	esac
done

sh -c 'exit 3'
sh -c 'kill -TERM $$'
exit 5
