// A brain that fills a form, with Node alone. As a process, or with a port as a server:
//   cua-runner run URL --goal TEXT --field Label=Value --brain "exec:node docs/examples/brain.mjs"
//   CUA_BRAIN_TOKEN=… node docs/examples/brain.mjs 8700 &
//   CUA_BRAIN_TOKEN=… cua-runner run … --brain http://127.0.0.1:8700/
// Standard output is the protocol's (docs/brain-protocol.md); log with console.error.
import http from "node:http";
import readline from "node:readline";

function decide({ task, observation: page }) {
  if (page.title.includes("Thank you")) return { done: { success: true, text: page.title } };
  for (const { label, value } of task.fields) {
    const field = page.fields.find((f) => f.label.toLowerCase() === label.toLowerCase());
    if (!field) continue;
    const press = { kind: "click", x: field.x, y: field.y };
    if (field.type === "checkbox" && !field.checked) return { actions: [press] };
    if (field.type === "select" && field.selected !== value)
      return { actions: [{ ...press, kind: "select", text: value }] };
    if (field.editable && field.empty) return { actions: [press, { kind: "type", text: value }] };
  }
  const send = page.marks.find((m) => m.submit && !m.disabled);
  return { actions: [send ? { kind: "click", mark: send.n } : { kind: "scroll", dy: 300 }] };
}

function answer({ id, method, params }) {
  let result = {};
  if (method === "initialize") result = { protocol_version: 1, name: "form filler", batch: true };
  if (method === "next") result = decide(params);
  return JSON.stringify({ jsonrpc: "2.0", id, result });
}

const port = process.argv[2];
if (port === undefined) {
  for await (const line of readline.createInterface({ input: process.stdin }))
    console.log(answer(JSON.parse(line)));
} else {
  const server = http.createServer(async (req, res) => {
    const token = process.env.CUA_BRAIN_TOKEN;
    if (token && req.headers.authorization !== `Bearer ${token}`) return res.writeHead(401).end();
    let body = "";
    for await (const part of req.setEncoding("utf8")) body += part;
    res.writeHead(200, { "Content-Type": "application/json" }).end(answer(JSON.parse(body)));
  });
  server.listen(Number(port), "127.0.0.1", () => console.error(`listening on ${server.address().port}`));
}
