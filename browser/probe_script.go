package browser

import (
	"crypto/rand"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

// probeWorld is the name of the isolated world in which the page is read. Its globals
// are its own: what a page did to JSON, Promise or Array.prototype is not seen there.
const probeWorld = "cua"

//go:embed js/*.js
var probeFiles embed.FS

// pageParts are the files of the script in the page's own world, in the order in which they are joined.
var pageParts = [...]string{"cause", "requests", "replies", "handlers", "wire"}

// worldParts are the files of the isolated world's script in the order in which they
// are joined; main.js runs what the others define.
var worldParts = [...]string{"world", "settle", "digest", "names", "identity", "fields", "replaced",
	"controls", "forms", "frames", "walk", "ambient", "probe", "checkpoint", "locate", "reach",
	"element", "secrets", "main"}

// newProbeKey makes the name under which the two worlds find each other. The page
// cannot guess it.
func newProbeKey() string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails
	return "x" + hex.EncodeToString(b[:])
}

// probeScripts are the scripts for the page's own world and for the isolated world.
// Both must run in every frame before any script of the page, page first. settle is the cap to which the
// delays in the page are in proportion, view what pages are told of their window.
func probeScripts(key string, settle time.Duration, view cua.Size) (page, world string) {
	read := func(name string) string {
		b, err := probeFiles.ReadFile("js/" + name + ".js")
		if err != nil {
			panic("browser: embedded script: " + err.Error()) // a file is missing from the build
		}
		return string(b)
	}
	var w strings.Builder
	fmt.Fprintf(&w,
		"(function () {\n'use strict';\nif (globalThis.__cua) { __cua.attach(); return; }\nconst KEY = %q;\n",
		key)
	for _, name := range worldParts {
		w.WriteString(read(name))
	}
	w.WriteString("})();\n")
	var p strings.Builder
	fmt.Fprintf(&p, "(function (K) {\n'use strict';\nconst CAP = %d, VIEW = [%d, %d];\n",
		settle.Milliseconds(), view.W, view.H)
	for _, name := range pageParts {
		p.WriteString(read(name))
	}
	fmt.Fprintf(&p, "})(%q);\n", key)
	return p.String(), w.String()
}

// probeArgs say what a reading is about, in the asked frame's own viewport.
type probeArgs struct {
	X       *float64    `json:"x,omitzero"` // the action's point, for its scroll container
	Y       *float64    `json:"y,omitzero"`
	Pointer *[2]float64 `json:"pointer,omitzero"` // where the mouse is
	Peek    bool        `json:"peek,omitzero"`    // the reading is no new baseline
	// Look is the number of a reading that a later one may be compared with, Since that of the one that this
	// is compared with: a document that has not changed leaves out what it shows. 0 is neither.
	Look  int `json:"look,omitzero"`
	Since int `json:"since,omitzero"`
	// Keep asks for what a checkpoint holds: 1 without what is stored, unless the document has not told
	// it yet, 2 with it.
	Keep int `json:"keep,omitzero"`
	// Paint asks where the document shows what is secret; nil does not.
	Paint *paintArgs `json:"paint,omitzero"`
}

// locateArgs name a place: an identity, or else a point.
type locateArgs struct {
	X     *float64  `json:"x,omitzero"`
	Y     *float64  `json:"y,omitzero"`
	ID    string    `json:"id,omitzero"`
	Probe probeArgs `json:"probe"`
}

// elementArgs name a control (an identity, a point, or neither for the focused one) and what to do with it:
// box, hold, press, clear, value, select, set, secret. With press, X and Y are where it is to be pressed. The
// rest is for secret.
type elementArgs struct {
	ID   string   `json:"id,omitzero"`
	X    *float64 `json:"x,omitzero"`
	Y    *float64 `json:"y,omitzero"`
	Op   string   `json:"op"`
	Text string   `json:"text,omitzero"`
	// Want and Origin are the identity of the control and the origin of its document that were found fit.
	Want   string `json:"want,omitzero"`
	Origin string `json:"origin,omitzero"`
	Name   string `json:"name,omitzero"`  // of the secret
	Clear  bool   `json:"clear,omitzero"` // what the control holds is replaced
	Whole  bool   `json:"whole,omitzero"` // it takes a value, and no text at a caret
}

func exprBegin(acting bool, from int, press bool) string {
	return fmt.Sprintf("__cua.begin(%t,%d,%t)", acting, from, press)
}
func exprSettle(capMS int) string { return "__cua.settle(" + strconv.Itoa(capMS) + ")" }
func exprStep(capMS, from, releases int, a probeArgs) string {
	return fmt.Sprintf("__cua.step(%d,%d,%d,%s)", capMS, from, releases, literal(a))
}
func exprProbe(a probeArgs) string     { return "__cua.probe(" + literal(a) + ")" }
func exprLocate(a locateArgs) string   { return "__cua.locate(" + literal(a) + ")" }
func exprElement(a elementArgs) string { return "__cua.element(" + literal(a) + ")" }
func exprCalled(path string) string    { return "__cua.called(" + literal(path) + ")" }

func exprEnter(path string) string { return "__cua.enter(" + literal(path) + ")" }

func exprStirred(p *paintArgs) string { return "__cua.stirred(" + literal(p) + ")" }

func exprText(maxChars int) string { return "__cua.text(" + strconv.Itoa(maxChars) + ")" }

// literal writes v as JSON, which is JavaScript too: encoding/json escapes U+2028 and U+2029.
func literal(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("browser: script argument: " + err.Error()) // only NaN and Inf can do this
	}
	return string(b)
}
