package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// served is a server in a process of its own, as its users start it.
type served struct {
	t   *testing.T
	dir string // in which the folder served is
	url string
	cmd *exec.Cmd
}

// startServer starts cua-runner serve with these flags more.
func startServer(t *testing.T, more ...string) *served {
	t.Helper()
	s, lines := serveIn(t, t.TempDir(), more...)
	t.Cleanup(func() {
		_ = s.cmd.Process.Signal(os.Interrupt)
		if err := s.cmd.Wait(); err == nil || s.cmd.ProcessState.ExitCode() != exitInt {
			t.Errorf("the server ended with %v", err)
		}
	})
	go lines.WriteTo(nowhere{}) //nolint:errcheck // until it ends
	return s
}

// serveIn starts cua-runner serve with these flags more, and the episodes below dir. What it says after its
// first line is in lines.
func serveIn(t *testing.T, dir string, more ...string) (s *served, lines *bufio.Reader) {
	t.Helper()
	s = &served{t: t, dir: dir}
	s.cmd = exec.Command("cua-runner", append([]string{"serve", "--dir", "served", "--listen", "127.0.0.1:0"},
		more...)...) // this test's own binary, by testscript.Main
	s.cmd.Dir = s.dir
	said, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill() }) // where the test fails before it has ended
	lines = bufio.NewReader(said)
	first, err := lines.ReadString('\n')
	m := regexp.MustCompile(`^serving (http://\S+)/v1/cua, episodes in served\n`).FindStringSubmatch(first)
	if m == nil {
		t.Fatalf("the server said %q (%v)", first, err)
	}
	s.url = m[1]
	return s, lines
}

// nowhere is where the log of a server goes.
type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }

// sh runs a command line in the server's folder, with these variables.
func (s *served) sh(line string, env ...string) (string, error) {
	cmd := exec.CommandContext(s.t.Context(), "bash", "-c", line)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), env...)
	cmd.WaitDelay = time.Minute
	out, err := cmd.Output()
	return string(out), err
}

