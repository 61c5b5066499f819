"""A brain that keeps all that it is sent, and what the process list and its own environment hold meanwhile. It types
the secret by its name, and then does on the page whatever the page offers, and reads all of it."""
import json
import os
import subprocess
import sys

log = open(sys.argv[1], "a")
steps = [
    {"kind": "type", "text": "<secret:CANARY>"},
    {"kind": "extract"},
    {"kind": "click", "on": "mirror"},
    {"kind": "extract"},
    {"kind": "find", "text": "a"},
    {"kind": "click", "on": "alert"},
    {"kind": "click", "on": "prompt"},
    {"kind": "dialog", "accept": True},
    {"kind": "click", "on": "cut"},
    {"kind": "extract"},
    {"kind": "click", "on": "long"},
    {"kind": "dialog", "accept": True},
    {"kind": "click", "on": "send"},
    {"kind": "observe"},
    {"kind": "click", "on": "submit"},
    {"kind": "extract"},
]


def decide(page):
    if not steps:
        return {"done": {"success": True, "text": "The page is called " + page["title"]}}
    a = steps.pop(0)
    if a["kind"] == "type":
        f = next(f for f in page["fields"] if f["type"] == "password")
        return {"actions": [{**a, "x": f["x"], "y": f["y"]}]}
    if on := a.pop("on", None):
        m = next((m for m in page["marks"] if m["name"].startswith(on)), None)
        if m is None:
            return {"actions": [{"kind": "observe"}], "thought": "there is no " + on}
        a["mark"] = m["n"]
    return {"actions": [a], "thought": "I see " + page["title"] + " at " + page["url"]}


for line in sys.stdin:
    log.write(line)
    call = json.loads(line)
    result = {}
    if call["method"] == "initialize":
        result = {"protocol_version": 1, "name": "canary", "image": {"delivery": "none"}}
    elif call["method"] == "next":
        ps = subprocess.run(["ps", "-eww", "-o", "args"], capture_output=True, text=True, check=True)
        log.write(ps.stdout + repr(dict(os.environ)) + "\n")
        result = decide(call["params"]["observation"])
        print("I was shown " + line, file=sys.stderr)
    log.flush()
    print(json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": result}), flush=True)
    if call["method"] == "shutdown":
        break
