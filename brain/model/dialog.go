package model

import (
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// DialogRule tells a model how to answer a JavaScript dialog, for wires without a function for it.
const DialogRule = `
- While a JavaScript dialog is open, which no screenshot shows, pressing Return accepts it and Escape dismisses it; text that is
  typed answers a prompt and accepts it. Any other action dismisses it.`

// atDialog are the actions of a call while d is open, with the meaning that a keyboard gives them. The
// browser sends keys to the page and dismisses a dialog before that, so without this function no key could
// accept a dialog. Answering a prompt closes it, so a Return after the text is removed: the page would
// receive it. A nil d changes nothing.
func atDialog(d *cua.Dialog, actions []cua.Action) []cua.Action {
	if d == nil || len(actions) == 0 {
		return actions
	}
	switch a := actions[0]; {
	case a.Kind == cua.Key && a.Keys == "Return":
		return []cua.Action{{Kind: cua.AnswerDlg, Accept: true}}
	case a.Kind == cua.Key && a.Keys == "Escape":
		return []cua.Action{{Kind: cua.AnswerDlg}}
	case a.Kind == cua.Type && d.Type == "prompt":
		return []cua.Action{{Kind: cua.AnswerDlg, Accept: true, Text: strings.TrimSuffix(a.Text, "\n")}}
	}
	return actions
}
