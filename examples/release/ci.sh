#!/bin/sh
# What the CI of this release runs: build both sets, gate them against budgets.toml, the waivers and the last release, and with
# RELEASE=FILE.tar.zst pack them.
# Its exit code is the gate's (0 pass, 1 fail, 2 usage, 3 invalid file, 4 internal error).
#
#   ACTFORGE  the command (actforge)
#   OUT       where the sets and the results go (../../out/release, from here)
#   RELEASE   the archive, where one is to be made: gated again, with what it was judged by in it
#
# After a release, its result is what the next one is held against: cp "$OUT/gate.json" baseline/gate.json
set -eu
cd "$(dirname "$0")"
: "${ACTFORGE:=actforge}" "${OUT:=../../out/release}"

for set in core attention; do
    "$ACTFORGE" build "$set.toml" -o "$OUT/$set"
done

"$ACTFORGE" gate "$OUT/core" "$OUT/attention" \
    --budgets budgets.toml --waivers waivers.toml --baseline baseline \
    --json "$OUT/gate.json" --junit "$OUT/gate.xml" --sarif "$OUT/gate.sarif" --markdown "$OUT/gate.md"

if [ -n "${RELEASE:-}" ]; then
    "$ACTFORGE" release "$OUT/core" "$OUT/attention" \
        --budgets budgets.toml --waivers waivers.toml --baseline baseline -o "$RELEASE"
    "$ACTFORGE" verify "$RELEASE"
fi
