#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
#
# text.pl - perl: streams, pipes, fork, in-place edit
use strict;
use warnings;
open(my $out, '>', 'words') or die;
print $out "$_\n" for qw(pear apple plum);
close($out) or die;
open(my $in, '<', 'words') or die;
my @words = <$in>;
close($in);
open(my $sorted, '|-', 'sort > sorted') or die;
print $sorted @words;
close($sorted) or die;
my $count = `wc -l < sorted`;
open(my $both, '+<', 'words') or die;
seek($both, 0, 2);
syswrite($both, "fig\n");
sysseek($both, 0, 0);
sysread($both, my $buffer, 4);
close($both);
my $child = fork();
if ($child == 0) {
	open(my $f, '>>', 'child') or die;
	print $f $count;
	close($f);
	exec('cat', 'child') or die;
}
waitpid($child, 0);
rename('child', 'renamed') or die;
link('renamed', 'linked') or die;
symlink('renamed', 'symlinked') or die;
unlink('renamed') or die;
truncate('linked', 0) or die;
{
	local ($^I, @ARGV) = ('.bak', 'words');
	while (<>) {
		s/plum/prune/;
		print;
	}
}
open(STDOUT, '>', 'stdout') or die;
print "to a file\n";
system('echo', 'by echo') == 0 or die;
