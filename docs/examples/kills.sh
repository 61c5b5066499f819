#!/bin/bash
# Plays a study of 400 cells with 4 workers, kills its process five times and its browser eleven times on the way, and
# says whether each cell is there exactly once and every attempt is recorded.
#
#   docs/examples/kills.sh bin/cua-runner studies/kills
set -euo pipefail
cua=$1 study=$2
cells=400
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

begun=$(date +%s) processes=0 browsers=0
start
for event in 20:b 35:p 50:b 80:b 100:p 120:b 140:p 160:b 190:b 220:b 240:p 260:b 290:b 310:p 340:b 370:b; do
	while [ "$(done_cells)" -lt "${event%:*}" ]; do
		if ! kill -0 "$pid" 2>/dev/null; then echo "the study ended by itself"; tail -3 "$study.log"; exit 1; fi
		sleep 0.05
	done
	case ${event#*:} in
	p) kill -KILL "$pid"; wait "$pid" 2>/dev/null || true; processes=$((processes + 1)); start ;;
	b) until b=$(browser) && [ -n "$b" ]; do sleep 0.05; done; kill -KILL "$b"; browsers=$((browsers + 1)) ;;
	esac
	echo "$(done_cells) cells: killed ${event#*:}"
done
wait "$pid" && code=0 || code=$?
echo "exit code $code after $(($(date +%s) - begun)) s; killed: process $processes times, browser $browsers times"
jq -rs --argjson cells $cells '"results \(length) of \($cells), different cells \(unique_by([.task, .seed, .repeat, .arm, .fault]) | length), solved \(map(select(.lenient)) | length), "
	+ "attempts by the results \(map((.infrastructure_faults // 0) + (.interrupted // 0) + (if .end == "env_error" or .end == "brain_error" then 0 else 1 end)) | add)"
	+ " (ended by an infrastructure fault \(map(.infrastructure_faults // 0) | add), interrupted \(map(.interrupted // 0) | add))"' "$study/results.jsonl"
echo "folders of attempts: $(ls "$study/runs" | wc -l)"