// The lines in curl of docs/server.md are run as they stand there; what is replaced are the addresses of the
// server and of the pages. The rows say what each line prints.
func TestServerPageCurl(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Fatal("the lines of docs/server.md are run with curl, which is not there: install curl")
	}
	rows := []struct{ name, line, prints, status string }{
		{"wait for the end", "Prefer: wait=60", `"state":"ended"`, "200"},
		{"create", `$U/v1/cua -d`, `"state":"`, "202"},
		{"get", "$U/v1/cua/$ID", `"request":{"instruction":"sign in"`, "200"},
		{"events", "/events", "event: end\n", "200"},
		{"list", "/v1/cua?state=ended&limit=10", `{"items":[{"id":"$ID"`, "200"},
		{"steps", "/steps?", `"number":1`, "200"},
		{"journal", "/journal", `{"type":"end"`, "200"},
		{"checkpoints", "/checkpoints", `"crosses":[`, "200"},
		{"export", "/export?format=csv", "\n$ID,127.0.0.1,", "200"},
		{"metrics", "/metrics", `cua_episodes{state="ended"} 2`, "200"},
		{"delete", "-X DELETE", "", "204"},
	}
	var lines []string
	for _, b := range blocks(read(t, docsPage("server.md"))) {
		for _, line := range b.lines() {
			if b.lang == "sh" && strings.HasPrefix(line, "curl ") {
				lines = append(lines, line)
			}
		}
	}
	if len(lines) != len(rows) {
		t.Fatalf("docs/server.md has %d lines in curl, %d rows say what they print", len(lines), len(rows))
	}
	s, page := startServer(t), loginPage(t)
	addresses := strings.NewReplacer("http://127.0.0.1:8700", s.url, "https://example.com", page+"/",
		"http://localhost:8080", page+"/")
	id := ""
	for i, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if !strings.Contains(lines[i], row.line) {
				t.Fatalf("the line is %s, the row is of %s", lines[i], row.line)
			}
			line := `A="Authorization: Bearer $(cat served/token)"; ` + addresses.Replace(lines[i]) +
				` -w '\n%{http_code}'`
			out, err := s.sh(line, "U="+s.url, "ID="+id)
			body, status, _ := cutLast(out, "\n")
			want := strings.ReplaceAll(row.prints, "$ID", id)
			if err != nil || status != row.status || !strings.Contains(body, want) {
				t.Fatalf("%s\n%v, status %s, want %s and %q:\n%s", line, err, status, row.status, want, body)
			}
			var e struct{ ID string }
			if row.name == "create" {
				if err := json.Unmarshal([]byte(body), &e); err != nil || e.ID == "" {
					t.Fatalf("no id: %s", body)
				}
				id = e.ID
			}
		})
	}
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// The clients of docs/examples have a task done, and say so where it fails.
func TestExampleClients(t *testing.T) {
	examples, err := filepath.Abs(filepath.Join(root, "docs", "examples"))
	if err != nil {
		t.Fatal(err)
	}
	s, page := startServer(t), loginPage(t)
	wrong := filepath.Join(t.TempDir(), "wrong")
	if err := os.WriteFile(wrong, []byte("wrong-token-0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ name, tool, line, prints string }{
		{"Python", "python3", `python3 -B "$EXAMPLES/client.py" "$PAGE" "sign in" "User name=alice" Password=opensesame`, "\ndone\n"},
		{"Go", "go", `CUA_TOKEN=$(cat served/token) go run "$EXAMPLES/client.go" "$PAGE" "sign in" "User name=alice" Password=opensesame`, "done after "},
	} {
		t.Run(row.name, func(t *testing.T) {
			if _, err := exec.LookPath(row.tool); err != nil {
				t.Skip("SKIPPED: " + row.tool + " is not there")
			}
			env := []string{"CUA_SERVER=" + s.url, "EXAMPLES=" + examples, "PAGE=" + page + "/"}
			if out, err := s.sh(row.line, env...); err != nil || !strings.Contains(out, row.prints) {
				t.Errorf("%v: %s", err, out)
			}
			env[0] = "CUA_SERVER=http://127.0.0.1:1"
			if out, err := s.sh(row.line+" 2>&1", env...); err == nil || !strings.Contains(out, "refused") {
				t.Errorf("without a server: %v: %s", err, out)
			}
			env[0] = "CUA_SERVER=" + s.url
			line := strings.Replace(row.line, "$(cat served/token)", "wrong-token-0123456789", 1) + " 2>&1"
			out, err := s.sh(line, append(env, "CUA_TOKEN_FILE="+wrong)...)
			if err == nil || !strings.Contains(out, "401: send the header Authorization") ||
				strings.Contains(out, "Traceback") {
				t.Errorf("with a wrong token: %v: %s", err, out)
			}
			env[2] = "PAGE=ftp://127.0.0.1/"
			if out, err = s.sh(row.line+" 2>&1", env...); err == nil ||
				!strings.Contains(out, "422: the request is not valid; body.url: a web address is wanted") {
				t.Errorf("with a request that is not valid: %v: %s", err, out)
			}
		})
	}
}

// The command of the image makes a token that nobody else may read, and serves.
func TestTheCommandOfTheImage(t *testing.T) {
	text := strings.ReplaceAll(read(t, filepath.Join(root, "docs", "examples", "Dockerfile")), "\\\n", "")
	_, text, found := strings.Cut(text, "\nCMD ")
	var args []string
	if err := json.Unmarshal([]byte(text), &args); err != nil || !found || len(args) != 3 {
		t.Fatalf("%v: %q", err, text)
	}
	const address = "0.0.0.0:8700"
	if !strings.Contains(args[2], address) {
		t.Fatalf("it does not listen on %s: %s", address, args[2])
	}
	cmd := exec.Command(args[0], args[1], strings.Replace(args[2], address, "127.0.0.1:0", 1))
	cmd.Dir = t.TempDir()
	said, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	first, err := bufio.NewReader(said).ReadString('\n')
	_ = cmd.Process.Signal(os.Interrupt)
	_ = cmd.Wait()
	if err != nil || !strings.HasPrefix(first, "serving http://127.0.0.1:") ||
		cmd.ProcessState.ExitCode() != exitInt {
		t.Errorf("%q, %v, exit code %d", first, err, cmd.ProcessState.ExitCode())
	}
	if info, err := os.Stat(filepath.Join(cmd.Dir, "token")); err != nil || info.Mode().Perm() != 0o600 ||
		info.Size() != 64 {
		t.Errorf("the token: %v, %v", info, err)
	}
}

// systemd reads the unit of docs/examples without a complaint.
func TestTheUnitOfSystemd(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("SKIPPED: systemd-analyze is not there")
	}
	const installed = "ExecStart=/usr/local/bin/cua-runner serve "
	unit := read(t, filepath.Join(root, "docs", "examples", "cua-runner.service"))
	if !strings.Contains(unit, installed) {
		t.Fatalf("the unit does not start %s", installed)
	}
	unit = strings.Replace(unit, "/usr/local/bin/cua-runner", os.Args[0], 1)
	for _, row := range []struct{ name, unit, says string }{
		{"as it is", unit, ""},
		{"with a name that is none", strings.Replace(unit, "KillMode=", "KilMode=", 1), "KilMode"},
	} {
		path := filepath.Join(t.TempDir(), "cua-runner.service")
		if err := os.WriteFile(path, []byte(row.unit), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("systemd-analyze", "verify", path).CombinedOutput()
		if row.says == "" && (err != nil || len(out) > 0) || !strings.Contains(string(out), row.says) {
			t.Errorf("%s: %v: %s", row.name, err, out)
		}
	}
}
