"""Loop detection for an agent of browser-use: Guard().watch(agent), then await agent.run(on_step_end=guard.after)."""
import hashlib
import json
import subprocess


class Guard:
    def __init__(self, command=("cua-runner", "guard")):
        self.pipe = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.notes, self.stopped = [], False

    def advise(self, step):
        try:
            self.pipe.stdin.write(json.dumps({"type": "propose", **step}) + "\n")
            self.pipe.stdin.flush()
            return json.loads(self.pipe.stdout.readline())
        except (OSError, ValueError):  # the guard is gone: the agent goes on without advice
            return {"verdict": "pass"}

    def watch(self, agent):
        agent.register_new_step_callback = self.before
        return self

    async def before(self, state, output, n):
        from browser_use.agent.views import AgentHistory
        dom = state.dom_state
        page = hashlib.sha256(dom.llm_representation().encode()).hexdigest()
        elements = AgentHistory.get_interacted_element(output, dom.selector_map)
        for action, element in zip(output.action, elements):
            (name, arguments), = action.model_dump(exclude_unset=True).items()
            said = self.advise({"decision": n, "action_type": name, "url": state.url, "title": state.title,
                                "observation_hash": page, "target": str(element.stable_hash) if element else "",
                                "text": json.dumps(arguments, sort_keys=True, default=str)})
            self.notes += said.get("notes", [])
            self.stopped = self.stopped or said.get("verdict") == "stop"

    async def after(self, agent):
        from browser_use.agent.views import ActionResult
        if self.notes and agent.state.last_result is not None:
            agent.state.last_result.append(ActionResult(long_term_memory=" ".join(self.notes)))
        self.notes = []
        if self.stopped:
            agent.stop()
