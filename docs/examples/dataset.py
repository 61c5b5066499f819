"""The main table of a study, from `cua-runner export STUDY --format dataset --out DATA`: python3 dataset.py DATA"""
import collections, csv, math, pathlib, sys

data = pathlib.Path(sys.argv[1])
runs = [r for r in csv.DictReader(open(data / "runs.csv", newline="")) if r["scored"] != "false"]

def wilson(k, n, z=1.959964):
    p, d = k / n, 1 + z * z / n
    mid, half = (p + z * z / (2 * n)) / d, z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / d
    return f"{100 * p:.0f} % [{100 * max(mid - half, 0):.0f}, {100 * min(mid + half, 1):.0f}]"

def dollars(rs):
    known = [float(r["cost_usd"]) for r in rs if r["cost_usd"]]
    if not known or any(not r["cost_usd"] and int(r["tokens"]) for r in rs):
        return "–"
    usd = sum(known)
    if usd == 0 or usd >= 1:
        return f"{usd:.2f}"
    text = f"{usd:.{min(2 - math.floor(math.log10(usd)), 8)}f}".rstrip("0")
    return text + "0" * (2 - len(text.split(".")[1]))

arms = collections.defaultdict(list)
for r in runs:
    fault = r["end_reason"] in ("brain_error", "env_error")
    r["solved"] = float(r["reward"] or 0) >= 1 and not fault
    r["strict"] = r["solved"] and (r["end_reason"] in ("done", "env_ended") or r["solvable"] == "false")
    arms[r["arm"]].append(r)
print("arm,cells,strict,solved,steps,wasted,s,tokens,USD")
for arm, rs in arms.items():
    mean = lambda name, unit=1: f"{sum(int(r[name]) / unit for r in rs) / len(rs):.1f}"
    rate = lambda name: wilson(sum(r[name] for r in rs), len(rs)).replace(",", "")
    print(",".join([arm, str(len(rs)), rate("strict"), rate("solved"), mean("steps"), mean("wasted_steps"),
                    mean("duration_ms", 1000), str(sum(int(r["tokens"]) for r in rs)), dollars(rs)]))
