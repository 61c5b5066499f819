package tuned

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/cua"
)

func serve(t *testing.T) *suites.Server {
	t.Helper()
	s, err := suites.Serve(Pages)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func open(t *testing.T, s *suites.Server, task string, seed int64) *suites.Instance {
	t.Helper()
	found, err := FindTask(task)
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.Open(found, seed)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func get(t *testing.T, at string) (int, string) {
	t.Helper()
	res, err := http.Get(at)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

func send(t *testing.T, at string, form url.Values) (int, string) {
	t.Helper()
	res, err := http.PostForm(at, form)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(b)
}

func TestEveryPageIsServedWithoutExternalAssets(t *testing.T) {
	s := serve(t)
	for _, suite := range Suites() {
		for _, task := range suite.Tasks {
			t.Run(task.Name, func(t *testing.T) {
				in := open(t, s, task.Name, 1)
				code, body := get(t, in.Task.URL)
				if code != http.StatusOK || !strings.HasSuffix(strings.TrimSpace(body), "</html>") {
					t.Fatalf("status %d, body ends %q", code, body[max(0, len(body)-80):])
				}
				body = strings.ReplaceAll(body, "http://"+s.Elsewhere()+"/", "/") // the same server
				if strings.Contains(body, "http://") || strings.Contains(body, "https://") ||
					strings.Contains(body, "ZgotmplZ") {
					t.Errorf("the page names another address or was cut by the template: %s", body)
				}
				if task.Suite != suite.Name || in.Task.MaxSteps == 0 || in.Task.Goal == "" ||
					len(in.Oracle) < 2 {
					t.Errorf("incomplete task %+v", in.Task)
				}
				if last := in.Oracle[len(in.Oracle)-1]; last.Kind != cua.Done ||
					last.Success != task.Solvable {
					t.Errorf("the oracle ends with %+v", last.Action)
				}
			})
		}
	}
}

func TestSameSeedSameTask(t *testing.T) {
	differ := false
	for _, suite := range Suites() {
		for _, task := range suite.Tasks {
			a, b, c := task.Variant(7), task.Variant(7), task.Variant(8)
			if a.Goal != b.Goal || !reflect.DeepEqual(a.Oracle, b.Oracle) ||
				!reflect.DeepEqual(a.Player, b.Player) {
				t.Errorf("%s: one seed gives two tasks", task.Name)
			}
			differ = differ || fmt.Sprint(a.Data) != fmt.Sprint(c.Data)
		}
	}
	if !differ {
		t.Error("the seed changes nothing")
	}
}

func TestInstancesShareNoState(t *testing.T) {
	s := serve(t)
	a, b := open(t, s, "stepper", 1), open(t, s, "stepper", 1)
	send(t, a.Task.URL+"press", url.Values{"delta": {"1"}})
	if a.State().Count != 1 || b.State().Count != 0 || a.Task.URL == b.Task.URL {
		t.Errorf("a %+v, b %+v", a.State(), b.State())
	}
	if _, body := get(t, a.Task.URL); !strings.Contains(body, "<title>1 tickets") {
		t.Error("a reload forgets the count")
	}
	a.Close()
	if code, _ := get(t, a.Task.URL); code != http.StatusNotFound {
		t.Errorf("a closed instance answers %d", code)
	}
}

func TestRewardIsTheServersTruth(t *testing.T) {
	s := serve(t)
	in := open(t, s, "login", 3)
	want := func(reward float64, when string) {
		t.Helper()
		if got := in.Reward(cua.EndDone); got != reward {
			t.Errorf("%s: reward %v, want %v", when, got, reward)
		}
	}
	want(0, "nothing done, success claimed")
	form := url.Values{"username": {in.Task.Fields[0].Value}, "password": {"wrong"}}
	_, body := send(t, in.Task.URL+"submit", form)
	want(0, "wrong password")
	if !strings.Contains(body, "Wrong username or password.") {
		t.Error("the page does not say what is wrong")
	}
	form.Set("password", in.Task.Fields[1].Value)
	_, body = send(t, in.Task.URL+"submit", form)
	want(1, "right password")
	if !strings.Contains(body, "Welcome back") {
		t.Errorf("no confirmation: %s", body)
	}
}

func TestOnlyTheRightFormEarns(t *testing.T) {
	s := serve(t)
	in := open(t, s, "address", 2)
	form := url.Values{}
	for k, v := range map[string]string{"name": "x", "street": "y", "city": "z", "country": "Norway",
		"region": ""} {
		form.Set(k, v)
	}
	send(t, in.Task.URL+"submit", form)
	if got := in.Reward(cua.EndDone); got != 0 {
		t.Errorf("wrong values earn %v", got)
	}
	hostile := url.Values{"name": {`<script>alert(1)</script>`}}
	if code, body := send(t, in.Task.URL+"submit", hostile); code != http.StatusOK ||
		strings.Contains(body, "<script>alert") {
		t.Errorf("status %d, hostile value came back as markup", code)
	}
}

func TestUnsolvableEarnsByItsEnd(t *testing.T) {
	s := serve(t)
	for _, name := range []string{"t6-dead-button", "t7-dead-button-clock"} {
		in := open(t, s, name, 1)
		for _, end := range cua.EndReasons() {
			want := 0.0
			switch end {
			case cua.EndLoop, cua.EndSpiral, cua.EndMistakes, cua.EndAsked, cua.EndDoneFailed:
				want = 1
			}
			if got := in.Reward(end); got != want {
				t.Errorf("%s ended as %s: reward %v, want %v", name, end, got, want)
			}
		}
	}
}

func TestBadRequestsChangeNothing(t *testing.T) {
	s := serve(t)
	in := open(t, s, "stepper", 1)
	for _, c := range []struct {
		name, at string
		form     url.Values
		code     int
	}{
		{"not a number", in.Task.URL + "press", url.Values{"delta": {"many"}}, http.StatusBadRequest},
		{"too large", in.Task.URL + "submit", url.Values{"x": {strings.Repeat("x", suites.MaxForm+1)}}, http.StatusRequestEntityTooLarge},
		{"no such instance", "http://" + s.Host() + "/i/none/press", url.Values{"delta": {"1"}}, http.StatusNotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			if code, _ := send(t, c.at, c.form); code != c.code {
				t.Errorf("status %d, want %d", code, c.code)
			}
		})
	}
	if st := in.State(); st.Presses != 0 || len(st.Sent) != 0 {
		t.Errorf("state %+v", st)
	}
}

func TestUnknownNamesListTheKnown(t *testing.T) {
	if _, err := FindSuites("forms", "frms"); err == nil || !strings.Contains(err.Error(), `"frms"; known: forms, traps, controls`) {
		t.Errorf("suite: %v", err)
	}
	if _, err := FindTask("t9"); err == nil || !strings.Contains(err.Error(), "t6-dead-button") {
		t.Errorf("task: %v", err)
	}
	got, err := FindSuites("controls", "forms", "controls")
	if err != nil || len(got) != 2 || got[0].Name != "controls" {
		t.Errorf("order or duplicates: %v, %v", got, err)
	}
	if _, err := serve(t).Open(suites.Task{Name: "mine"}, 1); err == nil {
		t.Error("a task without a page was opened")
	}
}
