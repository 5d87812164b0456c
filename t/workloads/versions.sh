#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
#
# versions.sh - git, which writes locks and temporary files and renames them
set -e
export HOME="$PWD" GIT_CONFIG_NOSYSTEM=1
git init -q -b main tree
cd tree
git config user.name Somebody
git config user.email somebody@example.org
git config gc.auto 0
for i in 1 2 3; do
	echo "line $i" >"file$i"
	git add "file$i"
	git commit -q -m "add file$i"
done
git mv file1 moved
git commit -q -m 'move file1'
git checkout -q -b side HEAD~1
echo more >>file2
git commit -q -a -m 'more'
git checkout -q main
git merge -q -m merge side
git log --stat >../log
git status -s >../status
git gc -q
git show HEAD:file2 >../shown
