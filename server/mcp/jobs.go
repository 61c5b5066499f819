package mcp

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Job is a whole task: a brain of the server plays it, not the client.
type Job struct {
	// Task has the caps that the client asked for.
	Task  cua.Task
	Brain string // one of Options.Brains
	// MaxWall is the episode's cap on its time; always set. A minute later the context ends.
	MaxWall time.Duration
	Watch   func(*cua.Step)
	// Begin is called with the episode's folder once that is known.
	Begin func(dir string)
}

// The states of a run.
const (
	Running = "running"
	Ended   = "ended"
)

// The limits of jobs.
const (
	maxGoal     = 8000 // characters
	maxFields   = 100
	maxJobSteps = 500
	maxJobWall  = 3600 // s
	jobWall     = 600  // s, where the client names none
	maxWaitS    = 600
	// waitS is below the minute after which many clients give a call up.
	waitS    = 45
	maxEnded = 64 // runs that are remembered
)

// JobResult is the result of run_task, run_status and run_stop.
type JobResult struct {
	Run   string `json:"run" jsonschema:"for run_status and run_stop"`
	State string `json:"state" jsonschema:"running or ended"`
	// Step is the number of the last step; 0 is none.
	Step    int    `json:"step"`
	Success bool   `json:"success"`
	Reason  string `json:"reason,omitempty" jsonschema:"the end reason: done, loop, max_steps, cancelled, …"`
	Answer  string `json:"answer,omitempty"`
	Why     string `json:"why,omitempty" jsonschema:"why it did not succeed"`
	Last    string `json:"last,omitempty" jsonschema:"what the last step did"`
	URL     string `json:"url,omitempty"`
	// Recoveries counts what was done instead of repeating a step, by reason code.
	Recoveries map[string]int `json:"loop_recoveries_by_reason,omitempty"`
	Journal    string         `json:"journal,omitempty" jsonschema:"folder of the records"`
}

// job is a run. The fields below mu change while it is played.
type job struct {
	id     string
	task   cua.Task
	cancel context.CancelFunc
	done   chan struct{} // closed once the run has ended
	begun  int           // its place in the order of the starts, from 1

	mu      sync.Mutex
	now     JobResult
	changed chan struct{} // closed with the next step
}

type jobIn struct {
	Goal         string   `json:"goal" jsonschema:"the task in words"`
	URL          string   `json:"url" jsonschema:"the page where it begins, http:// or https://"`
	Fields       []valIn  `json:"fields,omitempty" jsonschema:"values that go into forms"`
	OutputFields []string `json:"output_fields,omitempty" jsonschema:"names that the answer must contain"`
	Brain        string   `json:"brain,omitempty" jsonschema:"one of the server's brains"`
	MaxSteps     int      `json:"max_steps,omitempty" jsonschema:"1 to 500"`
	MaxWallS     int      `json:"max_wall_s,omitempty" jsonschema:"seconds, 1 to 3600; 600 without it"`
	Wait         *int     `json:"wait_s,omitempty" jsonschema:"seconds until the answer, 0 to 600; default 45"`
}

type runIn struct {
	Run  string `json:"run,omitempty" jsonschema:"of the result of run_task; the newest without it"`
	Wait *int   `json:"wait_s,omitempty" jsonschema:"seconds to wait for the end, 0 to 600; 0 without it"`
}

type stopIn struct {
	Run string `json:"run" jsonschema:"of the result of run_task"`
}

// addJobs adds the tools of whole jobs.
func (s *Server) addJobs() {
	if s.o.Job == nil {
		return
	}
	brains := strings.Join(s.o.Brains, ", ")
	addTool(s, "run_task", "Have a whole task done in a browser of its own, by the server's own brain ("+
		brains+"). Answers when it has ended, or with state running after wait_s: then call run_status",
		acts, s.runTask)
	addTool(s, "run_status", "The state and the result of a task of run_task", reads,
		func(ctx context.Context, req *sdk.CallToolRequest,
			in runIn) (*sdk.CallToolResult, *JobResult, error) {
			wait, err := waitOf(in.Wait, 0)
			if err != nil {
				return nil, nil, err
			}
			j, err := s.job(in.Run)
			if err != nil {
				return nil, nil, err
			}
			return j.follow(ctx, req, wait)
		})
	addTool(s, "run_stop", "End a task of run_task. What it has done so far is not undone", moves,
		func(ctx context.Context, _ *sdk.CallToolRequest,
			in stopIn) (*sdk.CallToolResult, *JobResult, error) {
			j, err := s.job(in.Run)
			if err != nil || in.Run == "" {
				return nil, nil, cmp.Or(err, errors.New("run: the id of the run is wanted"))
			}
			j.cancel()
			select {
			case <-j.done:
			case <-ctx.Done():
			}
			return j.result(), j.state(), nil
		})
}

