// A client of the npm package @modelcontextprotocol/sdk: node mcp_client.mjs TARGET PAGE PROGRAM
// TARGET is the address of a server, or "stdio": then the program is started with "mcp".
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [target, page, program, dir] = process.argv.slice(2);
const client = new Client({ name: "npm", version: "1" });
await client.connect(target === "stdio"
  ? new StdioClientTransport({ command: program, args: ["mcp", "--dir", dir, "--allow", new URL(page).host],
      env: process.env })
  : new StreamableHTTPClientTransport(new URL(target)));
// The client itself holds results against the output schemas of the tools that it has listed.
const tools = (await client.listTools()).tools;
const out = { tools: tools.length, progress: 0 };
const call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options);
await call("browser_navigate", { url: page });
const seen = await call("browser_snapshot", {});
const button = /button "Save".*?\[ref=(\w+)\]/.exec(seen.content[0].text)[1];
out.notes = 0;
for (let i = 0; i < 4; i++) {
  const r = await call("browser_click", { target: button, element: "Save" });
  if (r.content[0].text.includes("### Notes")) out.notes++;
}
await call("browser_close", {});
const task = await call("run_task", { goal: "Press Save", url: page, max_steps: 3, wait_s: 100 },
  { onprogress: () => out.progress++, timeout: 110_000 });
out.task = task.structuredContent;
out.status = (await call("run_status", { run: out.task.run })).structuredContent.state;
const step = { action_type: "click", target: "role=button name=Save", url: page, dom_hash: "a", form_hash: "b" };
const looped = await call("detect_loops", { trajectory: { id: "t", steps: Array(8).fill(step) } });
out.looping = looped.structuredContent.looping;
console.log(JSON.stringify(out));
await client.close();
