#!/bin/sh
# interrupt.sh COMMAND...: runs the command, sends it SIGINT when it has had a second of the processor, which is
# long after its launch began, however busy the machine is, and ends as it did. Shells start what runs in the
# background without SIGINT: env gives it back.
env --default-signal=INT "$@" &
while [ "$(awk '{ print $14 }' /proc/$!/stat)" -lt "$(getconf CLK_TCK)" ]; do
    sleep 0.1
done
kill -INT $!
wait $!
