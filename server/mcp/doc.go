// Package mcp speaks the Model Context Protocol. Server offers a browser to a client, which is the brain:
// each call of a tool is a step of an ordinary episode. Wrap is a proxy in front of a browser MCP server: it
// adds loop detection to the calls of any client and holds no browser of its own.
package mcp
