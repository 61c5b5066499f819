package trajectories

import (
	"bytes"
	"encoding/json"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	generator "github.com/invopop/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

const module = "github.com/cua-runner/cua-runner"

// enums are the closed lists that a schema can name. Event kinds are open to readers.
func enums() map[reflect.Type][]string {
	return map[reflect.Type][]string{
		reflect.TypeFor[RecordType]():      {"header", "start", "intent", "step", "event", "end"},
		reflect.TypeFor[cua.EndReason]():   words(cua.EndReasons()),
		reflect.TypeFor[cua.Reason]():      words(cua.Reasons()),
		reflect.TypeFor[cua.DoneCode]():    words(cua.DoneCodes()),
		reflect.TypeFor[cua.FailureKind](): words(cua.FailureKinds()),
		reflect.TypeFor[cua.RewindError](): words(cua.RewindErrors()),
		reflect.TypeFor[cua.Verdict]():     words([]cua.Verdict{cua.Pass, cua.Accept, cua.Replace, cua.Refuse, cua.Pause, cua.Halt}),
		reflect.TypeFor[cua.Level]():       words([]cua.Level{cua.NoteLevel, cua.Soft, cua.Hard}),
		// A proposal that could not be read has no kind.
		reflect.TypeFor[cua.Kind]():         append(words(cua.Kinds()), ""),
		reflect.TypeFor[cua.VerifyReason](): words([]cua.VerifyReason{cua.GlobalChanged, cua.RegionChanged, cua.GlobalAndRegionChanged, cua.GlobalAndRegionStable}),
	}
}

func words[T ~string](list []T) []string {
	var out []string
	for _, w := range list {
		out = append(out, string(w))
	}
	return out
}

// generate makes the schema of Record.
func generate(t *testing.T) []byte {
	t.Helper()
	closed := enums()
	r := &generator.Reflector{AllowAdditionalProperties: true, Anonymous: true,
		Mapper: func(typ reflect.Type) *generator.Schema {
			if typ == reflect.TypeFor[cua.TileSet]() {
				return &generator.Schema{Type: "string", Pattern: `^([0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*)?$`,
					Description: "sorted tile numbers as ranges, row by row from the top left, from 0: \"3-7,12\""}
			}
			if typ == reflect.TypeFor[cua.RestoredOK]() {
				return &generator.Schema{Enum: []any{true, "partial", false}, Description: "how well a rewind went"}
			}
			if list, ok := closed[typ]; ok {
				s := &generator.Schema{Type: "string"}
				for _, w := range list {
					s.Enum = append(s.Enum, w)
				}
				return s
			}
			return nil
		}}
	for _, dir := range []string{".", "../cua"} {
		must(t, r.AddGoComments(module+"/trajectories", dir))
	}
	fixed := map[string]string{} // comments of ../cua land under a path of their own
	for k, v := range r.CommentMap {
		fixed[strings.Replace(k, module+"/trajectories/../cua", module+"/cua", 1)] = v
	}
	maps.Copy(r.CommentMap, fixed)
	s := r.Reflect(&Record{})
	s.ID = generator.ID("https://" + module + "/trajectories/schema.json")
	s.Title = "One line of a cua-runner journal"
	text, err := json.MarshalIndent(s, "", " ")
	must(t, err)
	return append(text, '\n')
}

func TestSchemaIsThatOfTheTypes(t *testing.T) {
	compare(t, "schema.json", generate(t))
}

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema))
	must(t, err)
	c := jsonschema.NewCompiler()
	must(t, c.AddResource("record.json", doc))
	s, err := c.Compile("record.json")
	must(t, err)
	return s
}

func TestWrittenJournalsFollowTheSchema(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	writeEpisode(t, dir)
	s := compiled(t)
	for i, line := range bytes.Split(bytes.TrimSpace(goldenJournal(t)), []byte("\n")) {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
		must(t, err)
		if err := s.Validate(v); err != nil {
			t.Errorf("line %d: %v", i+1, err)
		}
	}
}

func TestEmptyRecordsFollowTheSchema(t *testing.T) {
	s := compiled(t)
	for _, r := range []Record{{Type: HeaderRecord, Header: &Header{}}, {Type: StartRecord, Start: &cua.Observation{}},
		{Type: StepRecord, Step: &cua.Step{Effect: &cua.Effect{Tiles: &cua.TileDiff{}}}}, {Type: EventRecord, Event: &Event{}},
		{Type: EndRecord, End: &End{Reason: cua.EndDone}}} {
		text, err := json.Marshal(&r)
		must(t, err)
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		must(t, err)
		if err := s.Validate(v); err != nil {
			t.Errorf("%s: %v", r.Type, err)
		}
	}
}

func TestSchemaRefuses(t *testing.T) {
	s := compiled(t)
	for name, line := range map[string]string{
		"no type":          `{"end":{"reason":"done","success":true,"totals":{"steps":1}}}`,
		"unknown type":     `{"type":"haiku"}`,
		"unknown end":      `{"type":"end","end":{"reason":"bored","success":true,"totals":{"steps":1}}}`,
		"number as text":   `{"type":"intent","intent":{"number":"1","action":{"kind":"click"}}}`,
		"tiles as list":    `{"type":"step","step":{"number":1,"decision":1,"proposed":{"kind":"click"},"after":{"url":""},"effect":{"tiles":{"cols":1,"rows":1,"changed":[1,2]}}}}`,
		"unknown action":   `{"type":"intent","intent":{"number":1,"action":{"kind":"levitate"}}}`,
		"missing number":   `{"type":"intent","intent":{"action":{"kind":"click"}}}`,
		"a list of things": `[]`,
	} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		must(t, err)
		if s.Validate(v) == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

// Each exported field of a record says what it is: the schema is a reader's only manual.
func TestSchemaDescribesItsTypes(t *testing.T) {
	var doc struct {
		Defs map[string]struct {
			Description string `json:"description"`
		} `json:"$defs"`
	}
	must(t, json.Unmarshal(Schema, &doc))
	if len(doc.Defs) < 20 {
		t.Fatalf("%d types", len(doc.Defs))
	}
	for _, name := range slices.Sorted(maps.Keys(doc.Defs)) {
		if doc.Defs[name].Description == "" {
			t.Errorf("%s has no description", name)
		}
	}
}
