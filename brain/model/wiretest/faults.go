package wiretest

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/faulttable"
)

// Saying is a reply of a fake model, independent of the vendor's format.
type Saying string

// The replies of fake models.
const (
	SayPress         Saying = "a press in the middle of the page"
	SayTwo           Saying = "two such presses in one reply"
	SayDone          Saying = "that the task is done"
	SayProse         Saying = "words without a verdict"
	SayNothing       Saying = "nothing at all"
	SayCut           Saying = "a reply that the cap on its tokens cut"
	SayMalformed     Saying = "a call whose arguments cannot be read"
	SayUnknownAction Saying = "a call of an action that nobody has"
	SayUnknownKey    Saying = "a press of a key that no keyboard has"
	SayOutside       Saying = "a press outside of the picture"
	SayRefusal       Saying = "that it declines"
	SayCheck         Saying = "a press that a person has to agree to"
)

// Service is the fake service of a vendor for the table of faults.
type Service struct {
	// Key is the planted key. It must be in one header of a request, and nowhere else.
	Key string
	// Brain opens the brain that asks the service through o.Transport.
	Brain func(o brain.Options) brain.Brain
	// Answer validates a request against schema and rules, and answers it in the vendor's format. words is
	// the text of SayProse.
	Answer func(w http.ResponseWriter, r *http.Request, body []byte, s Saying, words string)
	// Error is the vendor's format of an error body.
	Error func(status int, message string) string
	// Attempt is the time limit of one attempt.
	Attempt time.Duration
	// Lacks are the replies that the wire cannot express. Their rows are skipped, with a message.
	Lacks []Saying
	// Clamps says that a point outside is moved to the edge, because the vendor's models are known to
	// point there.
	Clamps bool
}

// fault is one response of a service: a reply, or an error.
type fault struct {
	say     Saying
	words   string
	status  int // of an error, or of a redirect
	header  string
	value   func() string // of the header
	message string
	kind    string // the content type of what is no answer
	cut     bool
	stall   bool
}

func says(s Saying) fault { return fault{say: s} }

func fails(status int) fault { return fault{status: status, message: "no luck"} }

func failsFor(status int, value func() string) fault {
	return fault{status: status, header: "Retry-After", value: value}
}

func of(n int, f fault) (out []fault) {
	for range n {
		out = append(out, f)
	}
	return out
}

// faultRow is one fault with its expected outcome.
type faultRow struct {
	name     string
	answers  []fault // a press when they have run out
	want     string  // how the decision begins, as told says it
	requests int
	least    time.Duration // that was waited
	most     time.Duration // 0 is a minute
	consent  brain.Consent
}

// stepDeadline is the time limit of one decision with all its requests.
const stepDeadline = 10 * time.Minute

