package gemini

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"

	"google.golang.org/genai"
)

// rules are what no schema holds and the API rejects, or what its terms ask for.
var rules = []struct {
	name  string
	check func(*request, []*genai.Content) error
}{
	{"tool", oneTool}, {"roles", roles}, {"echo", echoed}, {"answers", answered}, {"address", addressed}, {"safety", acknowledged}, {"pictures", pictures},
}

// broken is the first rule that the request breaks, "" is none.
func broken(r *request, said []*genai.Content) string {
	for _, rule := range rules {
		if err := rule.check(r, said); err != nil {
			return rule.name + ": " + err.Error()
		}
	}
	return ""
}

func oneTool(r *request, _ []*genai.Content) error {
	if len(r.Tools) != 1 || r.Tools[0].ComputerUse == nil ||
		r.Tools[0].ComputerUse.Environment != genai.EnvironmentBrowser {
		return fmt.Errorf("the only tool is ComputerUse in a browser")
	}
	return nil
}

// roles: user and model take turns, the user has the first word and the last, and nobody says nothing.
func roles(r *request, _ []*genai.Content) error {
	if len(r.Contents)%2 == 0 {
		return fmt.Errorf("%d contents: the user has the first word and the last", len(r.Contents))
	}
	for i, c := range r.Contents {
		if want := []string{genai.RoleUser, genai.RoleModel}[i%2]; c.Role != want {
			return fmt.Errorf("content %d is the %s's, want the %s's", i, c.Role, want)
		}
		if len(c.Parts) == 0 {
			return fmt.Errorf("content %d is empty", i)
		}
	}
	return nil
}

// echoed: what the model said comes back as it was, with its thought signatures.
func echoed(r *request, said []*genai.Content) error {
	var back []*genai.Content
	for _, c := range r.Contents {
		if c.Role == genai.RoleModel {
			back = append(back, c)
		}
	}
	if len(back) > len(said) {
		return fmt.Errorf("%d contents of the model, which said %d", len(back), len(said))
	}
	for i, c := range back {
		was := said[len(said)-len(back)+i]
		a, errA := json.Marshal(c)
		b, errB := json.Marshal(was)
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			return fmt.Errorf("the model said %s and not %s", b, a)
		}
	}
	return nil
}

// calls are those of a content.
func calls(c *genai.Content) []*genai.FunctionCall {
	var out []*genai.FunctionCall
	for _, p := range c.Parts {
		if p.FunctionCall != nil {
			out = append(out, p.FunctionCall)
		}
	}
	return out
}

func responses(c *genai.Content) []*genai.FunctionResponse {
	var out []*genai.FunctionResponse
	for _, p := range c.Parts {
		if p.FunctionResponse != nil {
			out = append(out, p.FunctionResponse)
		}
	}
	return out
}

// answered: each call has one answer in the next content, in order, with its name and id, and nothing else is
// answered.
func answered(r *request, _ []*genai.Content) error {
	var asked []*genai.FunctionCall
	for i, c := range r.Contents {
		if c.Role == genai.RoleModel {
			asked = calls(c)
			continue
		}
		got := responses(c)
		if len(got) != len(asked) {
			return fmt.Errorf("content %d answers %d of %d calls", i, len(got), len(asked))
		}
		for j, a := range got {
			if a.Name != asked[j].Name || a.ID != asked[j].ID {
				return fmt.Errorf("content %d answers %q %q where %q %q was called", i, a.Name, a.ID,
					asked[j].Name, asked[j].ID)
			}
			_, output := a.Response["output"]
			_, failed := a.Response["error"]
			if output == failed {
				return fmt.Errorf("content %d: an answer has either output or error", i)
			}
		}
	}
	return nil
}

// addressed: every answer says what page it is.
func addressed(r *request, _ []*genai.Content) error {
	for i, c := range r.Contents {
		for _, a := range responses(c) {
			if url, _ := a.Response["url"].(string); url == "" {
				return fmt.Errorf("content %d: an answer without a url", i)
			}
		}
	}
	return nil
}

// acknowledged: a call that wanted a person's consent and was done says that it was given; no other does.
func acknowledged(r *request, _ []*genai.Content) error {
	var asked []*genai.FunctionCall
	for i, c := range r.Contents {
		if c.Role == genai.RoleModel {
			asked = calls(c)
			continue
		}
		for j, a := range responses(c) {
			_, ack := a.Response["safety_acknowledgement"]
			_, done := a.Response["output"]
			d, _ := asked[j].Args["safety_decision"].(map[string]any)
			switch wanted := d["decision"] == "require_confirmation"; {
			case wanted && done && !ack:
				return fmt.Errorf("content %d: %s was done without an acknowledgement", i, a.Name)
			case !wanted && ack:
				return fmt.Errorf("content %d: %s is acknowledged and nobody asked", i, a.Name)
			}
		}
	}
	return nil
}

// most are how many contents may have a picture: those that are kept and those that gather before some are
// dropped.
const most = 3 + 5

// pictures: they decode as what they say they are, are no larger than what the model is tuned for, and are
// not too many.
func pictures(r *request, _ []*genai.Content) error {
	n := 0
	for i, c := range r.Contents {
		had := false
		for _, b := range blobs(c) {
			had = true
			cfg, kind, err := image.DecodeConfig(bytes.NewReader(b.Data))
			if err != nil || b.MIMEType != "image/"+kind {
				return fmt.Errorf("content %d: a picture of type %s: %v", i, b.MIMEType, err)
			}
			if max(cfg.Width, cfg.Height) > longEdge {
				return fmt.Errorf("content %d: a picture of %d×%d", i, cfg.Width, cfg.Height)
			}
		}
		if had {
			n++
		}
	}
	if n > most {
		return fmt.Errorf("%d contents with pictures, at most %d", n, most)
	}
	return nil
}

func blobs(c *genai.Content) []*genai.FunctionResponseBlob {
	var out []*genai.FunctionResponseBlob
	for _, p := range c.Parts {
		if p.InlineData != nil {
			out = append(out, &genai.FunctionResponseBlob{MIMEType: p.InlineData.MIMEType,
				Data: p.InlineData.Data})
		}
		if p.FunctionResponse != nil {
			for _, q := range p.FunctionResponse.Parts {
				if q.InlineData != nil {
					out = append(out, q.InlineData)
				}
			}
		}
	}
	return out
}
