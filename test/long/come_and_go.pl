# test/fleet/pods.pl with 30 servers on 16 numbers.
#
#     SNOWID_LONG_SECONDS=600     how long
use strict;
use warnings;

exec($^X, 'test/fleet/pods.pl', 30, $ENV{SNOWID_LONG_SECONDS} // 600) or die $!;
