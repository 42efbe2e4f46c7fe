#!/bin/sh
# overlap.sh FOLDER [ROW]: compiles isa.c with an isa.def that has one more row. Runs in the project's root.
set -eu
folder=$1 row=${2:-}
mkdir -p "$folder/backend/format/warpcore"
awk -v row="$row" '/^#undef WC_MAJOR/ { print row } { print }' backend/format/warpcore/isa.def > "$folder/backend/format/warpcore/isa.def"
${CC:-cc} -std=gnu17 -D_GNU_SOURCE -I"$folder" -I. -fsyntax-only backend/format/warpcore/isa.c || exit 1
echo compiles
