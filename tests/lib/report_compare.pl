#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# report_compare.pl PERF SONDE: two reports of the same recording, as text, row by row with the call graphs below.
# Prints what differs and exits 1, or prints how much was the same.
#
# Not looked at, each for its reason:
#   the order of rows        rows of equal overhead stand in the order of perf's trees, which is not one of values
#   [k] or [.]               perf 7.2 shows kernel functions that were found in callchains as [.]
#   callers in no mapping    perf shows each garbage address; sonde shows one [unknown] for them all
#   addresses without names  perf shows them as the process saw them in call graphs, sonde within their file
#   @plt                     perf 6.1 counts PLT slots differently with IBT, or finds no name; the PLT's head is its _init
use strict;
use warnings;

sub unknown { $_[0] =~ /\[unknown\]|\b0x[0-9a-f]+|\b0{16}\b|--0$|\s0$|[;\s]0;|\+0x|;0$|\@plt/ }

sub blocks {
	my ($path) = @_;
	my %blocks;
	my $key;
	open(my $file, '<', $path) or die "$path: $!\n";
	while (my $line = <$file>) {
		chomp $line;
		$line =~ s/\[[.kguH]\] /[.] /;
		$line =~ s/ \(inlined\)$//;
		$line =~ s/[^;\s]*\@plt|(?<=[\s;])(\.plt(\.sec)?|_init)$/\@plt/g;
		$line =~ s/\s+$//;
		if ($line =~ /^#/) {
			undef $key;
			next;
		}
		if ($line =~ /^ {1,12}\d+\.\d\d%\s\s/) {
			$line =~ s/\s\s+/  /g;
			$line =~ s/\[\.\] (0x[0-9a-f]+|0{16})$/[.] [unknown]/;
			$key = $line;
			push @{ $blocks{$key} }, '';
		} elsif (defined $key && length $line) {
			$blocks{$key}[-1] .= "$line\n";
		}
	}
	return \%blocks;
}

my ($perf, $sonde) = map { blocks($_) } @ARGV[0, 1];
my ($same, $skipped, @wrong) = (0, 0);
for my $key (sort keys %{ { %$perf, %$sonde } }) {
	my @p = sort @{ $perf->{$key} || [] };
	my @s = sort @{ $sonde->{$key} || [] };
	if (unknown($key) || grep { unknown($_) } split(/\n/, join('', @p, @s))) {
		$skipped++;
	} elsif (@p != @s) {
		push @wrong, scalar(@p) . ' times in perf, ' . scalar(@s) . " in sonde: $key\n";
	} elsif (join("\0", @p) ne join("\0", @s)) {
		push @wrong, "call graphs differ below: $key\nperf:\n$p[0]sonde:\n$s[0]";
	} else {
		$same++;
	}
}
print @wrong[0 .. ($#wrong > 5 ? 5 : $#wrong)];
print scalar(@wrong), " rows differ, $same are the same, $skipped with unknown frames\n";
exit(@wrong || !$same ? 1 : 0);
