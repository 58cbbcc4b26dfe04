#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Weir authors
#
# The ablation of docs/validation.md: the experiment of iozone-2010 with one mechanism changed at a
# time, as a Markdown table on standard output.
#   testbenches/bench/ablation.sh [FILE_MIB]     512 by default (2048: the full files, ten times longer)
# Environment: WEIR (the launcher, ./weir by default), WEIR_ABLATION_OUT (where the runs go).
set -euo pipefail
cd "$(dirname "$0")/../.."

weir=${WEIR:-./weir}
file_mib=${1:-512}
out=${WEIR_ABLATION_OUT:-out/ablation}
row_count=0

# figure TABLE.JSON: the deviation of each run of the second policy, in order of threads.
deviations() {
    sed -n '/^| percentage/,/^$/p' "$1/table.md" | sed -n '4p' | cut -d'|' -f3- | tr -d ' %' | tr '|' ' '
}
throughputs() {
    sed -n '/^| throughput/,/^$/p' "$1/table.md" | sed -n "$2p" | cut -d'|' -f3- | tr -d ' ' | tr '|' ' '
}

# row "what is changed" --set key=value ...
row() {
    local what=$1
    shift
    row_count=$((row_count + 1))
    local folder="$out/$row_count"
    rm -rf "$folder"
    # Exit status 1 only says that an expectation does not hold: the point of an ablation.
    "$weir" run iozone-2010 --policy 2.6.32 --policy 2.6.32-watermark-wait --quiet --wave none \
        --set "workload.file_mib=$file_mib" --out "$folder" "$@" >"$out/$row_count.log" 2>&1 || [ $? -eq 1 ]
    # shellcheck disable=SC2046
    printf '| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n' "$what" \
        $(throughputs "$folder" 3 | awk '{printf "%d %d %d", $1/1024, $2/1024, $3/1024}') \
        $(throughputs "$folder" 4 | awk '{printf "%d %d %d", $1/1024, $2/1024, $3/1024}') \
        $(deviations "$folder")
}

mkdir -p "$out"
echo '| one thing changed | 2.6.32 MB/s at 4 | 8 | 16 | watermark wait MB/s at 4 | 8 | 16 | gain % at 4 | 8 | 16 |'
echo '|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|'
row 'nothing'
row 'each reclaimer has its own scan carry (4.12.1)' --set policy.shared_scan_carry=false
row 'kswapd tests its progress before it naps (4.12.2)' --set policy.kswapd_nap_before_exit_test=false
row 'kswapd tests the high mark after it has shrunk the zone, as 2.6.33 (4.7)' --set policy.kswapd_tests_after_shrink=true
row 'kswapd skips its nap below the min mark, as 2.6.33 (4.5)' --set policy.kswapd_skips_nap_below_min=true
row 'kswapd sleeps on probation, as 2.6.33 (4.7)' --set policy.kswapd_probation=true
row 'direct reclaim leaves a zone at 32 frames, as 2.6.33 (4.6)' --set policy.kswapd_unlimited_target=true
row 'a skipped active scan is skipped, as 2.6.33' --set policy.skipped_active_scan_takes_inactive=false
row 'the free count is exact (4.12.3)' --set policy.approximate_free_count=false
row 'metadata never becomes active (4.12.4)' --set policy.metadata_on_active_list=false
row 'no other memory in use: 60 MiB more cache (4.12.5)' --set machine.kernel.system_anon_mib=0
row 'one watermark queue a zone (4.12.6)' --set policy.watermark_queue_global=false
row 'every completion wakes (4.12.7)' --set policy.wake_needs_below_off_mark=false
row 'a woken task stays on its hart (4.12.8)' --set machine.kernel.wake_placement=previous_hart
row 'a woken task looks for an idle hart (4.12.8)' --set machine.kernel.wake_placement=idle_hart
row 'a woken task goes to its waker (4.12.8)' --set machine.kernel.wake_placement=waking_hart
row 'idle harts pull nothing (4.12.8)' --set machine.kernel.idle_balance=false
row 'completions cost no CPU (4.12.9)' --set policy.completion_cost=false
row 'no per-CPU frame lists (4.2)' --set policy.per_cpu_lists=false
row 'evict-once reverted in both' --set policy.evict_once=false
row 'patch 1 off: allocators stay on the congestion queue' --set policy.watermark_wait=false
row 'patch 2 off: no wake at bulk frees' --set policy.wake_on_bulk_free=false
row 'patch 2 as reviewed: bulk frees alone wake (5.1)' --set policy.wake_on_bulk_free=only
row 'patch 3 off: kswapd naps on the congestion queue' --set policy.wakeable_kswapd_nap=false
row 'the watermark is tested before the nap' --set policy.watermark_wait_checks_first=true
row 'readahead of 128 KiB' --set machine.disk.readahead_kib=128
row 'equal service times' --set machine.disk.lun.service_spread_pct=0
row 'half the quantum' --set machine.cpu.quantum_ns=5000
row 'another seed' --seed 2
row 'and another' --seed 3
