package trajectories

import _ "embed"

// Schema is the JSON Schema (draft 2020-12) of one journal line, generated from the types of
// this package and package cua with their comments. Fields that it does not know are allowed,
// as a reader ignores them.
//
//go:embed schema.json
var Schema []byte
