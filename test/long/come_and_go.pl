# test/fleet/pods.pl with 30 servers on 16 numbers.
#
#     SNOWID_LONG_SECONDS=600     how long
use strict;
use warnings;

our ($pods, $seconds) = (30, $ENV{SNOWID_LONG_SECONDS} // 600);
do './test/fleet/pods.pl' or die $@ || $!;
