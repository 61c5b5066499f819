package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// browserUse stands in for the parts of browser-use 0.13 that the example names.
const browserUse = `
import asyncio, os, signal, sys, types
views = types.ModuleType("browser_use.agent.views")
class ActionResult:
    def __init__(self, long_term_memory): self.long_term_memory = long_term_memory
class AgentHistory:
    @staticmethod
    def get_interacted_element(output, selector_map): return [selector_map[1] for _ in output.action]
views.ActionResult, views.AgentHistory = ActionResult, AgentHistory
for name in ("browser_use", "browser_use.agent"): sys.modules[name] = types.ModuleType(name)
sys.modules["browser_use.agent.views"] = views
class Action:
    def model_dump(self, exclude_unset): return {"click": {"index": 1}}
class Element: stable_hash = 4711
class DOM:
    selector_map = {1: Element()}
    def llm_representation(self): return "[1]<button>Save</button>"
class State: url, title, dom_state = "http://shop.example/", "Shop", DOM()
class Output: action = [Action()]
class Agent:
    def __init__(self): self.state, self.stops = types.SimpleNamespace(last_result=[]), 0
    def stop(self): self.stops += 1

sys.path.insert(0, os.environ["EXAMPLES"])
from guard_browseruse import Guard
class Killer: # kills the guard while its answer is waited for
    def __init__(self, pipe):
        self.pipe, self.out = pipe, pipe.stdout
        pipe.send_signal(signal.SIGSTOP)
    def readline(self):
        self.pipe.kill()
        return self.out.readline()
async def play(kill=None, during=None, long=None):
    agent, guard = Agent(), Guard(sys.argv[1:])
    guard.watch(agent)
    for n in range(12):
        if n == kill:
            guard.pipe.kill()
            guard.pipe.wait()
        if n == during: guard.pipe.stdout = Killer(guard.pipe)
        State.title = "x" * (1 << 20) if n == long else "Shop"
        await agent.register_new_step_callback(State, Output, n + 1)
        await guard.after(agent)
        if agent.stops: break
    guard.pipe.kill()
    print(n + 1, "steps,", len(agent.state.last_result), "notes,", agent.stops, "stops")
asyncio.run(play())
asyncio.run(play(kill=2))
asyncio.run(play(during=2))
asyncio.run(play(long=2))
`

// The example for browser-use gets notes into the agent's memory, stops it in the end, and does neither once
// its guard is killed, between two steps or while an answer is waited for. A step that the guard cannot use
// stops nothing either.
func TestTheExampleForBrowserUse(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("SKIPPED: python3 is not there")
	}
	examples, err := filepath.Abs(filepath.Join(root, "docs", "examples"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-B", "-c", browserUse, os.Args[0], "-test.run", "^TestGuardChild$")
	cmd.Env = append(os.Environ(), guardChild+"=1", "EXAMPLES="+examples)
	out, err := cmd.CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	want := []string{"9 steps, 6 notes, 1 stops", "12 steps, 0 notes, 0 stops", "12 steps, 0 notes, 0 stops",
		"10 steps, 6 notes, 1 stops"}
	if err != nil || !slices.Equal(lines, want) {
		t.Errorf("%v\n%s", err, out)
	}
}

// frameworks stands in for the parts of LangChain and of the OpenAI Agents SDK that the docs name. The
// examples send no page; with one a dead button is refused in the end.
const frameworks = `
import os, sys, types
class ToolMessage:
    def __init__(self, content, tool_call_id): self.content, self.tool_call_id = content, tool_call_id
class Output:
    def __init__(self, refused): self.refused = refused
    allow = staticmethod(lambda: Output(""))
    reject_content = staticmethod(lambda message: Output(message))
same = lambda f: f
for name, parts in {"langchain": {}, "langchain.agents": {},
        "langchain.agents.middleware": {"wrap_tool_call": same},
        "langchain_core": {}, "langchain_core.messages": {"ToolMessage": ToolMessage},
        "agents": {"ToolGuardrailFunctionOutput": Output, "tool_input_guardrail": same}}.items():
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__dict__.update(parts)
sys.path.insert(0, os.environ["EXAMPLES"])
from guard_browseruse import Guard
Space = types.SimpleNamespace
def langchain(guarded):
    call = {"name": "click", "args": {"target": "Save"}, "id": "7"}
    got = guarded(Space(tool_call=call), lambda request: "done")
    return got == "done" or not (got.tool_call_id == "7" and got.content)
def openai(guarded):
    return not guarded(Space(context=Space(tool_name="click", tool_arguments='{"target":"Save"}'))).refused
def play(text, allowed, page):
    guard = Guard(sys.argv[1:])
    names = {"advise": lambda step: guard.advise({**page, **step})}
    exec(text, names)
    print(sum(allowed(names["guarded"]) for _ in range(12)), "of 12")
    guard.pipe.kill()
    print(sum(allowed(names["guarded"]) for _ in range(3)), "of 3 without a guard")
for text, allowed in zip(os.environ["BLOCKS"].split("#---"), (langchain, openai)):
    for page in {}, {"url": "http://a/", "title": "Shop", "dom_hash": "a", "form_hash": "b"}:
        play(text, allowed, page)
`

// The examples for other frameworks in the docs run. Without a page no call is refused, with one the dead
// button is, and without a guard none.
func TestTheExamplesForOtherFrameworks(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("SKIPPED: python3 is not there")
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "guard.md"))
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, b := range strings.Split(string(page), "```python\n")[1:] {
		b, _, _ = strings.Cut(b, "```")
		blocks = append(blocks, b)
	}
	cmd := exec.Command(python, "-B", "-c", frameworks, os.Args[0], "-test.run", "^TestGuardChild$")
	cmd.Env = append(os.Environ(), guardChild+"=1", "EXAMPLES="+filepath.Join(root, "docs", "examples"),
		"BLOCKS="+strings.Join(blocks, "#---"))
	out, err := cmd.CombinedOutput()
	want := strings.Repeat("12 of 12\n3 of 3 without a guard\n8 of 12\n3 of 3 without a guard\n", 2)
	if err != nil || len(blocks) != 2 || string(out) != want {
		t.Errorf("%d examples, %v\n%s", len(blocks), err, out)
	}
}
