package server

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// schemasKey is where an operation's metadata has the schemas that its body may refer to.
const schemasKey = "schemas"

// inWords is a message of huma's about a place, with what is known there where a name is not.
func inWords(c huma.Context, location, message string) string {
	var known []string
	switch {
	case c == nil:
		return message
	case message == "unknown query parameter":
		for _, p := range c.Operation().Parameters {
			if p.In == "query" {
				known = append(known, p.Name)
			}
		}
		slices.Sort(known)
	case message == "unexpected property":
		known = namesAt(c.Operation(), strings.Split(location, "."))
	default:
		return message
	}
	return unknownName(known)
}

func unknownName(known []string) string {
	if len(known) == 0 {
		return "unknown name; none is known here"
	}
	return "unknown name; known: " + joined(known)
}

// namesAt are the names that the body of op may have beside the one at that path, sorted.
func namesAt(op *huma.Operation, path []string) []string {
	schemas, _ := op.Metadata[schemasKey].(huma.Registry)
	if op.RequestBody == nil || schemas == nil {
		return nil
	}
	whole := func(s *huma.Schema) *huma.Schema {
		if s != nil && s.Ref != "" {
			return schemas.SchemaFromRef(s.Ref)
		}
		return s
	}
	at := whole(op.RequestBody.Content["application/json"].Schema)
	for _, name := range path[1 : len(path)-1] { // without body and the unknown name
		name, _, inList := strings.Cut(name, "[")
		next := at.Properties[name]
		if values, ok := at.AdditionalProperties.(*huma.Schema); ok && next == nil {
			next = values
		}
		if next = whole(next); next == nil { // a dot within a name
			continue
		}
		if at = next; inList {
			at = whole(at.Items)
		}
	}
	return slices.Sorted(maps.Keys(at.Properties))
}

// onlyQuery answers a request whose query has other names than these, and false.
func onlyQuery(w http.ResponseWriter, r *http.Request, known ...string) bool {
	for name := range r.URL.Query() {
		if !slices.Contains(known, name) {
			invalid(r.Context(), "query."+name, unknownName(known)).write(w)
			return false
		}
	}
	return true
}
