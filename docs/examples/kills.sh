#!/bin/bash
# Plays a study with 4 workers and kills its process and its browser on the way, one process for three browsers. It says
# whether each cell is there exactly once, how many ended in error, and what was left behind.
#
#   docs/examples/kills.sh bin/cua-runner studies/kills [CELLS [KILLS]]     (400 cells, 16 kills)
set -euo pipefail
cua=$1 study=$2 cells=${3:-400} kills=${4:-16}
tmp=$(mktemp -d /tmp/cua-kills.XXXXXX) # of its own, to see what is left in it; the browser's user must reach it
chmod 755 "$tmp"
export TMPDIR=$tmp
done_cells() { if [ -f "$study/results.jsonl" ]; then wc -l <"$study/results.jsonl"; else echo 0; fi; }
start() {
	if [ -f "$study/study.json" ]; then
		"$cua" bench --resume "$study" --workers 4 >/dev/null 2>>"$study.log" &
	else
		"$cua" bench --suite forms,controls --task login,signup,address,placeholders,pagination,stepper,twelve-fields,date-picker \
			--brain oracle --arms default,off --seeds $((cells / 16)) --workers 4 --out "$study" >/dev/null 2>>"$study.log" &
	fi
	pid=$!
}
# the browser is the one child of the process that is Chromium and no helper of it
browser() { for p in $(pgrep -P "$pid"); do tr '\0' ' ' <"/proc/$p/cmdline" 2>/dev/null | grep -q remote-debugging-pipe && echo "$p"; done | head -1; }

cells=$((cells / 16 * 16))
begun=$(date +%s) processes=0 browsers=0
start
for n in $(seq "$kills"); do
	at=$((n * cells / (kills + 1)))
	while [ "$(done_cells)" -lt "$at" ]; do
		if ! kill -0 "$pid" 2>/dev/null; then echo "the study ended by itself"; tail -3 "$study.log"; exit 1; fi
		sleep 0.05
	done
	if [ $((n % 4)) = 2 ]; then
		kill -KILL "$pid"; wait "$pid" 2>/dev/null || true
		processes=$((processes + 1)); start
	else
		until b=$(browser) && [ -n "$b" ]; do sleep 0.05; done
		kill -KILL "$b" 2>/dev/null && browsers=$((browsers + 1))
	fi
done
wait "$pid" && code=0 || code=$?
echo "exit code $code after $(($(date +%s) - begun)) s; killed: process $processes times, browser $browsers times"
jq -rs --argjson cells $cells 'def sum(f): map(f // 0) | add; def error: .end == "env_error" or .end == "brain_error";
	"results \(length) of \($cells), different cells \(unique_by([.task, .seed, .repeat, .arm, .fault]) | length), solved \(map(select(.lenient)) | length), in error \(map(select(error)) | length)",
	"attempts by the results \(sum((.infrastructure_faults // 0) + (.interrupted // 0) + (.shared_deaths // 0) + (.overloads // 0) + (if error then 0 else 1 end)))"
	+ " (set aside when a shared browser died \(sum(.shared_deaths)), when the machine was busy \(sum(.overloads));"
	+ " ended by an infrastructure fault \(sum(.infrastructure_faults)), interrupted \(sum(.interrupted)))"' "$study/results.jsonl"
echo "folders of attempts: $(ls "$study/runs" | wc -l)"
echo "left behind: $(ls -A "$tmp" | wc -l) files, $({ grep -alF -- "--user-data-dir=$tmp/" /proc/[0-9]*/cmdline 2>/dev/null || true; } | wc -l) processes"
rm -rf "$tmp"
