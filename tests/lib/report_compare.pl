#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# report_compare.pl PERF SONDE: two reports of the same recording, as text, row by row with the call graphs below.
# Prints what differs and exits 1, or prints how much was the same; 2: nothing in them can be compared.
#
# Not looked at, each for its reason:
#   the order of rows        rows of equal overhead stand in the order of perf's trees, which is not one of values
#   [k] or [.]               perf 7.2 shows kernel functions that were found in callchains as [.]
#   callers in no mapping    perf shows each garbage address; sonde shows one [unknown] for them all
#   addresses without names  perf shows them as the process saw them in call graphs, sonde within their file
#   @plt                     perf 6.1 counts PLT slots differently with IBT, or finds no name; the PLT's head is its _init
#   one row in two           perf orders rows without a symbol by address and the others by library, which is no order
#                            at all: among many without symbols it may not find a row again, and starts another
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

# Rows by their names, with the sums of their first columns.
sub totals {
	my %totals;
	for my $key (keys %{ $_[0] }) {
		my ($share, $name) = $key =~ /^\s*([\d.]+)%\s+(?:[\d.]+%?\s\s)*(.*)/ or next;
		my $rows = @{ $_[0]{$key} };
		$totals{$name}[0] += $rows;
		$totals{$name}[1] += $rows * $share;
	}
	return \%totals;
}
my ($in_perf, $in_sonde) = (totals($perf), totals($sonde));
my %split = map { $_ => 1 } grep {
	my $ours = $in_sonde->{$_};
	$ours && $in_perf->{$_}[0] > $ours->[0] && abs($in_perf->{$_}[1] - $ours->[1]) < 0.03
} keys %$in_perf;
sub split_row { $_[0] =~ /^\s*[\d.]+%\s+(?:[\d.]+%?\s\s)*(.*)/ && $split{$1} }

for my $key (sort keys %{ { %$perf, %$sonde } }) {
	my @p = sort @{ $perf->{$key} || [] };
	my @s = sort @{ $sonde->{$key} || [] };
	if (split_row($key) || unknown($key) || grep { unknown($_) } split(/\n/, join('', @p, @s))) {
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
exit(@wrong ? 1 : $same ? 0 : $skipped ? 2 : 1);
