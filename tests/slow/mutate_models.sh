#!/bin/sh
# 100,000 damaged model files (or as many as the first argument says), twice: as they are, where every one must be
# refused, and with their checksum repaired, where each is refused or is a sound model that predicts. Run under the
# address and undefined-behaviour sanitizers with 4 GiB of heap, so that no crash, hang or huge allocation goes unseen.
set -eu
cd "$(dirname "$0")/../.."
cmake --preset asan >/dev/null
cmake --build --preset asan -t model_test
WALD_MUTATIONS="${1:-100000}" ASAN_OPTIONS=max_allocation_size_mb=4096 timeout 3600 \
  build/asan/bin/model_test --gtest_filter='Mutation.*'
