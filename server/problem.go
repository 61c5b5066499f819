package server

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Code names what is wrong with a request. The list is closed.
type Code string

// The codes, each with one status (Problem.Status).
const (
	BadJSON          Code = "bad_json"
	Invalid          Code = "invalid"
	IdempotencyReuse Code = "idempotency_reuse"
	Unauthenticated  Code = "unauthenticated"
	HostNotAllowed   Code = "host_not_allowed"
	CrossOrigin      Code = "cross_origin"
	NotYoursToDo     Code = "not_yours_to_do"
	NotFound         Code = "not_found"
	MethodNotAllowed Code = "method_not_allowed"
	WrongState       Code = "wrong_state"
	Changed          Code = "changed"
	TooLarge         Code = "too_large"
	MediaType        Code = "media_type"
	WrongHost        Code = "wrong_host"
	QueueFull        Code = "queue_full"
	Rate             Code = "rate"
	Internal         Code = "internal"
	Draining         Code = "draining"
	DiskFull         Code = "disk_full"
)

// statuses are the status of each code, and its title.
var statuses = map[Code]struct {
	status int
	title  string
}{
	BadJSON:          {http.StatusBadRequest, "The body is not JSON"},
	Invalid:          {http.StatusUnprocessableEntity, "The request is not valid"},
	IdempotencyReuse: {http.StatusUnprocessableEntity, "The idempotency key was used with another body"},
	Unauthenticated:  {http.StatusUnauthorized, "The token is missing or wrong"},
	HostNotAllowed:   {http.StatusForbidden, "The start page's host is not allowed"},
	CrossOrigin:      {http.StatusForbidden, "The request comes from another origin"},
	NotYoursToDo:     {http.StatusForbidden, "The tenant may not do this"},
	NotFound:         {http.StatusNotFound, "There is no such resource"},
	MethodNotAllowed: {http.StatusMethodNotAllowed, "The resource does not support this method"},
	WrongState:       {http.StatusConflict, "The episode's state does not allow this"},
	Changed:          {http.StatusPreconditionFailed, "The episode has changed"},
	TooLarge:         {http.StatusRequestEntityTooLarge, "The body is too large"},
	MediaType:        {http.StatusUnsupportedMediaType, "The body's media type is not supported"},
	WrongHost:        {http.StatusMisdirectedRequest, "The request is for another host"},
	QueueFull:        {http.StatusTooManyRequests, "The queue is full"},
	Rate:             {http.StatusTooManyRequests, "Too many requests"},
	Internal:         {http.StatusInternalServerError, "The server failed"},
	Draining:         {http.StatusServiceUnavailable, "The server is shutting down"},
	DiskFull:         {http.StatusInsufficientStorage, "The disk is full"},
}

// Problem is an error as RFC 9457 has it. It never holds a value of the request.
type Problem struct {
	// Type is /problems/CODE.
	Type     string `json:"type"`
	Title    string `json:"title"`
	Status   int    `json:"status"`
	Detail   string `json:"detail"`
	Instance string `json:"instance" doc:"The path of the request."`
	Code     Code   `json:"code"`
	// Errors name what is wrong where, of invalid.
	Errors []ProblemError `json:"errors,omitempty"`
	// State and Allowed are those of wrong_state.
	State   State    `json:"state,omitempty"`
	Allowed []string `json:"allowed,omitempty" doc:"What the state allows."`

	retry time.Duration
}

// ProblemError is one thing that is wrong with a request.
type ProblemError struct {
	Location string `json:"location" doc:"Where: body.url, query.limit, header.Prefer."`
	Message  string `json:"message"`
}

// Error is the detail.
func (p *Problem) Error() string { return string(p.Code) + ": " + p.Detail }

// GetStatus is the HTTP status.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType is that of problems.
func (p *Problem) ContentType(string) string { return problemType }

const problemType = "application/problem+json"

// GetHeaders are the headers that go with it.
func (p *Problem) GetHeaders() http.Header {
	h := http.Header{"Cache-Control": {"no-store"}}
	if p.retry > 0 {
		h.Set("Retry-After", strconv.Itoa(int((p.retry+time.Second-1)/time.Second)))
	}
	return h
}

// problem is one of that code at the path of the request that ctx is of.
func problem(ctx context.Context, c Code, detail string) *Problem {
	s := statuses[c]
	p := &Problem{Type: "/problems/" + string(c), Title: s.title, Status: s.status, Detail: detail, Code: c}
	if r := requestOf(ctx); r != nil {
		p.Instance = r.path
	}
	return p
}

// invalid is a 422 about one place of the request.
func invalid(ctx context.Context, location, message string) *Problem {
	p := problem(ctx, Invalid, "the request is not valid")
	p.Errors = []ProblemError{{location, message}}
	return p
}

// write answers a request with p outside huma.
func (p *Problem) write(w http.ResponseWriter) {
	for k, v := range p.GetHeaders() {
		w.Header()[k] = v
	}
	w.Header().Set("Content-Type", problemType)
	w.WriteHeader(p.Status)
	writeJSON(w, p)
}

// humaProblem makes huma's own errors problems. It drops the values that they carry.
func humaProblem(c huma.Context, status int, message string, errs ...error) huma.StatusError {
	code := Internal
	detail := message
	switch status {
	case http.StatusBadRequest:
		code, detail = BadJSON, "the body could not be read as JSON"
	case http.StatusRequestEntityTooLarge:
		code = TooLarge
	case http.StatusUnsupportedMediaType, http.StatusNotAcceptable:
		code, detail = MediaType, "the body must be application/json"
	case http.StatusUnprocessableEntity:
		code, detail = Invalid, "the request is not valid"
	case http.StatusRequestTimeout:
		code, detail = BadJSON, "the body did not arrive in time"
	case http.StatusInternalServerError:
		detail = "the server failed; its log says why"
	}
	p := problem(context.Background(), code, detail)
	if c != nil {
		p.Instance = c.URL().Path
	}
	for _, err := range errs {
		if d, ok := err.(huma.ErrorDetailer); ok && code == Invalid {
			e := d.ErrorDetail()
			p.Errors = append(p.Errors, ProblemError{e.Location, inWords(c, e.Location, e.Message)})
		}
	}
	return p
}

func init() {
	huma.NewErrorWithContext = humaProblem
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		return humaProblem(nil, status, message, errs...)
	}
}
