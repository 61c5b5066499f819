package trajectories_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/formats"
	generator "github.com/invopop/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

const module = "github.com/cua-runner/cua-runner"

// enums are the closed lists that a schema can name. Event kinds are open to readers.
func enums() map[reflect.Type][]string {
	return map[reflect.Type][]string{
		reflect.TypeFor[trajectories.RecordType](): {"header", "start", "intent", "step", "event", "end"},
		reflect.TypeFor[cua.EndReason]():           words(cua.EndReasons()),
		reflect.TypeFor[cua.Reason]():              words(cua.Reasons()),
		reflect.TypeFor[cua.DoneCode]():            words(cua.DoneCodes()),
		reflect.TypeFor[cua.FailureKind]():         words(cua.FailureKinds()),
		reflect.TypeFor[cua.RewindError]():         words(cua.RewindErrors()),
		reflect.TypeFor[cua.Verdict](): words([]cua.Verdict{cua.Pass, cua.Accept, cua.Replace, cua.Refuse,
			cua.Pause, cua.Halt}),
		reflect.TypeFor[cua.Level](): words([]cua.Level{cua.NoteLevel, cua.Soft, cua.Hard}),
		// A proposal that could not be read has no kind.
		reflect.TypeFor[cua.Kind](): append(words(cua.Kinds()), ""),
		reflect.TypeFor[cua.VerifyReason](): words([]cua.VerifyReason{cua.GlobalChanged, cua.RegionChanged,
			cua.GlobalAndRegionChanged, cua.GlobalAndRegionStable}),
	}
}

func words[T ~string](list []T) []string {
	var out []string
	for _, w := range list {
		out = append(out, string(w))
	}
	return out
}

// described are the types of the schemas, and the titles of these.
func described() map[string]struct {
	of    any
	title string
} {
	return map[string]struct {
		of    any
		title string
	}{
		"record":      {&trajectories.Record{}, "One line of a cua-runner journal"},
		"run_result":  {&trajectories.RunResult{}, "The result of a cua-runner episode"},
		"export":      {&formats.Document{}, "A JSON export of cua-runner"},
		"export_line": {&formats.Line{}, "One line of a JSONL export of cua-runner"},
	}
}

