#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# script_compare.pl PERF-TEXT SONDE-TEXT [old]: the lines of both are equal, but for what is known and counted here:
#
#   exited    perf forgets a task when its exit is read, and calls the samples of its last moments ":TID" (and its
#             addresses unknown)
#   marker    perf drops a whole callchain when a word of the stack looks like a context marker it does not know
#   plt       perf 6 names no stubs of files built with -z now, or the wrong one; 7 calls some "offset_0x...@plt"
#   objects   an address in .data or .bss (found in a broken stack): perf takes it through the wrong section
#
# old: perf before 7: callchains show addresses within the file, tids are narrower, C++ names have no parameters.
use strict;
use warnings;

my ($perf_path, $sonde_path, $old) = @ARGV;

sub blocks { # samples: a line with the frames below it
	my ($path) = @_;
	open my $in, '<', $path or die "$path: $!";
	my @blocks;
	while (my $line = <$in>) {
		chomp $line;
		if ($old) {
			$line =~ s/^\t *[0-9a-f]+ /\t/;
			$line =~ s/ +/ /g;
			$line =~ s/^ //;
		}
		if ($line =~ /^\t/ && @blocks) { push @{$blocks[-1]}, $line } else { push @blocks, [$line] }
	}
	return \@blocks;
}

my ($perf, $sonde) = (blocks($perf_path), blocks($sonde_path));
my %known = (exited => 0, marker => 0, plt => 0, objects => 0);
my $bad = 0;

sub without_parameters {
	my ($name_a, $name_b) = @_;
	my ($bare, $offset) = $name_a =~ /^(.*?)((?:@.*?)?(?:\+0x[0-9a-f]+)? \([^()]*\))$/ or return 0;
	return substr($name_b, -length $offset) eq $offset && index($name_b, $bare) >= 0;
}

sub same_stub { # the same place, which only here is called a stub
	my ($a, $b) = @_;
	my ($place, $object) = $b =~ /^(.*\b[0-9a-f]{4,} )\S*\@plt(?:\+0x[0-9a-f]+)?( \([^()]*\))?$/ or return 0;
	my $rest = index($a, $place) == 0 ? substr($a, length $place) : "";
	$object = "" unless defined $object;
	return 0 unless substr($rest, length($rest) - length($object)) eq $object;
	return substr($rest, 0, length($rest) - length($object)) =~ /^(?:\[unknown\]|_init|\S+\@plt)(?:\+0x[0-9a-f]+)?$/;
}

sub same_head {
	my ($a, $b) = @_;
	return 1 if $a eq $b;
	if (same_stub($a, $b)) { $known{plt}++; return 1 }
	if ($a =~ /^ *:-?\d+ *$/) { $known{exited}++; return 1 }
	if ($a =~ /^ *:(-?\d+) (.*)$/) {
		my ($tid, $rest) = ($1, $2);
		$rest =~ s/^ +//;
		if ($rest =~ /^(\d+\/)?$tid\b/ && substr($b, -length $rest) eq $rest) { $known{exited}++; return 1 }
		# without the tid in the line
		if (substr($b, -length $rest) eq $rest) { $known{exited}++; return 1 }
	}
	if ($old && $a =~ /^((?:.*:)? *[0-9a-f]+ )(\S.*(?:\+0x[0-9a-f]+)? \(.*\))$/ && index($b, $1) == 0) {
		return 1 if without_parameters($2, substr($b, length $1));
	}
	# the place in the same line
	if ($a =~ /^(.*) \[unknown\] \(\[unknown\]\)$/ && index($b, $1) == 0) { $known{exited}++; return 1 }
	return 0;
}

sub same_frame {
	my ($a, $b) = @_;
	return 1 if $a eq $b;
	if ($old) {
		my ($name_a, $name_b) = map { /^\t(.*)$/ ? $1 : $_ } $a, $b;
		return 1 if without_parameters($name_a, $name_b);
	}
	if ($a =~ /\[unknown\] \(\[unknown\]\)$/) { $known{exited}++; return 1 }
	my ($dso_a) = $a =~ /(\([^()]*\))$/;
	my ($dso_b) = $b =~ /(\([^()]*\))$/;
	if (defined $dso_a && defined $dso_b && $dso_a eq $dso_b) { $known{objects}++; return 1 }
	return 0;
}

sub same {
	my ($a, $b) = @_;
	return 0 unless same_head($a->[0], $b->[0]);
	if (@$a == 1 && @$b > 1) { $known{marker}++; return 1 }
	return 0 if @$a != @$b;
	for my $i (1 .. $#$a) { return 0 unless same_frame($a->[$i], $b->[$i]) }
	return 1;
}

my $nr = @$perf > @$sonde ? @$perf : @$sonde;
for my $i (0 .. $nr - 1) {
	my $a = $perf->[$i] // ["<nothing>"];
	my $b = $sonde->[$i] // ["<nothing>"];
	next if same($a, $b);
	print "perf:  ", join("\n       ", @$a), "\nsonde: ", join("\n       ", @$b), "\n" if $bad++ < 5;
}
# Known differences are rare: when there are many, they are something else.
my $nr_known = $known{exited} + $known{marker} + $known{objects};
if ($nr_known > 5 + $nr / 8) {
	print "$nr_known known differences in $nr samples are too many\n";
	$bad++;
}
if (!$nr) { print "no lines\n"; $bad++ }
print join(', ', "$nr lines", map { "$_ $known{$_}" } grep { $known{$_} } sort keys %known), "\n";
exit($bad ? 1 : 0);
