// Package wiretest supports tests of brains that call a model: the vendors' own schemas as validators,
// fake services with faults, and fake models that see the pictures.
package wiretest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schemas are the components of an OpenAPI 3.1 file.
type Schemas struct{ compiler *jsonschema.Compiler }

// location is the name of the file in the compiler. Nothing is loaded from there.
const location = "file:///openapi.json"

// OpenAPI reads a gzipped OpenAPI file. Without the file the test is skipped: we may not distribute the
// vendors' files.
func OpenAPI(t testing.TB, path string) *Schemas {
	t.Helper()
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no schema of the vendor at %s: what is sent cannot be validated here", path)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	modernize(doc)
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseRegexpEngine(compileECMA)
	if err := c.AddResource(location, doc); err != nil {
		t.Fatal(err)
	}
	return &Schemas{c}
}

// modernize rewrites the recursion keywords of draft 2019, which a draft-2020 compiler ignores, and lets
// the discriminator of a union choose the variant: a value that several variants match (a message in
// OpenAI's file) is valid.
func modernize(v any) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "$recursiveAnchor")
		if ref, ok := v["$recursiveRef"]; ok {
			delete(v, "$recursiveRef")
			v["$ref"] = ref
		}
		if one, ok := v["oneOf"]; ok && v["discriminator"] != nil {
			delete(v, "oneOf")
			v["anyOf"] = one
		}
		for _, x := range v {
			modernize(x)
		}
	case []any:
		for _, x := range v {
			modernize(x)
		}
	}
}

var unicodeEscape = regexp.MustCompile(`\\u([0-9a-fA-F]{4})`)

// compileECMA compiles the patterns of JSON Schema, whose \uXXXX is \x{XXXX} in Go.
func compileECMA(pattern string) (jsonschema.Regexp, error) {
	re, err := regexp.Compile(unicodeEscape.ReplaceAllString(pattern, `\x{$1}`))
	if err != nil {
		return nil, err
	}
	return (*ecma)(re), nil
}

type ecma regexp.Regexp

func (e *ecma) MatchString(s string) bool { return (*regexp.Regexp)(e).MatchString(s) }
func (e *ecma) String() string            { return (*regexp.Regexp)(e).String() }

// Component is the schema of that name. The test fails if the file has none.
func (s *Schemas) Component(t testing.TB, name string) *Schema {
	t.Helper()
	schema, err := s.compiler.Compile(location + "#/components/schemas/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return &Schema{name, schema}
}

// Schema validates bodies against one component. It is safe for use by several goroutines.
type Schema struct {
	name   string
	schema *jsonschema.Schema
}

// Check returns an error if body does not match the schema.
func (s *Schema) Check(body []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("no JSON: %w", err)
	}
	if err := s.schema.Validate(v); err != nil {
		// the list of mismatches of all variants of a union is very long
		return fmt.Errorf("%s: %.1500s", s.name, err.Error())
	}
	return nil
}

// Value is body as an untyped value, for rules that no schema holds.
func Value(t testing.TB, body []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("no JSON object: %v", err)
	}
	return v
}