// faultRows are the faults that every wire must survive, or end with.
func faultRows(s Service) []faultRow {
	const deadline = stepDeadline
	seconds := func() string { return "7" }
	date := func() string { return time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat) }
	html := fault{kind: "text/html"}
	half := fault{kind: "application/json"}
	outside := "failed: schema_reject"
	if s.Clamps {
		outside = "click"
	}
	stalls := int(deadline / s.Attempt)
	return []faultRow{
		{name: "nothing is wrong", want: "click 640,400", requests: 1},
		{name: "429 with Retry-After in seconds", answers: []fault{failsFor(429, seconds)}, want: "click", requests: 2, least: 7 * time.Second},
		{name: "429 with Retry-After as a date", answers: []fault{failsFor(429, date)}, want: "click", requests: 2, least: 89 * time.Second, most: 100 * time.Second},
		{name: "429 beyond the deadline", answers: of(9, failsFor(429, func() string { return "3600" })), want: "error: 429", requests: 1},
		{name: "429 until the deadline", answers: of(99, failsFor(429, func() string { return "200" })), want: "error: 429", requests: 3, least: 400 * time.Second, most: deadline},
		{name: "529 three times", answers: of(3, fails(529)), want: "click", requests: 4},
		{name: "500 five times", answers: of(99, fails(500)), want: "error: 500", requests: 5},
		{name: "a body cut in the middle", answers: []fault{{cut: true}}, want: "click", requests: 2},
		{name: "bodies cut five times", answers: of(99, fault{cut: true}), want: "error: the connection failed", requests: 5},
		{name: "a stall", answers: []fault{{stall: true}}, want: "click", requests: 2, least: s.Attempt, most: s.Attempt + time.Minute},
		{name: "a stall past the deadline", answers: of(99, fault{stall: true}), want: "error: no answer in time", requests: stalls, least: deadline - s.Attempt, most: deadline},
		{name: "a wrong content type", answers: []fault{html}, want: "click", requests: 2},
		{name: "a wrong content type five times", answers: of(99, html), want: "error: no JSON", requests: 5},
		{name: "half an answer under the right type", answers: []fault{half}, want: "click", requests: 2},
		{name: "400 is not asked again", answers: of(99, fails(400)), want: "error: 400", requests: 1},
		{name: "401 is not asked again", answers: of(99, fails(401)), want: "error: 401", requests: 1},
		{name: "a redirect is not followed", answers: of(99, fault{status: 307, header: "Location", value: func() string { return "https://elsewhere.test/" }}), want: "error: redirects", requests: 1},
		{name: "too long, and started over", answers: []fault{fails(413)}, want: "click", requests: 2},
		{name: "too long even so", answers: of(99, fails(413)), want: "error: too long", requests: 2},

		{name: "the token cap", answers: []fault{says(SayCut)}, want: "click", requests: 2},
		{name: "the token cap twice", answers: of(2, says(SayCut)), want: "failed: schema_reject", requests: 2},
		{name: "a malformed call", answers: []fault{says(SayMalformed)}, want: "click", requests: 2},
		{name: "malformed calls", answers: of(2, says(SayMalformed)), want: "failed: schema_reject", requests: 2},
		{name: "two calls", answers: []fault{says(SayTwo)}, want: "click 640,400, and again", requests: 1},
		{name: "an unknown action", answers: []fault{says(SayUnknownAction)}, want: "click", requests: 2},
		{name: "unknown actions", answers: of(2, says(SayUnknownAction)), want: "failed: unknown_action", requests: 2},
		{name: "an unknown key", answers: []fault{says(SayUnknownKey)}, want: "click", requests: 2},
		{name: "unknown keys", answers: of(2, says(SayUnknownKey)), want: "failed: unknown_action", requests: 2},
		{name: "points outside", answers: of(2, says(SayOutside)), want: outside, requests: map[bool]int{false: 2, true: 1}[s.Clamps]},
		{name: "words without a verdict", answers: []fault{says(SayProse)}, want: "click", requests: 2},
		{name: "nothing at all, twice", answers: of(2, says(SayNothing)), want: "failed: schema_reject", requests: 2},
		{name: "a refusal", answers: []fault{says(SayRefusal)}, want: "refused", requests: 1},
		{name: "a safety check, and nobody there", answers: []fault{says(SayCheck)}, want: "ask click needs a person's consent", requests: 1},
		{name: "a safety check, denied", answers: []fault{says(SayCheck)}, consent: brain.Denied, want: "ask click was not consented to", requests: 1},
		{name: "a safety check, agreed to", answers: []fault{says(SayCheck)}, consent: brain.Granted, want: "click 640,400", requests: 1},
		{name: "done", answers: []fault{says(SayDone)}, want: "done true", requests: 1},
	}
}

// Faults tests every fault against a fake service through the real SDK: each has exactly one expected
// outcome, the next request is valid, and the key does not leak. open makes a new service.
func Faults(t *testing.T, open func(t *testing.T) Service) {
	for _, row := range faultRows(open(t)) {
		row.run(t, open)
	}
	t.Run("no piece of the key", func(t *testing.T) { pieces(t, open(t)) })
}

// FaultTable tests the faults as the rows about brains in the fault table (package faulttable).
func FaultTable(t *testing.T, open func(t *testing.T) Service) {
	faults := map[int]string{17: "faults of the connection and of the service, on a virtual clock",
		18: "replies that cannot be played"}
	for n, fault := range faults {
		var rows []faultRow
		for _, row := range faultRows(open(t)) {
			if len(row.answers) > 0 && (row.answers[0].say == "") == (n == 17) {
				rows = append(rows, row)
			}
		}
		table := faulttable.Row{N: n, Fault: fault, Within: stepDeadline,
			Want: fmt.Sprintf("%d of %d have their one outcome", len(rows), len(rows))}
		table.Run(t, func(t *testing.T) (string, time.Duration) {
			right, longest := 0, time.Duration(0)
			for _, row := range rows {
				took, ok := row.run(t, open)
				if longest = max(longest, took); ok {
					right++
				}
			}
			return fmt.Sprintf("%d of %d have their one outcome", right, len(rows)), longest
		})
	}
}

