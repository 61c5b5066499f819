package server

import (
	"bytes"
	"flag"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
)

var update = flag.Bool("update", false, "rewrite openapi.json")

// describedOnce is the validator of the description that the server under test serves.
var describedOnce = sync.OnceValues(func() (validator.Validator, error) {
	text, err := os.ReadFile("openapi.json")
	if err != nil {
		return nil, err
	}
	doc, err := libopenapi.NewDocument(text)
	if err != nil {
		return nil, err
	}
	v, errs := validator.NewValidator(doc)
	if len(errs) > 0 {
		return nil, errs[0]
	}
	return v, nil
})

// The description that is checked in is that of the types, and it is a valid OpenAPI document.
func TestOpenAPI(t *testing.T) {
	s := serve(t, t.TempDir(), nil)
	got := append(s.do("GET", "/openapi.json", nil).want(t, 200).body, '\n')
	if *update {
		if err := os.WriteFile("openapi.json", got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("openapi.json is another one: go test ./server -run OpenAPI -update")
	}
	v, err := describedOnce()
	if err != nil {
		t.Fatal(err)
	}
	if ok, faults := v.ValidateDocument(); !ok {
		for _, f := range faults {
			t.Errorf("%s: %s", f.Message, f.Reason)
		}
	}
}

// conforms holds an answer against the description.
func (s *site) conforms(r *http.Request, resp *http.Response, body []byte) {
	s.t.Helper()
	kind := resp.Header.Get("Content-Type")
	if !strings.Contains(kind, "json") || strings.Contains(kind, "jsonl") || r.URL.Path == "/openapi.json" ||
		strings.HasSuffix(r.URL.Path, "/export") || resp.StatusCode == 404 || resp.StatusCode == 405 {
		return
	}
	v, err := describedOnce()
	if err != nil {
		s.t.Fatal(err)
	}
	copied := *resp
	copied.Body = io.NopCloser(bytes.NewReader(body))
	ok, faults := v.ValidateHttpResponse(r, &copied)
	if ok {
		return
	}
	for _, f := range faults {
		s.t.Errorf("%s %s, %d: %s: %s", r.Method, r.URL.Path, resp.StatusCode, f.Message, f.Reason)
		for _, e := range f.SchemaValidationErrors {
			s.t.Errorf("  %s: %s", e.FieldPath, e.Reason)
		}
	}
}