// runTask begins a run and follows it. A client that gives the call up does not know the run's id, so the run
// ends too.
func (s *Server) runTask(ctx context.Context, req *sdk.CallToolRequest,
	in jobIn) (*sdk.CallToolResult, *JobResult, error) {
	wait, err := waitOf(in.Wait, waitS)
	if err != nil {
		return nil, nil, err
	}
	o, err := s.planned(in)
	if err != nil {
		return nil, nil, fmt.Errorf("run_task: %w", err)
	}
	j, err := s.start(o)
	if err != nil {
		return nil, nil, fmt.Errorf("run_task: %w", err)
	}
	got, r, err := j.follow(ctx, req, wait)
	if err != nil {
		j.cancel()
		return nil, nil, fmt.Errorf("run %s is stopped: %w", j.id, err)
	}
	return got, r, nil
}

// planned is the job that a client asks for.
func (s *Server) planned(in jobIn) (*Job, error) {
	brain := in.Brain
	if brain == "" && len(s.o.Brains) > 0 {
		brain = s.o.Brains[0]
	}
	n := len([]rune(in.Goal))
	switch {
	case strings.TrimSpace(in.Goal) == "" || n > maxGoal:
		return nil, fmt.Errorf("goal has %d characters, want 1 to %d", n, maxGoal)
	case len(in.Fields) > maxFields:
		return nil, fmt.Errorf("fields has %d entries, at most %d are taken", len(in.Fields), maxFields)
	case !slices.Contains(s.o.Brains, brain):
		return nil, fmt.Errorf("brain is one of %s", strings.Join(s.o.Brains, ", "))
	case in.MaxSteps < 0 || in.MaxSteps > maxJobSteps:
		return nil, fmt.Errorf("max_steps is 1 to %d, not %d", maxJobSteps, in.MaxSteps)
	case in.MaxWallS < 0 || in.MaxWallS > maxJobWall:
		return nil, fmt.Errorf("max_wall_s is 1 to %d, not %d", maxJobWall, in.MaxWallS)
	}
	if _, _, err := cua.ParseAddress(in.URL); err != nil {
		return nil, fmt.Errorf("url: %w", err)
	}
	if _, err := (cua.AllowList{Hosts: s.o.Task.Allow, Open: true}).Check(in.URL); err != nil {
		return nil, fmt.Errorf("url: %w (--allow)", err)
	}
	values, err := s.planValues(in.Fields)
	if err != nil {
		return nil, err
	}
	t := s.o.Task
	t.Goal, t.URL, t.Fields, t.OutputFields = in.Goal, in.URL, values, in.OutputFields
	t.MaxSteps = in.MaxSteps
	wall := time.Duration(cmp.Or(in.MaxWallS, jobWall)) * time.Second
	return &Job{Task: t, Brain: brain, MaxWall: wall}, nil
}

// waitOf is how long a call may wait.
func waitOf(given *int, without int) (time.Duration, error) {
	if given != nil {
		without = *given
	}
	if without < 0 || without > maxWaitS {
		return 0, fmt.Errorf("wait_s is 0 to %d, not %d", maxWaitS, without)
	}
	return time.Duration(without) * time.Second, nil
}

// start begins a run, unless as many as may be are running.
func (s *Server) start(o *Job) (*job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	running := 0
	var ended []*job
	for _, j := range s.jobs {
		if j.over() {
			ended = append(ended, j)
		} else {
			running++
		}
	}
	if running >= s.o.Running {
		return nil, fmt.Errorf("%d tasks are running, the most that may: wait for one (run_status) or "+
			"end one (run_stop)", running)
	}
	slices.SortFunc(ended, func(a, b *job) int { return a.begun - b.begun })
	for _, j := range ended[:max(len(ended)-maxEnded, 0)] {
		delete(s.jobs, j.id)
	}
	s.begun++
	ctx, cancel := context.WithTimeoutCause(s.ctx, o.MaxWall+time.Minute, errWall)
	j := &job{id: rand.Text(), task: o.Task, cancel: cancel, done: make(chan struct{}), begun: s.begun,
		changed: make(chan struct{})}
	j.now = JobResult{Run: j.id, State: Running}
	s.jobs[j.id] = j
	o.Watch, o.Begin = j.watch, func(dir string) { j.change(func(r *JobResult) { r.Journal = dir }) }
	go func() {
		defer close(j.done)
		defer cancel()
		result, err := s.o.Job(ctx, o)
		j.ended(result, err, context.Cause(ctx))
	}()
	return j, nil
}

