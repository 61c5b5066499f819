// Package mcp speaks the Model Context Protocol. Wrap is a proxy in front of a browser MCP server: it adds
// loop detection to the calls of any client and holds no browser of its own.
package mcp
