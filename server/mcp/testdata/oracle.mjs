// A client of the npm package @modelcontextprotocol/sdk: node oracle.mjs URL, or: node oracle.mjs stdio PROGRAM ADDRESS
// It makes the calls that it reads, a line each, and writes their results.
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [target, program, address] = process.argv.slice(2);
const client = new Client({ name: "npm", version: "1" });
await client.connect(target === "stdio"
  ? new StdioClientTransport({ command: program, args: [], env: { ...process.env, CUA_TEST_MCP_PIPE: address } })
  : new StreamableHTTPClientTransport(new URL(target)));
await client.listTools(); // results are held against the output schemas of these
for await (const line of createInterface({ input: process.stdin }))
  console.log(JSON.stringify(await client.callTool(JSON.parse(line))));
await client.close();
