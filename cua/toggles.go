package cua

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Toggles switches each mechanism on or off. Only runner.Assemble decides by it what a run is made of. It is
// written into every journal header. Names and help come from the tags. In requires, shape_* stands for the
// toggles of all shapes, and -NAME takes one out: the streak is no loop, and failures are the mistake
// tracker's.
type Toggles struct {
	EffectConditioning bool `json:"effect_conditioning" help:"loop shapes count only steps without progress (off: arguments and frame hashes alone)"`
	ShapeRepeat        bool `json:"shape_repeat" help:"detect one action repeated without effect"`
	ShapeDrift         bool `json:"shape_drift" help:"detect clicks that drift around one point without effect"`
	ShapeFrozen        bool `json:"shape_frozen" help:"detect a page that nothing changes"`
	ShapeCycle         bool `json:"shape_cycle" help:"detect going round through the same pages by the same actions"`
	ShapeRevisit       bool `json:"shape_revisit" help:"detect coming back to one page and leaving it the same way"`
	ShapeSpiral        bool `json:"shape_spiral" help:"detect one target tried in different ways that come to nothing"`
	ShapeFailures      bool `json:"shape_failures" help:"detect steps that fail one after another, of whatever kinds"`
	ShapeStreak        bool `json:"shape_streak" help:"count actions on one target without a fresh look (a note, never an alarm)"`
	ShapeStall         bool `json:"shape_stall" help:"detect waiting for what does not come"`
	ShapeStagnation    bool `json:"shape_stagnation" help:"detect steps that reach nothing new, whatever their order"`
	AdaptiveWindows    bool `json:"adaptive_windows" help:"signal later while the run tries different things or finds new pages, earlier when it does one thing" requires:"shape_repeat,shape_drift,shape_frozen,effect_conditioning"`
	Nudge              bool `json:"nudge" help:"tell the brain that it is stuck, in three levels" requires:"shape_*,-shape_streak,effect_conditioning"`
	RepeatGuard        bool `json:"repeat_guard" help:"say in the feedback that one element was acted on again and again without a look at it" requires:"shape_streak"`
	MistakeTracker     bool `json:"mistake_tracker" help:"a note after three failures in a row, and the end after three more"`
	Breaker            bool `json:"breaker" help:"halt on a hard signal after a last warning" requires:"shape_*,-shape_streak,-shape_failures,effect_conditioning"`
	DoneGate           bool `json:"done_gate" help:"refuse a premature done"`
	FormController     bool `json:"form_controller" help:"type plan values into clicked fields and submit filled forms"`
	Director           bool `json:"director" help:"ask a stronger brain when stuck, and dispatch what it decides" requires:"shape_*,-shape_streak,-shape_failures,effect_conditioning"`
	LoopRecovery       bool `json:"loop_recovery" help:"the rescue rows that scroll the page, type, or press Return or Tab, of those that are on" requires:"shape_repeat,shape_drift,shape_frozen,effect_conditioning"`
	RecoveryLadder     bool `json:"recovery_ladder" help:"the other rescue rows, of those that are on" requires:"shape_*,-shape_streak,-shape_failures,effect_conditioning"`
	RescueScrollPage   bool `json:"rescue_scroll_page" help:"scroll instead of clicking again high on the page" requires:"loop_recovery"`
	RescueType         bool `json:"rescue_type_pending_value" help:"type the pending value into the field that has the focus" requires:"loop_recovery"`
	RescueReturn       bool `json:"rescue_press_return_for_submit" help:"press Return where a click does not send the form" requires:"loop_recovery"`
	RescueTab          bool `json:"rescue_tab_to_next_field" help:"go to the next field by Tab" requires:"loop_recovery"`
	RescueDismiss      bool `json:"rescue_dismiss_overlay" help:"close or reject the layer that covers the target" requires:"recovery_ladder"`
	RescueScroll       bool `json:"rescue_scroll_into_view" help:"scroll to a target that is out of sight" requires:"recovery_ladder"`
	RescueRetarget     bool `json:"rescue_retarget_click" help:"move a click beside its target to the nearest element" requires:"recovery_ladder"`
	RescueControl      bool `json:"rescue_use_control" help:"set a select, date or file control by value" requires:"recovery_ladder"`
	RescueSubmit       bool `json:"rescue_press_submit" help:"press a form's default button where Return in it sends nothing" requires:"recovery_ladder"`
	RescueReload       bool `json:"rescue_reload_page" help:"reload a page that is stale" requires:"recovery_ladder"`
	RescueRewind       bool `json:"rescue_rewind" help:"go back from a dead end" requires:"recovery_ladder"`
	RescueAsk          bool `json:"rescue_ask_user" help:"pause or end and ask when nothing else applies" requires:"recovery_ladder"`
	PerceptualVerify   bool `json:"perceptual_verify" help:"check by pixels that high-risk actions had an effect"`
	Lessons            bool `json:"lessons" help:"give the brain what earlier episodes taught about the page's origin, and capture what this one teaches (--learn)"`
	Ledger             bool `json:"ledger" help:"keep what was done in the brain's turn, for a prompt that folds old steps away"`
}

