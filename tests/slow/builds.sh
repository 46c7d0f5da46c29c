#!/bin/sh
# The program by several compilers and levels of optimisation, for tests/slow/determinism.py: builds.sh FOLDER
# Each is FOLDER/NAME/bin/wald; a compiler that is not installed is left out.
set -eu
[ $# -eq 1 ] || { echo "usage: builds.sh FOLDER" >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
while read -r name compiler level; do
  command -v "$compiler" > /dev/null || { echo "$compiler is not installed: $name is left out"; continue; }
  cmake -S . -B "$folder/$name" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_CXX_FLAGS_RELEASE="$level -DNDEBUG" -DWALD_TESTS=OFF > /dev/null
  cmake --build "$folder/$name" -j 2 -t wald_binary
done <<END
gcc-O1 g++ -O1
gcc-O3 g++ -O3
clang-O3 clang++-19 -O3
END
