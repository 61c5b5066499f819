package server

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
)

// IDInput names an episode.
type IDInput struct {
	ID string `path:"id" doc:"The episode's id."`
}

// ChangeInput names an episode that is to be changed.
type ChangeInput struct {
	IDInput
	IfMatch string `header:"If-Match" doc:"Do it only if the episode's ETag is still this one."`
}

// getInput asks for an episode.
type getInput struct {
	IDInput
	IfNoneMatch string `header:"If-None-Match"`
}

// listInput asks for episodes.
type listInput struct {
	State string   `query:"state" enum:"queued,running,paused,interrupted,ended"`
	Arm   string   `query:"arm"`
	Tag   []string `query:"tag,explode" doc:"NAME:VALUE; repeated, all must hold."`
	Limit int      `query:"limit" minimum:"1" maximum:"200" default:"50"`
	After string   `query:"after" doc:"The next of the page before."`
}

type listOutput struct {
	Body struct {
		Items []Episode `json:"items" nullable:"false"`
		Next  string    `json:"next,omitempty" doc:"Ask for the page after this one with after=NEXT; absent: there is none."`
	}
}

// register describes and serves what huma serves.
func (s *Server) register(api huma.API) {
	op := func(method, path, id, summary string, errs ...int) huma.Operation {
		return huma.Operation{Method: method, Path: path, OperationID: id, Summary: summary,
			MaxBodyBytes: maxBody, Metadata: map[string]any{schemasKey: api.OpenAPI().Components.Schemas},
			Errors: append([]int{401, 403, 421, 500}, errs...)}
	}
	post := func(verb, summary string, errs ...int) huma.Operation {
		return op(http.MethodPost, "/v1/cua/{id}/"+verb, verb, summary, append(errs, 404, 409, 412, 422, 429,
			503)...)
	}
	create := op(http.MethodPost, "/v1/cua", "create", "Run an episode", 400, 413, 415, 422, 429, 503, 507)
	create.DefaultStatus = http.StatusAccepted
	huma.Register(api, create, s.create)
	huma.Register(api, op(http.MethodGet, "/v1/cua", "list", "List episodes, the newest first", 422), s.list)
	huma.Register(api, op(http.MethodGet, "/v1/cua/{id}", "get", "An episode as it is now", 404), s.get)
	huma.Register(api, op(http.MethodGet, "/v1/cua/{id}/steps", "steps", "The steps", 404, 422), s.steps)
	huma.Register(api, op(http.MethodGet, "/v1/cua/{id}/checkpoints", "checkpoints",
		"What can be gone back to", 404), s.checkpoints)
	huma.Register(api, post("pause", "Pause after the current step"), s.pause)
	huma.Register(api, post("continue", "Go on after a pause"), s.goOn)
	huma.Register(api, post("stop", "End the episode, also a queued one"), s.stop)
	huma.Register(api, post("resume", "Go on after an end, or with the secrets that are needed", 400, 413,
		415,
		507), s.resume)
	huma.Register(api, post("rewind", "Go back to before a step", 400, 413, 415), s.rewind)
	huma.Register(api, post("answer", "Answer the question of the brain", 400, 413, 415), s.reply)
	huma.Register(api, post("tell", "Say a sentence to the brain", 400, 413, 415), s.tell)
	huma.Register(api, post("takeover", "Pause, and take the browser: a ticket for the WebSocket",
		400, 413, 415), s.takeOver)
	huma.Register(api, post("handback", "Give the browser back: the episode continues", 400, 413, 415),
		s.handBack)
	gone := op(http.MethodDelete, "/v1/cua/{id}", "delete", "Delete an ended episode with its folder", 404,
		409, 412)
	gone.DefaultStatus = http.StatusNoContent
	huma.Register(api, gone, s.delete)
	huma.Register(api, op(http.MethodGet, "/v1/mechanisms", "mechanisms", "Mechanisms and arms"),
		s.mechanisms)
	huma.Register(api, op(http.MethodGet, "/v1/brains", "brains", "Brains that may decide"), s.brains)
}

