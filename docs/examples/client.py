"""Has a task done by cua-runner serve and follows its steps, with Python's standard library alone:
python3 docs/examples/client.py URL INSTRUCTION [LABEL=VALUE …]
CUA_SERVER is the server's address, CUA_TOKEN_FILE the file of the token. Exit code 0 is success."""
import json
import os
import sys
import urllib.error
import urllib.request

server = os.environ.get("CUA_SERVER", "http://127.0.0.1:8700")
token = open(os.environ.get("CUA_TOKEN_FILE", "served/token")).read().strip()


def ask(path, body=None):
    headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json"}
    try:
        return urllib.request.urlopen(urllib.request.Request(server + path, body, headers))
    except urllib.error.HTTPError as e:  # a problem (RFC 9457) says what is wrong, and where
        problem = json.load(e)
        wrong = ["%(location)s: %(message)s" % x for x in problem.get("errors", [])]
        sys.exit("%d: %s" % (e.code, "; ".join([problem["detail"]] + wrong)))
    except urllib.error.URLError as e:
        sys.exit("%s: %s" % (server, e.reason))


fields = [dict(zip(("label", "value"), f.split("=", 1))) for f in sys.argv[3:]]
task = {"url": sys.argv[1], "instruction": sys.argv[2], "fields": fields, "attended": False}
links = json.load(ask("/v1/cua", json.dumps(task).encode()))["links"]
for line in ask(links["events"]):
    if line.startswith(b'data: {"type":"step"'):
        step = json.loads(line[len("data: "):])["step"]
        print(step["number"], step.get("action", step["proposed"])["kind"], step["after"]["url"], flush=True)
result = json.load(ask(links["self"]))["result"]
print(result["termination_reason"])
sys.exit(0 if result["success"] else 1)
