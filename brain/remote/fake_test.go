package remote_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model/wiretest"
	"github.com/cua-runner/cua-runner/brain/remote"
)

// asBrain makes this test binary a brain of the kind that follows.
const asBrain = "as-brain"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == asBrain {
		play(os.Args[2], os.Stdin, os.Stdout)
		os.Exit(0)
	}
	code := m.Run()
	if err := wiretest.CloseBrowser(); err != nil && code == 0 {
		code = 1
	}
	os.Exit(code)
}

// asked is a request as the fake reads it.
type asked struct {
	ID     int    `json:"id"`
	Method string `json:"method"`
	Params struct {
		RunID string `json:"run_id"`
		Fresh bool   `json:"fresh"`
		Step  int    `json:"step"`
		Text  string `json:"text"`
		Task  struct {
			Fields []struct{ Label, Value string }
		} `json:"task"`
		LastResults []struct{ Kind, Fate, Text string } `json:"last_results"`
		Observation struct {
			Title      string
			Screenshot *struct {
				Path   string
				Base64 []byte
				W, H   int
			}
			Fields []struct {
				Label, Type, Selected             string
				X, Y                              int
				Editable, Empty, Focused, Checked bool
			}
			Marks []struct {
				N, X, Y int
				Submit  bool
			}
		} `json:"observation"`
	} `json:"params"`
}

// mind fills forms, several actions at a time where batch is set.
func (a asked) mind(batch bool) string {
	o := a.Params.Observation
	if strings.Contains(o.Title, "Thank you") {
		return `{"done":{"success":true,"text":"sent: ` + o.Title + `"},"thought":"It says thanks.","usage":{"input_tokens":10,"output_tokens":2,"cost_usd":0.001}}`
	}
	for _, v := range a.Params.Task.Fields {
		for _, f := range o.Fields {
			if !strings.EqualFold(f.Label, v.Label) {
				continue
			}
			press, text := fmt.Sprintf(`{"kind":"click","x":%d,"y":%d}`, f.X, f.Y), fmt.Sprintf(`{"kind":"type","text":%q}`, v.Value)
			switch {
			case f.Type == "checkbox" && !f.Checked:
				return `{"actions":[` + press + `]}`
			case f.Type == "select" && f.Selected != v.Value:
				return fmt.Sprintf(`{"actions":[{"kind":"select","x":%d,"y":%d,"text":%q}]}`, f.X, f.Y, v.Value)
			case f.Editable && f.Empty && f.Focused:
				return `{"actions":[` + text + `]}`
			case f.Editable && f.Empty && batch:
				return `{"actions":[` + press + `,` + text + `]}`
			case f.Editable && f.Empty:
				return `{"actions":[` + press + `]}`
			}
		}
	}
	for _, m := range o.Marks {
		if m.Submit {
			return fmt.Sprintf(`{"actions":[{"kind":"click","mark":%d}]}`, m.N)
		}
	}
	return `{"actions":[{"kind":"scroll","dy":300}]}`
}

// hellos are the results of initialize by kind of brain; the others have the plain one.
var hellos = map[string]string{
	"batch":    `{"protocol_version":1,"name":"batch","batch":true}`,
	"grid":     `{"protocol_version":1,"coordinates":"relative1000","batch":true,"image":{"max_w":640,"max_h":640,"delivery":"base64"}}`,
	"small":    `{"protocol_version":1,"batch":true,"image":{"max_w":800,"delivery":"path"}}`,
	"blind":    `{"protocol_version":1,"image":{"delivery":"none"}}`,
	"newer":    `{"protocol_version":2,"coordinates":"polar","smell":true}`,
	"misspelt": `{"protocol_version":1,"cordinates":"pixels"}`,
	"polar":    `{"protocol_version":1,"coordinates":"polar"}`,
	"noobject": `[1]`,
}

