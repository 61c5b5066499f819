"""The main table of a study, from `cua-runner export STUDY --format dataset --out DATA`: python3 dataset.py DATA"""
import collections, csv, math, pathlib, sys

data = pathlib.Path(sys.argv[1])
runs = [r for r in csv.DictReader(open(data / "runs.csv", newline="")) if r["scored"] != "false"]

def wilson(k, n, z=1.959964):
    p, d = k / n, 1 + z * z / n
    mid, half = (p + z * z / (2 * n)) / d, z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / d
    return f"{100 * p:.0f} % [{100 * max(mid - half, 0):.0f}, {100 * min(mid + half, 1):.0f}]"

arms = collections.defaultdict(list)
for r in runs:
    fault = r["end_reason"] in ("brain_error", "env_error")
    r["solved"] = float(r["reward"] or 0) >= 1 and not fault
    r["strict"] = r["solved"] and (r["end_reason"] in ("done", "env_ended") or r["solvable"] == "false")
    arms[r["arm"]].append(r)
print("arm,cells,strict,solved,steps,wasted")
for arm, rs in arms.items():
    mean = lambda name: sum(int(r[name]) for r in rs) / len(rs)
    print(",".join([arm, str(len(rs)), wilson(sum(r["strict"] for r in rs), len(rs)).replace(",", ""),
                    wilson(sum(r["solved"] for r in rs), len(rs)).replace(",", ""), f"{mean('steps'):.1f}", f"{mean('wasted_steps'):.1f}"]))
