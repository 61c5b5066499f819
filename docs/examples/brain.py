"""A brain that fills a form, with Python's standard library alone:
cua-runner run URL --goal TEXT --field Label=Value --brain "exec:python3 docs/examples/brain.py"
Standard output is the protocol's (docs/brain-protocol.md); print to sys.stderr."""
import json
import sys


def decide(turn):
    page = turn["observation"]
    if "Thank you" in page["title"]:
        return {"done": {"success": True, "text": page["title"]}}
    for value in turn["task"]["fields"]:
        for field in page["fields"]:
            if field["label"].lower() != value["label"].lower():
                continue
            press = {"kind": "click", "x": field["x"], "y": field["y"]}
            if field["type"] == "checkbox" and not field["checked"]:
                return {"actions": [press]}
            if field["type"] == "select" and field.get("selected") != value["value"]:
                return {"actions": [{**press, "kind": "select", "text": value["value"]}]}
            if field["editable"] and field["empty"]:
                return {"actions": [press, {"kind": "type", "text": value["value"]}]}
    for mark in page["marks"]:
        if mark["submit"] and not mark["disabled"]:
            return {"actions": [{"kind": "click", "mark": mark["n"]}], "thought": "All is filled in."}
    return {"actions": [{"kind": "scroll", "dy": 300}]}


for line in sys.stdin:
    call = json.loads(line)
    result = {}
    if call["method"] == "initialize":
        result = {"protocol_version": 1, "name": "form filler", "batch": True}
    elif call["method"] == "next":
        result = decide(call["params"])
    print(json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": result}), flush=True)
    if call["method"] == "shutdown":
        break
