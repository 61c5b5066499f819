package server

import (
	"bytes"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "rewrite openapi.json")

// checkedIn is the description that the server under test serves.
var checkedIn = sync.OnceValues(func() (*description, error) {
	text, err := os.ReadFile("openapi.json")
	if err != nil {
		return nil, err
	}
	return describe(text)
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
	if _, err := describe(want); err != nil {
		t.Error(err)
	}
}

// conforms holds an answer against the description, which does not describe itself.
func (s *site) conforms(r *http.Request, resp *http.Response, body []byte) {
	s.t.Helper()
	if r.URL.Path == "/openapi.json" {
		return
	}
	d, err := checkedIn()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := d.fault(r, resp, body); err != nil {
		s.t.Errorf("%s %s, %d: %v", r.Method, r.URL.Path, resp.StatusCode, err)
	}
}

func TestAFaultyDescriptionIsFound(t *testing.T) {
	text, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ name, old, new, fault string }{
		{"another version", `"openapi": "3.1.0"`, `"openapi": "3.0.3"`, "/openapi"},
		{"no title", `"title": `, `"titel": `, "'title'"},
		{"a misspelt field of an operation", `"operationId": "list"`, `"operationID": "list"`, "operationID"},
		{"a response without a description", `"description": "It has ended, and the reader has all of it."`,
			`"x-description": ""`, "'description'"},
		{"a reference to nothing", `#/components/schemas/Problem"`, `#/components/schemas/Problems"`,
			"Problems"},
		{"a type that is none", `"type": "boolean"`, `"type": "bool"`, "not valid against metaschema"},
		{"two operations of one name", `"operationId": "list"`, `"operationId": "create"`, "create is taken"},
		{"operations without responses", `"responses": {`, `"x-responses": {`, "get /healthz has no response"},
		{"a parameter that is not in the path", `"name": "sha256"`, `"name": "sha512"`, "[id sha512]"},
		{"a path without its parameter", `/blobs/{sha256}"`, `/blobs/last"`, "[id sha256], the path has [id]"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := describe(bytes.ReplaceAll(text, []byte(row.old), []byte(row.new)))
			if err == nil || !strings.Contains(err.Error(), row.fault) {
				t.Errorf("want an error with %q, got %v", row.fault, err)
			}
		})
	}
}

func TestAnAnswerIsHeldAgainstTheDescription(t *testing.T) {
	d, err := checkedIn()
	if err != nil {
		t.Fatal(err)
	}
	const list, kind, problem = "/v1/cua", "application/json", `{"type":"t","title":"t","status":404,
		"detail":"d","instance":"i","code":"not_found"}`
	for _, row := range []struct {
		name, method, path, kind string
		status                   int
		body, fault              string
	}{
		{"a list", "GET", list, kind + "; charset=utf-8", 200, `{"items":[]}`, ""},
		{"a problem", "GET", list + "/x", "application/problem+json", 404, problem, ""},
		{"a picture", "GET", list + "/x/blobs/0", "image/png", 200, "\x89PNG", ""},
		{"a head", "HEAD", list, kind, 200, "", ""},
		{"nothing", "DELETE", list + "/x", "", 204, "", ""},
		{"a path that there is not", "GET", "/v2", "text/plain", 404, "", ""},
		{"a method that there is not", "PUT", list, "text/plain", 405, "", ""},

		{"a field of another type", "GET", list, kind, 200, `{"items":{}}`, "/items"},
		{"a field is missing", "GET", list, kind, 200, `{}`, "'items'"},
		{"another field", "GET", list, kind, 200, `{"items":[],"x":1}`, "'x'"},
		{"half a body", "GET", list, kind, 200, `{"items":[]`, "EOF"},
		{"another media type", "GET", list, "text/html", 200, "", "media type text/html"},
		{"no media type", "GET", list, "", 200, "", "media type"},
		{"another status", "GET", list, kind, 418, `{}`, "status 418"},
		{"another method", "PUT", list, kind, 200, `{}`, "PUT /v1/cua"},
		{"another path", "GET", "/v2", kind, 200, `{}`, "GET /v2"},
		{"a path that is longer", "GET", list + "/x/steps/1", kind, 200, `{}`, "/steps/1"},
		{"a body where there is none", "DELETE", list + "/x", kind, 204, `{}`, "no body"},
	} {
		t.Run(row.name, func(t *testing.T) {
			resp := &http.Response{StatusCode: row.status, Header: http.Header{"Content-Type": {row.kind}}}
			err := d.fault(httptest.NewRequest(row.method, row.path, nil), resp, []byte(row.body))
			if row.fault == "" && err != nil {
				t.Error(err)
			}
			if row.fault != "" && (err == nil || !strings.Contains(err.Error(), row.fault)) {
				t.Errorf("want an error with %q, got %v", row.fault, err)
			}
		})
	}
}
