package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pb33f/libopenapi/datamodel"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// description is an OpenAPI 3.1 document that answers are held against.
type description struct {
	Paths map[string]map[string]struct {
		OperationID string
		Parameters  []struct{ Name, In string }
		Responses   map[string]struct{ Content map[string]any }
	}
	routes  *http.ServeMux                // finds the path template; refuses two that match the same path
	schemas map[string]*jsonschema.Schema // each "schema" and component by its JSON pointer
}

// describe reads a document. The error says what is not valid: against OpenAPI's own schema, in a JSON
// schema, or by a rule that no schema can hold.
func describe(text []byte) (*description, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	official, err := jsonschema.UnmarshalJSON(strings.NewReader(datamodel.OpenAPI31SchemaData))
	if err != nil {
		return nil, err
	}
	const location, of31 = "file:///openapi.json", "file:///3.1.json"
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := errors.Join(c.AddResource(location, doc), c.AddResource(of31, official)); err != nil {
		return nil, err
	}
	valid, err := c.Compile(of31)
	if err != nil {
		return nil, err
	}
	if err := valid.Validate(doc); err != nil {
		return nil, err
	}
	d := &description{routes: http.NewServeMux(), schemas: map[string]*jsonschema.Schema{}}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, err
	}
	var faults []error
	compile := func(at string) *jsonschema.Schema {
		schema, err := c.Compile(location + at)
		faults = append(faults, err)
		return schema
	}
	walk("#", doc, func(at string, v any) {
		if ref, ok := v.(string); ok && strings.HasSuffix(at, "/$ref") {
			compile(ref)
		}
		if strings.HasSuffix(at, "/schema") || strings.HasPrefix(at, "#/components/schemas/") &&
			strings.Count(at, "/") == 3 {
			d.schemas[at] = compile(at)
		}
	})
	return d, errors.Join(append(faults, d.operations()...)...)
}

// walk visits the values of a JSON document with their pointers.
func walk(at string, v any, visit func(at string, v any)) {
	visit(at, v)
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			walk(at+"/"+escape(k), x, visit)
		}
	case []any:
		for i, x := range v {
			walk(at+"/"+strconv.Itoa(i), x, visit)
		}
	}
}

// escape makes a name a part of a JSON pointer.
var escape = strings.NewReplacer("~", "~0", "/", "~1").Replace

var inBraces = regexp.MustCompile(`{([^}]*)}`)

// operations checks what no schema can, and fills the routes.
func (d *description) operations() []error {
	var faults []error
	ids := map[string]bool{}
	for path, item := range d.Paths {
		d.routes.Handle(path, http.NotFoundHandler())
		var want []string
		for _, m := range inBraces.FindAllStringSubmatch(path, -1) {
			want = append(want, m[1])
		}
		slices.Sort(want)
		for method, op := range item {
			if ids[op.OperationID] {
				faults = append(faults, fmt.Errorf("%s %s: the operationId %s is taken", method, path,
					op.OperationID))
			}
			ids[op.OperationID] = true
			if len(op.Responses) == 0 {
				faults = append(faults, fmt.Errorf("%s %s has no response", method, path))
			}
			var got []string
			for _, p := range op.Parameters {
				if p.In == "path" {
					got = append(got, p.Name)
				}
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				faults = append(faults, fmt.Errorf("%s %s: the parameters are %v, the path has %v",
					method, path, got, want))
			}
		}
	}
	return faults
}

// fault says in what an answer differs from the description. A path or method that is not described is
// answered with 404 or 405. HEAD is answered as GET is, without the body.
func (d *description) fault(r *http.Request, resp *http.Response, body []byte) error {
	_, path := d.routes.Handler(r)
	item, refused := d.Paths[path], http.StatusNotFound
	if item != nil {
		refused = http.StatusMethodNotAllowed
	}
	method := strings.Replace(strings.ToLower(r.Method), "head", "get", 1)
	op, ok := item[method]
	if !ok && resp.StatusCode == refused {
		return nil
	}
	if !ok {
		return fmt.Errorf("%s %s is not described", r.Method, r.URL.Path)
	}
	status := strconv.Itoa(resp.StatusCode)
	if _, ok := op.Responses[status]; !ok {
		status = "default"
	}
	said, ok := op.Responses[status]
	if !ok {
		return fmt.Errorf("the status %d is not described", resp.StatusCode)
	}
	if len(said.Content) == 0 {
		if len(body) > 0 {
			return fmt.Errorf("no body is described, got %.100q", body)
		}
		return nil
	}
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // "" is not described
	family, _, _ := strings.Cut(media, "/")
	at := "#/paths/" + escape(path) + "/" + method + "/responses/" + status + "/content/"
	for _, m := range []string{media, family + "/*", "*/*"} {
		schema := d.schemas[at+escape(m)+"/schema"]
		if schema == nil {
			continue
		}
		if r.Method == http.MethodHead {
			return nil
		}
		var v any = string(body)
		if strings.HasSuffix(m, "json") {
			var err error
			if v, err = jsonschema.UnmarshalJSON(bytes.NewReader(body)); err != nil {
				return err
			}
		}
		return schema.Validate(v)
	}
	return fmt.Errorf("the media type %s is not described", media)
}