func (s *Server) get(ctx context.Context, in *getInput) (*answer, error) {
	e, err := s.episodeOf(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	out, err := s.answer(ctx, e, http.StatusOK)
	// the number of the last record says nothing of what is not on record yet
	// a proxy that compresses makes the ETag a weak one
	known := strings.ReplaceAll(in.IfNoneMatch, "W/", "")
	if err == nil && out.Body.State == Ended && (known == "*" || lists(known, out.ETag)) {
		return &answer{Status: http.StatusNotModified, ETag: out.ETag}, nil
	}
	return out, err
}

func (s *Server) list(ctx context.Context, in *listInput) (*listOutput, error) {
	t := requestOf(ctx).tenant
	if in.After != "" && !episodeID.MatchString(in.After) {
		return nil, invalid(ctx, "query.after", "the id of an episode is wanted")
	}
	if slices.ContainsFunc(in.Tag, func(tag string) bool { return !strings.Contains(tag, ":") }) {
		return nil, invalid(ctx, "query.tag", "NAME:VALUE is wanted")
	}
	out := &listOutput{}
	out.Body.Items = []Episode{}
	for _, e := range slices.Backward(t.all()) {
		if in.After != "" && e.record.ID >= in.After || !in.matches(e) {
			continue
		}
		if len(out.Body.Items) == in.Limit {
			out.Body.Next = out.Body.Items[in.Limit-1].ID
			break
		}
		v, _, err := s.view(e)
		if err != nil { // one journal that cannot be read hides no other episode; GET of this one says it
			s.o.Log("reading episode " + e.record.ID + ": " + err.Error())
		}
		out.Body.Items = append(out.Body.Items, v)
	}
	return out, nil
}

func (in *listInput) matches(e *episode) bool {
	state, _, _ := e.now()
	r := &e.record.Request
	if in.State != "" && State(in.State) != state || in.Arm != "" && r.Arm != in.Arm {
		return false
	}
	for _, tag := range in.Tag {
		name, value, _ := strings.Cut(tag, ":")
		if v, ok := r.Tags[name]; !ok || v != value {
			return false
		}
	}
	return true
}

// stepsInput asks for steps.
type stepsInput struct {
	IDInput
	After int `query:"after" minimum:"0" doc:"The number of the last step that is known."`
	Limit int `query:"limit" minimum:"1" maximum:"200" default:"50"`
}

type stepsOutput struct {
	Body struct {
		Items []StepJSON `json:"items" nullable:"false"`
		Next  int        `json:"next,omitempty" doc:"Ask for the steps after these with after=NEXT; absent: there are none yet."`
	}
}

func (s *Server) steps(ctx context.Context, in *stepsInput) (*stepsOutput, error) {
	j, err := s.journalOf(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	out := &stepsOutput{}
	out.Body.Items = []StepJSON{}
	if j.t == nil {
		return out, nil
	}
	steps := j.t.Steps[min(in.After, len(j.t.Steps)):]
	if len(steps) > in.Limit {
		steps = steps[:in.Limit]
		out.Body.Next = steps[in.Limit-1].N
	}
	for i := range steps {
		out.Body.Items = append(out.Body.Items, StepJSON{rawJSON(&steps[i])})
	}
	return out, nil
}

// journalOf reads the journal of the caller's episode of that id.
func (s *Server) journalOf(ctx context.Context, id string) (*journal, error) {
	e, err := s.episodeOf(ctx, id)
	if err != nil {
		return nil, err
	}
	j, err := readJournal(e.dir)
	if err != nil {
		return nil, s.broken(ctx, "reading episode "+id, err)
	}
	return j, nil
}

// Checkpoint is what can be gone back to.
type Checkpoint struct {
	Step    int    `json:"step" doc:"Going back makes the page what it was before this step."`
	URL     string `json:"url"`
	Title   string `json:"title"`
	Pinned  bool   `json:"pinned" doc:"It is kept when others have to make room."`
	Crosses []int  `json:"crosses" nullable:"false" doc:"Steps since that sent something: the server keeps it, and going back needs consent."`
	Frame   string `json:"frame,omitempty" doc:"The SHA-256 of the frame."`
}

type checkpointsOutput struct{ Body []Checkpoint }

func (s *Server) checkpoints(ctx context.Context, in *IDInput) (*checkpointsOutput, error) {
	j, err := s.journalOf(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	out := &checkpointsOutput{Body: []Checkpoint{}}
	if j.t == nil {
		return out, nil
	}
	cfg, err := runner.Recorded(j.t.Header)
	if err != nil {
		return nil, s.broken(ctx, "reading episode "+in.ID, err)
	}
	h := j.t.History()
	for _, st := range j.t.Live() {
		page := h.Before(st.N - 1)
		if !j.t.HasState(page.Checkpoint) {
			continue
		}
		crosses := h.Sent(st.N)
		if crosses == nil {
			crosses = []int{}
		}
		out.Body = append(out.Body, Checkpoint{Step: st.N, URL: page.URL, Title: page.Title,
			Pinned: slices.Contains(cfg.Checkpoints.Pin, st.N), Crosses: crosses, Frame: page.FrameSHA})
	}
	return out, nil
}

func (s *Server) mechanisms(context.Context, *struct{}) (*mechanismsOutput, error) {
	out := &mechanismsOutput{}
	out.Body.Mechanisms, out.Body.Arms = cua.Mechanisms(), runner.Arms()
	return out, nil
}

type mechanismsOutput struct {
	Body struct {
		Mechanisms []cua.Mechanism `json:"mechanisms" nullable:"false"`
		Arms       []runner.Arm    `json:"arms" nullable:"false"`
	}
}

type brainsOutput struct {
	Body struct {
		Default string `json:"default"`
		Brains  any    `json:"brains"`
	}
}

func (s *Server) brains(context.Context, *struct{}) (*brainsOutput, error) {
	out := &brainsOutput{}
	out.Body.Default, out.Body.Brains = s.o.Brain, []any{}
	if s.o.Brains != nil {
		out.Body.Brains = s.o.Brains()
	}
	return out, nil
}

func (s *Server) delete(ctx context.Context, in *ChangeInput) (*struct{}, error) {
	e, _, err := s.beside(ctx, *in, "delete")
	if err != nil {
		return nil, err
	}
	e.tenant.creating.Lock()
	defer e.tenant.creating.Unlock()
	if e.tenant.find(in.ID) != e { // another DELETE was faster
		return nil, notFound(ctx)
	}
	ok := false
	e.set(func() { ok = e.state == Ended; e.deleted = ok })
	if !ok { // it was resumed meanwhile
		return nil, s.over(ctx, e)
	}
	sum, unread := e.summary()
	if err := remove(e.dir); err != nil {
		e.set(func() { e.deleted = false })
		return nil, s.broken(ctx, "deleting episode "+in.ID, err)
	}
	if unread == nil {
		s.metrics.keep(sum.sums)
	}
	e.tenant.forget(e)
	return nil, nil
}