// generate makes the schema of that name.
func generate(t *testing.T, name string) []byte {
	t.Helper()
	closed := enums()
	if name != "record" { // a result has no end yet while its episode has none
		end := reflect.TypeFor[cua.EndReason]()
		closed[end] = append(closed[end], "")
	}
	r := &generator.Reflector{AllowAdditionalProperties: true, Anonymous: true,
		Mapper: func(typ reflect.Type) *generator.Schema {
			if typ == reflect.TypeFor[cua.TileSet]() {
				return &generator.Schema{Type: "string", Pattern: `^([0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*)?$`,
					Description: "sorted tile numbers as ranges, row by row from the top left, from 0: " +
						"\"3-7,12\""}
			}
			if typ == reflect.TypeFor[cua.RestoredOK]() {
				return &generator.Schema{Enum: []any{true, "partial", false},
					Description: "how well a rewind went"}
			}
			if typ == reflect.TypeFor[trajectories.Perceptual]() {
				return &generator.Schema{Type: "object",
					Description: "the verifier's answers, counted as checked and no_effect; {} when " +
						"nothing was checked"}
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
	for _, dir := range []string{".", "./formats", "../cua"} {
		must(t, r.AddGoComments(module+"/trajectories", dir))
	}
	fixed := map[string]string{} // comments of ../cua land under a path of their own
	for k, v := range r.CommentMap {
		fixed[strings.Replace(k, module+"/trajectories/../cua", module+"/cua", 1)] = v
	}
	maps.Copy(r.CommentMap, fixed)
	s := r.Reflect(described()[name].of)
	s.ID = generator.ID("https://" + module + "/trajectories/" + schemaFile(name))
	s.Title = described()[name].title
	text, err := json.MarshalIndent(s, "", " ")
	must(t, err)
	return append(text, '\n')
}

func schemaFile(name string) string {
	if name == "record" {
		return "schema.json"
	}
	return "schema_" + name + ".json"
}

func TestSchemaIsThatOfTheTypes(t *testing.T) {
	for _, name := range trajectories.SchemaNames() {
		compare(t, schemaFile(name), generate(t, name))
	}
	if trajectories.SchemaOf("haiku") != nil {
		t.Error("there is a schema of nothing")
	}
}

// What is exported follows the schema of its form, and an episode of which nothing is known does.
func TestExportsFollowTheirSchemas(t *testing.T) {
	tr, bare := goldenEpisode(t), &trajectories.Trajectory{Steps: []cua.Step{{N: 1, Decision: 1}}}
	for _, ts := range [][]*trajectories.Trajectory{{tr}, {bare}, {tr, bare}} {
		var doc, lines, result bytes.Buffer
		must(t, formats.WriteJSON(&doc, ts, true))
		must(t, formats.WriteJSONL(&lines, ts, true))
		must(t, json.NewEncoder(&result).Encode(trajectories.Summarize(ts[0], ts[0].Incidents)))
		forms := map[string][][]byte{"export": {doc.Bytes()}, "run_result": {result.Bytes()},
			"export_line": bytes.Split(bytes.TrimSpace(lines.Bytes()), []byte("\n"))}
		for name, texts := range forms {
			s := compiledOf(t, name)
			for _, text := range texts {
				v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
				must(t, err)
				if err := s.Validate(v); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
}

// A program that walks an export finds each list, if empty, and the parts of a page as pairs in the order of
// their names; each line says how its episode ended.
func TestExportsCanBeWalked(t *testing.T) {
	page := cua.Observation{DOMParts: map[string]string{"main": "m", "aside": "a"}}
	end := &trajectories.End{Reason: cua.EndMaxSteps}
	tr := &trajectories.Trajectory{Steps: []cua.Step{{N: 1, Decision: 1, After: page}}, End: end}
	var b bytes.Buffer
	must(t, formats.WriteJSONL(&b, []*trajectories.Trajectory{tr}, false))
	for _, want := range []string{`"signals":[]`, `"notes":[]`, `"rulings":[]`,
		`"dom_parts":[["aside","a"],["main","m"]]`,
		`"success":false`, `"end_reason":"max_steps"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in %s", want, &b)
		}
	}
	tr.End = nil
	b.Reset()
	must(t, formats.WriteJSONL(&b, []*trajectories.Trajectory{tr}, false))
	if text := b.String(); strings.Contains(text, `"success"`) || strings.Contains(text, `"end_reason"`) {
		t.Errorf("an episode that has not ended: %s", text)
	}
	result, err := json.Marshal(trajectories.Summarize(tr, nil))
	must(t, err)
	for _, want := range []string{`"incidents":[]`, `"shadow":[]`, `"sentinels":[]`} {
		if !strings.Contains(string(result), want) {
			t.Errorf("no %s in %s", want, result)
		}
	}
}

func compiled(t *testing.T) *jsonschema.Schema { t.Helper(); return compiledOf(t, "record") }

func compiledOf(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(trajectories.SchemaOf(name)))
	must(t, err)
	c := jsonschema.NewCompiler()
	must(t, c.AddResource("record.json", doc))
	s, err := c.Compile("record.json")
	must(t, err)
	return s
}

func TestWrittenJournalsFollowTheSchema(t *testing.T) {
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
	for _, r := range []trajectories.Record{{Type: trajectories.HeaderRecord, Header: &trajectories.Header{}},
		{Type: trajectories.StartRecord, Start: &cua.Observation{}},
		{Type: trajectories.StepRecord, Step: &cua.Step{Effect: &cua.Effect{Tiles: &cua.TileDiff{}}}}, {Type: trajectories.EventRecord, Event: &trajectories.Event{}},
		{Type: trajectories.EndRecord, End: &trajectories.End{Reason: cua.EndDone}}} {
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
	must(t, json.Unmarshal(trajectories.Schema, &doc))
	if len(doc.Defs) < 20 {
		t.Fatalf("%d types", len(doc.Defs))
	}
	for _, name := range slices.Sorted(maps.Keys(doc.Defs)) {
		if doc.Defs[name].Description == "" {
			t.Errorf("%s has no description", name)
		}
	}
}
