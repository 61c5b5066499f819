package wiretest

import "testing"

const openAI = "../../../../shared/reference/openai-openapi.json.gz"

func TestSchemasCatchWhatIsWrong(t *testing.T) {
	s := OpenAPI(t, openAI)
	response := s.Component(t, "CreateResponse")
	chat := s.Component(t, "CreateChatCompletionRequest")
	shot := `{"type":"computer_screenshot","image_url":"data:image/png;base64,aa","detail":"original"}`
	for _, row := range []struct {
		name   string
		schema *Schema
		body   string
		valid  bool
	}{
		{"a computer call answered", response, `{"model":"m","tools":[{"type":"computer"}],"input":[{"type":"computer_call_output","call_id":"c1","output":` + shot + `}]}`, true},
		{"without call_id", response, `{"model":"m","input":[{"type":"computer_call_output","output":` + shot + `}]}`, false},
		{"an empty call_id", response, `{"model":"m","input":[{"type":"computer_call_output","call_id":"","output":` + shot + `}]}`, false},
		{"an unknown tool", response, `{"model":"m","input":"x","tools":[{"type":"komputer"}]}`, false},
		{"a preview tool without its size", response, `{"model":"m","input":"x","tools":[{"type":"computer_use_preview","environment":"browser"}]}`, false},
		{"a chat", chat, `{"model":"m","messages":[{"role":"user","content":"x"}]}`, true},
		{"a chat with a role that is none", chat, `{"model":"m","messages":[{"role":"page","content":"x"}]}`, false},
		{"no JSON", chat, `{`, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			if err := row.schema.Check([]byte(row.body)); (err == nil) != row.valid {
				t.Errorf("valid %v, want %v: %v", err == nil, row.valid, err)
			}
		})
	}
}
