package gemini

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"strings"
	"testing"

	"google.golang.org/genai"
)

// picture is a PNG of that size.
func picture(t testing.TB, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// good is a request that keeps every rule, and what the model had said before it.
func good(t testing.TB) (*request, []*genai.Content) {
	said := &genai.Content{Role: genai.RoleModel, Parts: []*genai.Part{
		{FunctionCall: &genai.FunctionCall{ID: "a", Name: "click", Args: map[string]any{"x": 1.0, "y": 2.0,
			"safety_decision": map[string]any{"decision": "require_confirmation"}}}, ThoughtSignature: []byte{1, 2, 3}},
		{FunctionCall: &genai.FunctionCall{ID: "b", Name: "type", Args: map[string]any{"text": "x"}}},
	}}
	shot := []*genai.FunctionResponsePart{{InlineData: &genai.FunctionResponseBlob{MIMEType: "image/png",
		Data: picture(t, 1280, 800)}}}
	return &request{
		Tools: []*genai.Tool{{ComputerUse: &genai.ComputerUse{Environment: genai.EnvironmentBrowser}}},
		Contents: []*genai.Content{
			{Role: genai.RoleUser, Parts: []*genai.Part{{Text: "task"}, {InlineData: &genai.Blob{MIMEType: "image/png", Data: picture(t, 1280, 800)}}}},
			clone(t, said),
			{Role: genai.RoleUser, Parts: []*genai.Part{
				{FunctionResponse: &genai.FunctionResponse{ID: "a", Name: "click", Response: map[string]any{"url": "https://a.test/", "output": "Done.", "safety_acknowledgement": "true"}}},
				{FunctionResponse: &genai.FunctionResponse{ID: "b", Name: "type", Response: map[string]any{"url": "https://a.test/", "error": "Failed"}, Parts: shot}},
			}},
		},
	}, []*genai.Content{said}
}

func clone(t testing.TB, c *genai.Content) *genai.Content {
	t.Helper()
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	out := &genai.Content{}
	if err := json.Unmarshal(b, out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestBadRequestsAreCaught(t *testing.T) {
	if r, said := good(t); broken(r, said) != "" {
		t.Fatalf("the good request: %s", broken(r, said))
	}
	answers := func(r *request) []*genai.FunctionResponse { return responses(r.Contents[2]) }
	for _, row := range []struct {
		name, rule string
		spoil      func(*request)
	}{
		{"no tool", "tool", func(r *request) { r.Tools = []*genai.Tool{{}} }},
		{"two tools", "tool", func(r *request) { r.Tools = append(r.Tools, r.Tools[0]) }},
		{"another environment", "tool", func(r *request) { r.Tools[0].ComputerUse.Environment = genai.EnvironmentMobile }},
		{"the model has the last word", "roles", func(r *request) { r.Contents = r.Contents[:2] }},
		{"the user twice in a row", "roles", func(r *request) { r.Contents[1].Role = genai.RoleUser }},
		{"an empty content", "roles", func(r *request) { r.Contents[0].Parts = nil }},
		{"a signature that is lost", "echo", func(r *request) { r.Contents[1].Parts[0].ThoughtSignature = nil }},
		{"an argument that was changed", "echo", func(r *request) { r.Contents[1].Parts[1].FunctionCall.Args["text"] = "y" }},
		{"a call that was never made", "echo", func(r *request) {
			r.Contents[1].Parts = append(r.Contents[1].Parts, &genai.Part{FunctionCall: function("wait",
				nil)})
		}},
		{"what was never said", "echo", func(r *request) { r.Contents = append(r.Contents, r.Contents[1], r.Contents[2]) }},
		{"a call without an answer", "answers", func(r *request) { r.Contents[2].Parts = r.Contents[2].Parts[:1] }},
		{"an answer to nothing", "answers", func(r *request) { r.Contents[0].Parts = append(r.Contents[0].Parts, r.Contents[2].Parts[0]) }},
		{"answers in another order", "answers", func(r *request) { p := r.Contents[2].Parts; p[0], p[1] = p[1], p[0] }},
		{"an answer with another id", "answers", func(r *request) { answers(r)[0].ID = "c" }},
		{"an answer with another name", "answers", func(r *request) { answers(r)[1].Name = "press" }},
		{"an answer that says nothing", "answers", func(r *request) { delete(answers(r)[1].Response, "error") }},
		{"an answer that says both", "answers", func(r *request) { answers(r)[1].Response["output"] = "Done." }},
		{"an answer without an address", "address", func(r *request) { delete(answers(r)[0].Response, "url") }},
		{"a confirmation that was bypassed", "safety", func(r *request) { delete(answers(r)[0].Response, "safety_acknowledgement") }},
		{"a confirmation that nobody asked for", "safety", func(r *request) { answers(r)[1].Response["safety_acknowledgement"] = "true" }},
		{"a picture of another type", "pictures", func(r *request) { r.Contents[0].Parts[1].InlineData.MIMEType = "image/jpeg" }},
		{"a picture that is none", "pictures", func(r *request) { answers(r)[1].Parts[0].InlineData.Data = []byte("no") }},
		{"a picture that is too large", "pictures", func(r *request) { r.Contents[0].Parts[1].InlineData.Data = picture(t, longEdge+1, 100) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			r, said := good(t)
			row.spoil(r)
			if got := broken(r, said); !strings.HasPrefix(got, row.rule+": ") {
				t.Errorf("caught by %q, want the rule %s", got, row.rule)
			}
		})
	}
	t.Run("too many pictures", func(t *testing.T) {
		r := &request{Tools: []*genai.Tool{{ComputerUse: &genai.ComputerUse{
			Environment: genai.EnvironmentBrowser}}}}
		var said []*genai.Content
		for range most + 1 {
			said = append(said, &genai.Content{Role: genai.RoleModel, Parts: []*genai.Part{{Text: "hm"}}})
			r.Contents = append(r.Contents, &genai.Content{Role: genai.RoleUser,
				Parts: []*genai.Part{{InlineData: &genai.Blob{MIMEType: "image/png",
					Data: picture(t, 8, 8)}}}}, said[0])
		}
		r.Contents = r.Contents[:len(r.Contents)-1]
		if got := broken(r, said); !strings.HasPrefix(got, "pictures: ") {
			t.Errorf("caught by %q", got)
		}
	})
}

func TestStrictDecoding(t *testing.T) {
	r, _ := good(t)
	body, err := json.Marshal(map[string]any{"contents": r.Contents, "tools": r.Tools})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := decode(body); err != nil {
		t.Fatalf("the good request: %v", err)
	}
	for _, row := range []struct{ name, from, to string }{
		{"an unknown field of the body", `"contents":`, `"messages":[],"contents":`},
		{"an unknown field of a part", `"functionResponse":`, `"function_response":`},
		{"an unknown field of the tool", `"environment":`, `"display_width":1280,"environment":`},
		{"an unknown field of an answer", `"id":"a"`, `"call_id":"a"`},
		{"a wrong type", `"role":"user"`, `"role":1`},
		{"a picture that is no base64", `"mimeType":"image/png"`, `"mimeType":"image/png","data":"%%"`},
	} {
		bad := strings.Replace(string(body), row.from, row.to, 1)
		if bad == string(body) {
			t.Fatalf("%s: nothing was changed", row.name)
		}
		if _, err := decode([]byte(bad)); err == nil {
			t.Errorf("%s was taken", row.name)
		}
	}
}