// run tests the row as a subtest and returns how long the decision took.
func (row faultRow) run(t *testing.T, open func(t *testing.T) Service) (took time.Duration, ok bool) {
	ok = t.Run(row.name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := open(t)
			for _, lacking := range s.Lacks {
				for _, a := range row.answers {
					if a.say == lacking {
						t.Skipf("the wire has no words for %s", lacking)
					}
				}
			}
			took = row.play(t, s)
		})
	})
	return took, ok
}

func (row faultRow) play(t *testing.T, s Service) (took time.Duration) {
	x := &exchange{t: t, service: s, answers: row.answers}
	b := x.brain(row.consent)
	turn := firstTurn(t, View)
	began := time.Now()
	d, err := b.Decide(t.Context(), turn)
	requests := x.n
	took = time.Since(began)
	said := Told(toPixel(d), err)
	if strings.Contains(row.want, ", and again") {
		turn = After(turn, d)
		again, err := b.Decide(t.Context(), turn)
		if said += ", and again"; err != nil || !again.Continues || x.n != requests {
			t.Errorf("the second call: %s after %d requests", Told(again, err), x.n)
		}
		d = again
	}
	head, rest, _ := strings.Cut(row.want, ": ")
	if !strings.HasPrefix(said, head) || !strings.Contains(said, rest) {
		t.Errorf("got %q, want %q", said, row.want)
	}
	if requests != row.requests || err == nil && d.Usage.Attempts != row.requests && !d.Continues {
		t.Errorf("%d requests, %d attempts counted, want %d", requests, d.Usage.Attempts, row.requests)
	}
	if most := max(row.most, time.Minute); took < row.least || took > most {
		t.Errorf("it took %s, want %s to %s", took, row.least, most)
	}
	x.clean(said)
	if err == nil && !d.Refused && d.Action.Kind != cua.Ask && d.Action.Kind != cua.Done {
		// the conversation continues, and what is sent is held against schema and rules
		x.answers = of(99, says(SayDone))
		if d, err := b.Decide(t.Context(), After(turn, d)); Told(d, err) != "done true" &&
			!strings.HasPrefix(Told(d, err), "done true ") {
			t.Errorf("then %s", Told(d, err))
		}
	}
	x.clean("")
	return took
}

// toPixel is d with its point on a whole pixel, because grids are coarser than pixels.
func toPixel(d cua.Decision) cua.Decision {
	if p := d.Action.Point; p != nil {
		d.Action.Point = &cua.Point{X: math.Round(p.X), Y: math.Round(p.Y)}
	}
	return d
}

// pieces tests a server that repeats the key at every position at which an error or a recorded reply may
// be cut: no part of the key may remain.
func pieces(t *testing.T, s Service) {
	turn := firstTurn(t, cua.Size{W: 112, H: 112}) // a small picture, for there are many
	for n := 130; n < 430; n += len(s.Key) / 4 {
		x := &exchange{t: t, service: s, answers: of(9, fault{status: 400,
			message: strings.Repeat("x", n) + s.Key + " is no key"})}
		d, err := x.brain(brain.NoConsent).Decide(t.Context(), turn)
		if err == nil {
			t.Fatalf("decided %s", Told(d, err))
		}
		x.clean(err.Error())
	}
	for n := 3500; n < 4200; n += len(s.Key) / 2 {
		prose := fault{say: SayProse, words: strings.Repeat("x", n) + s.Key + " is no key"}
		x := &exchange{t: t, service: s, answers: []fault{prose, prose}}
		d, err := x.brain(brain.NoConsent).Decide(t.Context(), turn)
		if err != nil || d.Failure == nil {
			t.Fatalf("decided %s", Told(d, err))
		}
		x.clean(d.Failure.Detail + d.Failure.Raw + d.Thought)
	}
}
