package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/trajectories"
)

var episodes = flag.Int("kill-episodes", 20, "how many episodes are posted while the server is killed")

// killDir makes the test binary the server that is killed.
const killDir = "CUA_SERVE_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(killDir); dir != "" {
		fmt.Fprintln(os.Stderr, serveUntilKilled(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func serveUntilKilled(dir string) error {
	s, err := New(Options{Dir: dir, Tenants: []Tenant{{Name: "a", TokenSHA256: hashOf(aToken), Queued: 1000}},
		Player: &player{}, Brain: "three", PostsPerSecond: 1e6, PostsBurst: 1e6, Running: 2, Queued: 1000})
	if err != nil {
		return err
	}
	s.Start()
	web := &http.Server{Handler: s.Handler()}
	l, err := listenLoopback()
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	return web.Serve(l)
}

// victim is a server that is killed.
type victim struct {
	cmd *exec.Cmd
	url string
}

func launch(dir string) (*victim, error) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), killDir+"="+dir)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = cmd.Wait()
		return nil, fmt.Errorf("the server does not start: %s", said.String())
	}
	return &victim{cmd, "http://" + strings.TrimSpace(line)}, nil
}

func (v *victim) kill() {
	_ = v.cmd.Process.Kill()
	_ = v.cmd.Wait()
}

// ask sends a request; false: the server was killed meanwhile.
func (v *victim) ask(method, path string, body []byte, key string) (int, []byte, bool) {
	r, err := http.NewRequest(method, v.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, false
	}
	r.Header.Set("Authorization", "Bearer "+aToken)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, false
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, text, err == nil
}

// Episodes that are posted while the server is killed again and again are neither lost nor there twice, and
// what has ended is answered as before.
func TestKilledWhileEpisodesArePosted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "served")
	chance := rand.New(rand.NewPCG(1, 2))
	ids := map[string]string{}   // by key
	ended := map[string][]byte{} // the answers
	kills := 0
	for len(ended) < *episodes {
		v, err := launch(dir)
		if err != nil {
			t.Fatal(err)
		}
		dead := make(chan struct{})
		time.AfterFunc(time.Duration(20+chance.IntN(400))*time.Millisecond, func() { v.kill(); close(dead) })
		postAndLook(t, v, chance, ids, ended)
		<-dead
		kills++
	}
	v, err := launch(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer v.kill()
	for id, was := range ended {
		if _, now, ok := v.ask("GET", "/v1/cua/"+id, nil, ""); !ok || !bytes.Equal(now, was) {
			t.Errorf("%s is answered as\n%s\nand was\n%s", id, now, was)
		}
	}
	entries, err := os.ReadDir(filepath.Join(dir, "a"))
	if err != nil || len(entries) != *episodes {
		t.Errorf("%d folders of %d episodes (%v)", len(entries), *episodes, err)
	}
	for _, id := range ids {
		tr, err := trajectories.Read(filepath.Join(dir, "a", id))
		switch {
		case err != nil:
			t.Errorf("episode %s: %v", id, err)
		case tr.End == nil || len(tr.Ends) != 1 ||
			tr.Header.ID != id: // the grammar holds: no step is there twice
			t.Errorf("episode %s of the header %s has the ends %+v", id, tr.Header.ID, tr.Ends)
		}
	}
	t.Logf("%d episodes, %d kills", *episodes, kills)
}

// postAndLook posts what is not accepted yet and looks at what is, until the server dies or all have ended.
func postAndLook(t *testing.T, v *victim, chance *rand.Rand, ids map[string]string, ended map[string][]byte) {
	t.Helper()
	body, err := json.Marshal(asked("three"))
	if err != nil {
		t.Fatal(err)
	}
	for len(ended) < *episodes {
		from := chance.IntN(*episodes) // elsewhere each time: a server does not live long enough for all
		for n := range *episodes {
			key := fmt.Sprint("key-", (from+n)%*episodes)
			if ended[ids[key]] != nil && chance.IntN(10) > 0 {
				continue
			}
			status, text, ok := v.ask("POST", "/v1/cua", body, key)
			if !ok {
				return
			}
			var e struct {
				ID    string
				State State
			}
			if err := json.Unmarshal(text, &e); err != nil || status != 202 && status != 200 {
				t.Fatalf("%d: %s", status, text)
			}
			if was := ids[key]; was != "" && was != e.ID {
				t.Fatalf("%s was %s and is %s", key, was, e.ID)
			}
			ids[key] = e.ID
			if e.State != Ended {
				continue
			}
			_, text, ok = v.ask("GET", "/v1/cua/"+e.ID, nil, "")
			if !ok {
				return
			}
			if was, known := ended[e.ID]; known && !bytes.Equal(was, text) {
				t.Fatalf("%s is answered as\n%s\nand was\n%s", e.ID, text, was)
			}
			ended[e.ID] = text
		}
	}
}

// holds fails where a file below dir has text.
func holds(t *testing.T, dir, text string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil && bytes.Contains(data, []byte(text)) {
			t.Errorf("%s holds %q", path, text)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
