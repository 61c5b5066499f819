package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cua-runner/cua-runner/trajectories"
)

// openAPI is the description of the API: what huma knows of the Go types, the schemas of package
// trajectories, and the requests that huma does not serve.
func openAPI(api huma.API) ([]byte, error) {
	text, err := json.Marshal(api.OpenAPI())
	if err != nil {
		return nil, fmt.Errorf("server: describing the API: %w", err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	schemas := doc["components"].(map[string]any)["schemas"].(map[string]any)
	own := maps.Clone(schemas)
	for _, name := range []string{"run_result", "record"} {
		var of struct {
			Defs map[string]any `json:"$defs"`
		}
		if err := json.Unmarshal(trajectories.SchemaOf(name), &of); err != nil {
			return nil, fmt.Errorf("server: the schema %s: %w", name, err)
		}
		for def, schema := range of.Defs {
			if _, taken := own[def]; taken && def != "Size" {
				return nil, fmt.Errorf("server: two schemas are called %s", def)
			}
			schemas[def] = moved(schema)
		}
	}
	if err := json.Unmarshal([]byte(cardSchema), new(any)); err != nil {
		return nil, err
	}
	for name, text := range map[string]string{"PauseCard": cardSchema, "PauseChoice": choiceSchema} {
		var schema any
		if err := json.Unmarshal([]byte(text), &schema); err != nil {
			return nil, fmt.Errorf("server: the schema %s: %w", name, err)
		}
		schemas[name] = schema
	}
	paths := doc["paths"].(map[string]any)
	responses := func(method, path string) map[string]any {
		return paths[path].(map[string]any)[method].(map[string]any)["responses"].(map[string]any)
	}
	for _, path := range []string{"/v1/cua", "/v1/cua/{id}/pause", "/v1/cua/{id}/stop",
		"/v1/cua/{id}/resume"} {
		early(responses("post", path))
	}
	responses("get", "/v1/cua/{id}")["304"] = map[string]any{
		"description": "The episode has the ETag of If-None-Match."}
	byHand(paths)
	return json.MarshalIndent(doc, "", " ")
}

// early adds to the answers of a request that it is also answered before it is done: 202, else 200.
func early(responses map[string]any) {
	if responses["200"] == nil {
		responses["200"] = responses["202"]
	}
	responses["202"] = responses["200"]
}

// moved is a schema whose references lead into the components.
func moved(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			if ref, ok := x.(string); ok && k == "$ref" {
				out[k] = strings.Replace(ref, "#/$defs/", "#/components/schemas/", 1)
				continue
			}
			out[k] = moved(x)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = moved(v[i])
		}
		return out
	}
	return v
}

const choiceSchema = `{"type":"object","required":["kind"],"description":"One thing that can be done.",
"properties":{"kind":{"type":"string","enum":["rewind","takeover","answer","continue","stop"]},
"step":{"type":"integer"},"crosses":{"type":"array","items":{"type":"integer"}},"consent":{"type":"boolean"},
"text":{"type":"string"},"secret":{"type":"string"}}}`

const cardSchema = `{"type":"object","required":["episode","step","reason","choices"],
"description":"What a person is shown of an episode that is paused or ended stuck.",
"properties":{"episode":{"type":"string"},"step":{"type":"integer"},"reason":{"type":"string"},
"detail":{"type":"string"},"by":{"type":"string"},"question":{"type":"string"},
"incident":{"$ref":"#/components/schemas/Incident"},"asked":{"type":"array","items":{"type":"string"}},
"ended":{"type":"boolean"},"choices":{"type":"array","items":{"$ref":"#/components/schemas/PauseChoice"}},
"refused":{"$ref":"#/components/schemas/Restored"}}}`

// byHand adds the requests that are served without huma.
func byHand(paths map[string]any) {
	text := map[string]any{"type": "string"}
	number := map[string]any{"type": "integer", "minimum": 0}
	param := func(in, name string, schema map[string]any, says string) map[string]any {
		return map[string]any{"in": in, "name": name, "required": in == "path", "schema": schema,
			"description": says}
	}
	id := param("path", "id", text, "The episode's id.")
	after := param("query", "after", number, "The number of the last record that is known.")
	add := func(method, path, operation, summary, media string, params []any, errs ...int) {
		responses := map[string]any{"200": map[string]any{"description": "OK",
			"content": map[string]any{media: map[string]any{"schema": text}}}}
		for _, status := range append([]int{401, 403, 421, 500}, errs...) {
			responses[fmt.Sprint(status)] = problemResponse()
		}
		op := map[string]any{"operationId": operation, "summary": summary, "responses": responses}
		if params != nil {
			op["parameters"] = params
		}
		at, ok := paths[path].(map[string]any)
		if !ok {
			at = map[string]any{}
			paths[path] = at
		}
		at[method] = op
		special(operation, op, responses)
	}
	add("get", "/v1/cua/{id}/events", "events",
		"Server-sent events: the records as they come, and the status",
		"text/event-stream", []any{id, after, param("header", "Last-Event-ID", number,
			"As after, which it precedes.")}, 404, 422, 429)
	add("get", "/v1/cua/{id}/live", "live",
		"WebSocket of a takeover: {type: page} and JPEG frames come, inputs go (docs/server.md)",
		"text/plain", []any{id, param("query", "ticket", text, "As POST takeover gave it: valid once.")}, 404, 422)
	add("get", "/v1/cua/{id}/journal", "journal", "All records as JSON lines", "application/jsonl",
		[]any{id, after}, 404, 422)
	add("get", "/v1/cua/{id}/blobs/{sha256}", "blob", "A frame by its SHA-256", "image/*",
		[]any{id, param("path", "sha256", text, "64 hex digits.")}, 404, 422)
	add("get", "/v1/cua/{id}/export", "export", "The episode in another form", "*/*",
		[]any{id, param("query", "format", text,
			"A format of one file, as cua-runner export --help lists them; the default is json.")}, 404, 409, 422)
	add("post", "/v1/detect", "detect", "Score trajectories line by line", "application/jsonl", nil, 404, 413,
		415, 429, 503)
	add("post", "/v1/guard", "guard", "Judge the steps of an agent before it makes them, line by line",
		"application/jsonl", nil, 404, 413, 415, 429, 503)
	add("get", "/metrics", "metrics", "Metrics for Prometheus", "text/plain", nil)
	add("get", "/healthz", "health", "The process answers", "text/plain", nil)
	add("get", "/readyz", "ready", "The server accepts episodes", "text/plain", nil)
}

// special adds to an operation what only it has.
func special(operation string, op, responses map[string]any) {
	text := map[string]any{"schema": map[string]any{"type": "string"}}
	switch operation {
	case "events":
		responses["204"] = map[string]any{"description": "It has ended, and the reader has all of it."}
	case "live":
		op["security"] = []any{}
		responses["101"] = map[string]any{"description": "The socket is open."}
		delete(responses, "200")
	case "detect", "guard":
		op["requestBody"] = map[string]any{"required": true,
			"content": map[string]any{"application/jsonl": text}}
	case "health", "ready":
		op["security"] = []any{}
		for status := range responses {
			if status != "200" {
				delete(responses, status)
			}
		}
	}
	if operation == "ready" {
		responses["503"] = map[string]any{"description": "It shuts down.",
			"content": map[string]any{"text/plain": text}}
	}
}

func problemResponse() map[string]any {
	return map[string]any{"description": "A problem (RFC 9457).", "content": map[string]any{
		problemType: map[string]any{"schema": map[string]any{"$ref": "#/components/schemas/Problem"}}}}
}