// AllOn is the default: every toggle on.
func AllOn() Toggles {
	var t Toggles
	v := reflect.ValueOf(&t).Elem()
	for i := range v.NumField() {
		v.Field(i).SetBool(true)
	}
	return t
}

// Mechanism is one toggle's name and line of help.
type Mechanism struct {
	Name string `json:"name"`
	Help string `json:"help"`
}

// Mechanisms lists all toggles in their order.
func Mechanisms() []Mechanism {
	typ := reflect.TypeFor[Toggles]()
	out := make([]Mechanism, typ.NumField())
	for i := range out {
		f := typ.Field(i)
		out[i] = Mechanism{Name: f.Tag.Get("json"), Help: f.Tag.Get("help")}
	}
	return out
}

// MechanismNames are the names of all toggles in their order.
func MechanismNames() []string {
	var out []string
	for _, m := range Mechanisms() {
		out = append(out, m.Name)
	}
	return out
}

// shapePrefix is what the name of a shape's toggle begins with.
const shapePrefix = "shape_"

// ShapeToggles lists the names of the toggles of all shapes.
func ShapeToggles() []string {
	other := func(name string) bool { return !strings.HasPrefix(name, shapePrefix) }
	return slices.DeleteFunc(MechanismNames(), other)
}

// Shapes lists the shapes in the order of their toggles.
func Shapes() []Shape {
	var out []Shape
	for _, name := range ShapeToggles() {
		out = append(out, Shape(strings.TrimPrefix(name, shapePrefix)))
	}
	return out
}

// Requires are the mechanisms that the named one depends on; nil is none.
func Requires(name string) []string {
	i, err := toggleIndex(name)
	if err != nil {
		return nil
	}
	var out []string
	for r := range strings.SplitSeq(reflect.TypeFor[Toggles]().Field(i).Tag.Get("requires"), ",") {
		if not, ok := strings.CutPrefix(r, "-"); ok {
			out = slices.DeleteFunc(out, func(o string) bool { return o == not })
		} else if r == shapePrefix+"*" {
			out = append(out, ShapeToggles()...)
		} else if r != "" {
			out = append(out, r)
		}
	}
	return out
}

// Get reports whether the named toggle is on.
func (t Toggles) Get(name string) (bool, error) {
	i, err := toggleIndex(name)
	if err != nil {
		return false, err
	}
	return reflect.ValueOf(t).Field(i).Bool(), nil
}

// Set switches the named toggle. An unknown name is an error that lists the known ones.
func (t *Toggles) Set(name string, on bool) error {
	i, err := toggleIndex(name)
	if err != nil {
		return err
	}
	reflect.ValueOf(t).Elem().Field(i).SetBool(on)
	return nil
}

func toggleIndex(name string) (int, error) {
	var names []string
	for i, m := range Mechanisms() {
		if m.Name == name {
			return i, nil
		}
		names = append(names, m.Name)
	}
	return 0, fmt.Errorf("cua: unknown mechanism %q; known: %s", name, strings.Join(names, ", "))
}
