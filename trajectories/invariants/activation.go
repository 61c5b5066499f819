package invariants

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/cua-runner/cua-runner/cua"
)

// activated is what a step activated, as far as the page before it tells.
type activated struct {
	// control is nil when no control is known to have been activated.
	control *cua.Control
	// field is the one that had the key or the press; nil is none.
	field *cua.Field
	how   string
	// unknown says that something was activated, and nothing tells what.
	unknown bool
}

// activation looks at what gates activated. A rescue takes what is called risky for no mere input, whatever
// the markup says; form control presses what a planned value is for. An actor may be activated when the brain
// proposed to press that very control, when both its names are harmless, or, by retarget_click, when the
// brain's words name it alone.
func activation(j *Journal, i int, s *cua.Step, r cua.Ruling, say sayer) {
	now := j.before(i)
	a := activates(now, s)
	c := a.control
	pressing := s.Proposed.Kind.Pressing() || s.Proposed.PressesReturn()
	switch {
	case a.unknown && !asksToSend(s, a.field):
		say("%s %s, and the journal does not tell what that activates", r.Gate, a.how)
	case c == nil || c.Input && (!rescued(r) || takesText(c) || !risky(c.Name) && !risky(c.Text)):
	case s.Target.Identified() && s.Target.ID == c.ID && pressing:
	case harmless(c, r):
	case coded(r, cua.RetargetClick) && namedAlone(s, c, near(now, s, j.bounds().Recovery.Rescue.NearPx)):
	default:
		say("%s %s %q (text %q), which was not asked for", r.Gate, a.how, c.Name, c.Text)
	}
}

// takesText reports whether a press of c only sets a caret in it, or opens its list.
func takesText(c *cua.Control) bool {
	ticks := c.Type == "checkbox" || c.Type == "radio"
	return c.Tag == "input" && !ticks || c.Tag == "textarea" || c.Tag == "select" ||
		c.Type == "contenteditable"
}

// activates is what s activated: by a press, what it names, or what is at its place; by Return in a field,
// the default button of the field's form.
func activates(o *cua.Observation, s *cua.Step) (out activated) {
	a := s.Action
	if !a.Kind.Pressing() && !a.PressesReturn() {
		return out
	}
	out.how, out.field = "pressed", receiver(o, s)
	if f := out.field; a.PressesReturn() && f != nil && f.Editable {
		out.how = "pressed Return in " + calls(f)
		if form := o.FormOf(f.Form, f.Frame); form != nil && f.Form != "" && f.SingleLine() {
			out.control = form.Default
		}
		out.unknown = out.control == nil && f.Tag != "textarea"
		return out
	}
	if m := pressed(o, s); m != nil {
		out.control = new(m.Control())
	} else if out.field == nil || a.PressesReturn() {
		for _, f := range o.Forms {
			if f.Default != nil && f.Default.ID == a.Into && a.Into != "" {
				out.control = f.Default
			}
		}
		out.unknown = out.control == nil
	}
	return out
}

// asksToSend reports whether the brain's own press was on a submit control inside the form of f.
func asksToSend(s *cua.Step, f *cua.Field) bool {
	t := s.Target
	return f != nil && f.Form != "" && s.Proposed.Kind.Pressing() && t.SubmitShaped() && t.Form == f.Form &&
		t.Frame == f.Frame
}

// harmlessNames are the whole names that bind nobody, closers those that take a layer away.
var (
	harmlessNames = names(`next/previous/prev/back/go back/continue/go on/next page/previous page/
		next step/previous step/next month/previous month/first page/last page/search/find/filter/
		apply filter/apply filters/log in/login/sign in/submit/retry/try again/check again/show more/
		load more/see more/view more/more/show all/show details/details/expand/collapse/refresh/
		‹/›/«/»/←/→`)
	closers = names(`cancel/not now/no/no thanks/no thank you/maybe later/later/skip/disagree/i disagree/
		only necessary/necessary only/only essential/essential only/×/✕/✖/✗/⨯/x`)
	closes = regexp.MustCompile(`^((close|dismiss|hide)( (the |this )?(dialog|modal|popup|pop up|window|` +
		`banner|notice|message|menu|panel|alert|notification|overlay|drawer|tooltip))?|` +
		`(reject|decline|deny)( (the |this )?(all|cookies|all cookies|optional cookies))?)$`)
)

func names(list string) map[string]bool {
	out := map[string]bool{}
	for name := range strings.SplitSeq(list, "/") {
		out[strings.TrimSpace(name)] = true
	}
	return out
}

// harmless reports whether both names of c are harmless. A control that sends a form is not a closing one,
// and a layer may only be closed.
func harmless(c *cua.Control, r cua.Ruling) bool {
	dismisses := coded(r, cua.DismissOverlay)
	return !slices.ContainsFunc([]string{plain(c.Text), plain(c.Name)}, func(name string) bool {
		closing := closers[name] || closes.MatchString(name)
		return !(closing && !c.Submit || harmlessNames[name] && !dismisses)
	})
}

// plain are the words of a name without case; a name of signs alone stays.
func plain(name string) string {
	name = folded(name)
	wordless := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }
	if words := strings.FieldsFunc(name, wordless); len(words) > 0 {
		return strings.Join(words, " ")
	}
	return name
}

// risky are beginnings of words, and pieces of words where a language joins them, of what nobody but the
// brain decides.
var riskyStems = strings.Fields(`buy purchas pay order checkout book bid donat subscri unsubscri
	upgrad downgrad renew transfer withdraw authori approv delet remov eras discard reset clear empty cancel
	close deactivat terminat revok releas leav quit logout signout publish post send agree accept allow
	consent confirm yes place tip trade sell invest block ban archiv destroy drop wipe uninstall`)