var errWall = errors.New("max_wall_s is over")

// job is the run with that id; the newest without one.
func (s *Server) job(id string) (*job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var newest *job
	for _, j := range s.jobs {
		if j.id == id {
			return j, nil
		}
		if newest == nil || j.begun > newest.begun {
			newest = j
		}
	}
	if id != "" || newest == nil {
		return nil, errors.New("run: there is no such run: run_task begins one")
	}
	return newest, nil
}

func (j *job) over() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

// change changes what is known of the run and wakes those that follow it.
func (j *job) change(f func(*JobResult)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	f(&j.now)
	close(j.changed)
	j.changed = make(chan struct{})
}

// watch takes in a step.
func (j *job) watch(st *cua.Step) {
	j.change(func(r *JobResult) {
		r.Step, r.Last = st.N, asked(st.Proposed, element{role: st.Target.Role, name: st.Target.Name})
		if st.Action != nil {
			r.Last = did(*st.Action, element{role: st.Target.Role, name: st.Target.Name})
		}
		r.Last, r.URL = clip(r.Last, 200), cua.PublicURL(st.After.URL)
	})
}

// ended takes in the end. err is one of the machine, cause why the context has ended.
func (j *job) ended(end trajectories.RunResult, err, cause error) {
	j.change(func(r *JobResult) {
		r.State, r.Success, r.Reason = Ended, end.Success, string(end.TerminationReason)
		r.Answer, r.Why = clipLines(end.Answer, 2000), clipLines(cmp.Or(end.Why, end.Detail), 500)
		if errors.Is(cause, errWall) {
			r.Why = errWall.Error()
		}
		if err != nil {
			r.Why = clipLines(err.Error(), 500)
			r.Reason = cmp.Or(r.Reason, string(cua.EndEnvError))
		}
		for code, n := range end.LoopRecoveries {
			if r.Recoveries == nil {
				r.Recoveries = map[string]int{}
			}
			r.Recoveries[string(code)] = n
		}
	})
}

func (j *job) state() *JobResult {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := j.now
	return &out
}

// follow waits for the end of the run, at most so long. The client hears of each step, if it asked for that.
func (j *job) follow(ctx context.Context, req *sdk.CallToolRequest,
	wait time.Duration) (*sdk.CallToolResult, *JobResult, error) {
	late := time.NewTimer(wait)
	defer late.Stop()
	token, told := req.Params.GetProgressToken(), 0
	for {
		j.mu.Lock()
		now, changed := j.now, j.changed
		j.mu.Unlock()
		if token != nil && now.Step > told {
			told = now.Step
			// A failure means that the client has left; the end of ctx says so.
			_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token,
				Progress: float64(now.Step), Total: float64(j.task.MaxSteps), Message: now.Last})
		}
		select {
		case <-j.done:
			return j.result(), j.state(), nil
		default:
		}
		select {
		case <-changed:
		case <-j.done:
		case <-late.C:
			return j.result(), j.state(), nil
		case <-ctx.Done():
			return nil, nil, fmt.Errorf("the call was cancelled: %w", ctx.Err())
		}
	}
}

// result is the state in words. A run that did not succeed is an error.
func (j *job) result() *sdk.CallToolResult {
	r := j.state()
	bad := r.State == Ended && !r.Success
	says := fmt.Sprintf("Run %s is running, step %d.", r.Run, r.Step)
	if r.State == Ended {
		says = fmt.Sprintf("Run %s has ended after %d steps (%s).", r.Run, r.Step, r.Reason)
	}
	for _, more := range []string{when(r.Last != "", "Last: "+r.Last+"."), r.Why, when(r.Answer != "",
		"Answer: "+r.Answer), when(r.URL != "", "URL: "+r.URL), when(r.Journal != "", "Journal: "+r.Journal)} {
		if more != "" {
			says += "\n" + more
		}
	}
	return &sdk.CallToolResult{IsError: bad, Content: []sdk.Content{&sdk.TextContent{
		Text: "### " + when(bad, "Error") + when(!bad, "Result") + "\n" + says + "\n"}}}
}
