package trajectories

import "embed"

// Schema is the JSON Schema (draft 2020-12) of one journal line, generated from the types of
// this package and package cua with their comments. Fields that it does not know are allowed,
// as a reader ignores them.
//
//go:embed schema.json
var Schema []byte

//go:embed schema_*.json
var schemas embed.FS

// SchemaNames are what there is a schema of: a journal line (record), what `run --json` prints (run_result),
// the document of WriteJSON (export) and a line of WriteJSONL (export_line).
func SchemaNames() []string { return []string{"record", "run_result", "export", "export_line"} }

// SchemaOf is the schema of that name; nil is none.
func SchemaOf(name string) []byte {
	if name == "record" {
		return Schema
	}
	text, err := schemas.ReadFile("schema_" + name + ".json")
	if err != nil {
		return nil
	}
	return text
}
