package main

import (
	"strings"
	"testing"
)

func TestMCPCommandErrors(t *testing.T) {
	for _, row := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"no command", []string{"mcp", "--wrap"}, exitUsage, "needs the command"},
		{"without --wrap", []string{"mcp", "--", "true"}, exitUsage, "mcp --wrap -- COMMAND"},
		{"an unknown recovery", []string{"mcp", "--recovery", "perhaps"}, exitUsage, "advise, act, off"},
		{"no folder of fixtures", []string{"mcp", "--fixtures", "/nowhere"}, exitUsage, "is no folder"},
		{"a bad host", []string{"mcp", "--allow", "http://a"}, exitUsage, "--allow"},
		{"a bad address", []string{"mcp", "--http", "nowhere"}, exitUsage, "--http"},
		{"no token", []string{"mcp", "--http", "0.0.0.0:0", "--token-file", "/nowhere"}, exitUsage, "--token-file"},
		{"a bad config", []string{"mcp", "--wrap", "--set", "detektor=1", "--", "true"}, exitUsage, "detektor"},
		{"a bound that --wrap has not", []string{"mcp", "--wrap", "--allow", "a", "--", "true"}, exitUsage,
			"--allow has no effect with --wrap"},
		{"a token without --http", []string{"mcp", "--token-file", "t"}, exitUsage, "needs --http"},
		{"a program that is not there", []string{"mcp", "--wrap", "--", "/nowhere/server"}, exitInfra, "/nowhere/server"},
		{"a program that is no server", []string{"mcp", "--wrap", "--", "true"}, exitInfra, "connecting to the wrapped server"},
	} {
		t.Run(row.name, func(t *testing.T) {
			code, out, stderr := command(t, row.args...)
			if code != row.code || out != "" || !strings.Contains(stderr, row.says) ||
				strings.Count(stderr, "\n") != 1 {
				t.Errorf("exit code %d, %q, %q", code, out, stderr)
			}
		})
	}
}
