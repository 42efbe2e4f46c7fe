#!/bin/sh
# interrupt.sh COMMAND...: runs the command, sends it SIGINT (or $SIGNAL) when it has had 20 ticks (or $TICKS) of the
# processor, which is long after its launch began, however busy the machine is, and ends as it did. Shells start what
# runs in the background without SIGINT: env gives it back.
ticks=$((${TICKS:-20} * ${KERNC_TEST_PATIENCE:-1}))
env --default-signal=INT "$@" &
while [ "$(awk '{ print $14 }' /proc/$!/stat)" -lt "$ticks" ]; do
    sleep 0.1
done
kill -"${SIGNAL:-INT}" $!
wait $!