var riskyPieces = strings.Fields(`kauf bestell zahl überweis lösch entfern kündig akzept zustimm
	bestätig senden abonn spende achet command supprim effac envoy résili compra pagar pedido elimin borrar
	envi acept suscri acquist paga ordin cancell invia accett abbon exclu apagar aceit assin koop betal
	bestel verwijder verzend stuur bevestig kup zapła zamów usuń wyślij куп оплат заказ удал отправ соглас
	подтверд принять 購入 買 支払 注文 削除 送信 同意 承諾 確認 解約 購買 购买 支付 付款 下单 删除 刪除 发送 發送 确认 確定 구매 결제 주문 삭제 보내 동의 확인`)

// risky reports whether name holds a word of a buy, delete, cancel, publish or consent control.
func risky(name string) bool {
	words := labelWords(name)
	holds := func(stem string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, stem) })
	}
	text := strings.Join(words, " ")
	contains := func(piece string) bool { return strings.Contains(text, piece) }
	return slices.ContainsFunc(riskyStems, holds) || slices.ContainsFunc(riskyPieces, contains) ||
		contains("check out") || contains("log out") || contains("sign out")
}

// near are the other controls within px of where s was aimed at.
func near(o *cua.Observation, s *cua.Step, px float64) []cua.Mark {
	p := cmp.Or(s.Target.Point, s.Proposed.Point)
	far := func(m cua.Mark) bool { return p == nil || away(m.Box, *p) > px }
	return slices.DeleteFunc(slices.Clone(o.Marks), far)
}

// away is how far p lies from b; 0 inside.
func away(b cua.Box, p cua.Point) float64 {
	dx := max(b.X-p.X, p.X-b.X-b.W, 0)
	dy := max(b.Y-p.Y, p.Y-b.Y-b.H, 0)
	return math.Hypot(dx, dy)
}

// namedAlone reports whether the brain's words name c by its whole name, never in a sentence with a negation,
// and no other of the controls in reach.
func namedAlone(s *cua.Step, c *cua.Control, reach []cua.Mark) bool {
	name := strings.Join(labelWords(c.Name), " ")
	if name == "" || plain(c.Name) != plain(c.Text) || risky(c.Name) {
		return false
	}
	named := false
	ends := func(r rune) bool { return strings.ContainsRune(".!?;:\n。！？；", r) }
	for _, sentence := range strings.FieldsFunc(s.Thought+"\n"+s.Proposed.Why, ends) {
		words := " " + strings.Join(labelWords(sentence), " ") + " "
		says := strings.Contains(words, " "+name+" ")
		if says && negated(sentence, words) {
			return false
		}
		named = named || says
		if slices.ContainsFunc(reach, func(m cua.Mark) bool {
			other := strings.Join(labelWords(m.Name), " ")
			return m.ID != c.ID && other != "" && !strings.Contains(name, other) &&
				strings.Contains(words, " "+other+" ")
		}) {
			return false
		}
	}
	return named
}

// Words that turn a sentence around, and pieces of words that do.
var (
	noes = strings.Fields(`not no never nor neither none cannot dont doesnt didnt wont cant shouldnt
		mustnt wouldnt isnt arent without avoid avoiding instead rather except unless refuse refusing stop
		against forbidden nicht kein keine keinen keinem keiner nie niemals ohne statt weder ne n pas jamais
		sans aucun aucune ni nunca jamas jamás sin tampoco ningun ningún ninguna non mai senza nessun nessuno
		não nao nem sem nenhum nenhuma niet geen nooit zonder nigdy bez żaden не нет никогда без нельзя ни`)
	noesWithin = []string{"n't", "n’t", "ない", "ません", "ずに", "禁止", "不", "别", "別", "勿", "没", "않", "마세요",
		"말고", "금지", "안 "}
)

func negated(sentence, words string) bool {
	lower := strings.ToLower(sentence)
	return slices.ContainsFunc(noes, func(w string) bool { return strings.Contains(words, " "+w+" ") }) ||
		slices.ContainsFunc(noesWithin, func(w string) bool { return strings.Contains(lower, w) })
}

// outOfReach looks at what gates pressed and typed while something lay over it: a cover, a JavaScript dialog,
// or a modal dialog that does not hold it. Escape goes to whatever is on top.
func outOfReach(j *Journal, i int, s *cua.Step, r cua.Ruling, say sayer) {
	now, a := j.before(i), s.Action
	escapes := a.Kind == cua.Key && a.Keys == "Escape"
	if escapes || !a.Kind.Pressing() && a.Kind != cua.Type && a.Kind != cua.Select && a.Kind != cua.Key {
		return
	}
	p := placeOf(now, s)
	own := p.id != "" && (p.id == s.Target.ID || p.id == s.Target.Field)
	switch {
	case now.Dialog != nil, now.Modal != "" && p.dialog != now.Modal:
		say("%s sent a %s outside the dialog that was open", r.Gate, a.Kind)
	case p.covered || own && s.Target.Covering != nil:
		say("%s sent a %s to what something covered", r.Gate, a.Kind)
	}
}

// place is what a step goes to: its identity, the dialog that holds it, and whether something covers it. The
// zero value is a place of which nothing is known.
type place struct {
	id, dialog string
	covered    bool
}

func placeOf(o *cua.Observation, s *cua.Step) place {
	f, m := receiver(o, s), pressed(o, s)
	switch {
	case f != nil && (m == nil || !s.Action.Kind.Pressing()):
		return place{f.ID, f.Dialog, f.Covered}
	case m != nil:
		return place{m.ID, m.Dialog, m.Covered}
	}
	return place{}
}
