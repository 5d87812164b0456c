#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
#
# shell.sh - what scripts are made of: builtins, redirections, here-documents,
# subshells, pipes, background
set -e
mkdir sub
echo one >a
printf '%s\n' two three >>a
cat >b <<END
a here-document
with $(wc -l <a) lines of a
END
cat <<<'a here-string' >>b
while read -r line; do
	echo "$line" | tr a-z A-Z
done <b >c
(cd sub && sort ../c >../d && cp ../d copy)
sort -r a | tee e | wc -l >f
text=$(<a)
other=$(cat a b)
cat a >background1 &
sort b >background2 &
wait
exec 5>>g 6<a
echo "$text" >&5
read -r first <&6
echo "$first$other" >&5
exec 5>&- 6<&-
diff <(sort a) <(sort b) >h || true
mv h i
mv i sub/
cp -p a k
ln k l
ln -s k m
cat m l >n
rm k m
touch empty
: >a
[ -f n ] && grep -q one n
echo 'lib() { cat "$@"; }' >lib.sh
. ./lib.sh
lib n | head -n 1 >o
no-such-program 2>/dev/null || true
env -i /bin/cat n >p
env -i PATH=/usr/bin:/bin sh -c 'cat p | sort >q'
(exec cat q) >r
bash -c 'echo before >s; kill -9 $$' || true
sh -c 'exit 7' || true
find . -name '[a-f]' -exec cat {} + >t
xargs -n 1 cat <<<'a b c' >u
sed -i s/one/uno/ n
dd if=n of=v bs=2 count=3 2>/dev/null
echo x | cat >w | true
tar cf sub.tar sub
mkdir out
tar xf sub.tar -C out
gzip n
rm -r sub