// play is a brain on a pipe. Kinds that misbehave do so at their first next.
func play(kind string, in io.Reader, out io.Writer) {
	say := func(id int, result string) {
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%d,"result":%s}`+"\n", id, result)
	}
	switch kind { // what it logs
	case "logs":
		fmt.Fprintf(os.Stderr, "model loaded with %s\n", os.Getenv("MY_MODEL_KEY"))
	case "logs in pieces":
		for _, b := range []byte(os.Getenv("MY_MODEL_KEY") + " was read") {
			os.Stderr.Write([]byte{b}) //nolint:errcheck // the test sees what is missing
		}
	case "logs without end":
		fmt.Fprint(os.Stderr, strings.Repeat("a line of words\n", 1<<17))
	}
	if kind == "dies at once" {
		fmt.Fprintln(os.Stderr, "no module named torch")
		os.Exit(3)
	}
	lines := bufio.NewReader(in)
	owed := 0 // the call that a slow brain still thinks about
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var a asked
		if err := json.Unmarshal(line, &a); err != nil {
			panic(err)
		}
		switch a.Method {
		case "initialize":
			if kind == "slow to greet" && a.ID < 3 {
				owed = a.ID
				continue
			}
			if owed > 0 {
				say(owed, hellos["blind"])
				owed = 0
			}
			result, ok := hellos[kind]
			if !ok {
				result = hellos["batch"]
			}
			say(a.ID, result)
			continue
		case "shutdown":
			if kind == "stays" {
				forever()
			}
			say(a.ID, "{}")
			return
		}
		if owed > 0 {
			say(owed, `{"actions":[{"kind":"back"}]}`)
			owed = 0
		}
		if kind == "slow" && a.Params.Step < 4 {
			owed = a.ID
			continue
		}
		if !errs(kind, a, out) && !says(kind, a, say, out) {
			say(a.ID, a.mind(kind != "blind"))
		}
	}
}

// forever is the end of a process that only a kill ends.
func forever() { time.Sleep(time.Hour) }

// errs ends, hangs or floods as that kind of brain does; false where it does none of these.
func errs(kind string, a asked, out io.Writer) bool {
	switch kind {
	case "dies":
		fmt.Fprintln(os.Stderr, "Traceback: a key is missing")
		os.Exit(7)
	case "blabs": // its last words begin with half of what it was handed
		fmt.Fprint(os.Stderr, os.Getenv("MY_MODEL_KEY")+strings.Repeat("x",
			2048-len(os.Getenv("MY_MODEL_KEY"))/2))
		os.Exit(7)
	case "quotes":
		fmt.Fprintf(out, "no JSON: %s%s\n", strings.Repeat("x", 190), os.Getenv("MY_MODEL_KEY"))
		os.Exit(7)
	case "hangs":
		fmt.Fprintln(os.Stderr, "thinking")
		forever()
	case "deaf":
		os.Stdin.Close()
		forever()
	case "half":
		fmt.Fprint(out, `{"jsonrpc":"2.0","id":2,"result":{"act`)
		os.Exit(0)
	case "floods a line":
		for {
			if _, err := out.Write(make([]byte, 1<<16)); err != nil {
				return true
			}
		}
	case "floods lines":
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%d,"result":%s}`+"\n", a.ID, a.mind(true))
		for {
			if _, err := fmt.Fprintln(out, `{"jsonrpc":"2.0","id":1,"result":{}}`); err != nil {
				return true
			}
		}
	case "forks":
		child := exec.Command("sleep", "3600")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			panic(err)
		}
		fmt.Fprintln(os.Stderr, "child", child.Process.Pid)
		os.Exit(5)
	}
	return false
}

// says answers as that kind of brain does; false where it answers as others do.
func says(kind string, a asked, say func(int, string), out io.Writer) bool {
	switch kind {
	case "prints":
		fmt.Fprintln(out, "debug: got a turn")
	case "twice":
		say(a.ID, a.mind(true))
		say(a.ID, a.mind(true))
	case "wrong id":
		say(a.ID+7, a.mind(true))
	case "no version":
		fmt.Fprintf(out, `{"id":%d,"result":{}}`+"\n", a.ID)
	case "error":
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%d,"error":{"code":-32000,"message":"out of memory"}}`+"\n", a.ID)
	case "unplayable once":
		if strings.Contains(a.Params.Text, "could not be played") {
			return false
		}
		say(a.ID, `{"actions":[{"kind":"click","x":9999,"y":1}]}`)
	case "unplayable":
		say(a.ID, `{"akshuns":[]}`)
	case "environment":
		result, err := json.Marshal(map[string]any{"done": map[string]any{"success": true,
			"text": strings.Join(os.Environ(), "\n")}})
		if err != nil {
			panic(err)
		}
		say(a.ID, string(result))
	default:
		return false
	}
	return true
}

// self is this binary as a brain of that kind, for exec.
func self(t testing.TB, kind string) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("'%s' %s '%s'", path, asBrain, kind)
}

// open opens a spec; it is closed after the test.
func open(t testing.TB, spec string, o brain.Options) brain.Brain {
	t.Helper()
	o.Providers = providers()
	b, err := brain.Open(spec, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { brain.Close(b) }) //nolint:errcheck // it has none
	return b
}

func providers() []brain.Provider { return []brain.Provider{remote.Exec(), remote.HTTP()} }
