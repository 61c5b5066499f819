package server

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

const (
	maxBody   = 1 << 20
	maxDetect = 64 << 20
)

// routes makes the handler of all requests.
func (s *Server) routes() (http.Handler, error) {
	mux := http.NewServeMux()
	api := humago.New(mux, s.config())
	s.register(api)
	doc, err := openAPI(api)
	if err != nil {
		return nil, err
	}
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(doc)
	})
	mux.HandleFunc("GET /v1/cua/{id}/events", s.withEpisode(s.events, "after"))
	mux.HandleFunc("GET /v1/cua/{id}/live", s.withEpisode(s.live, "ticket"))
	mux.HandleFunc("GET /v1/cua/{id}/journal", s.withEpisode(s.journalLines, "after"))
	mux.HandleFunc("GET /v1/cua/{id}/blobs/{sha256}", s.withEpisode(s.blob))
	mux.HandleFunc("GET /v1/cua/{id}/export", s.withEpisode(s.export, "format"))
	for path, do := range map[string]Lines{"/v1/detect": s.o.Detect, "/v1/guard": s.o.Guard} {
		mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) { lines(w, r, do) })
	}
	mux.Handle("GET /metrics", http.HandlerFunc(s.serveMetrics))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { plain(w, 200, "ok\n") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if s.isDraining() {
			plain(w, http.StatusServiceUnavailable, "draining\n")
			return
		}
		plain(w, http.StatusOK, "ok\n")
	})
	if s.o.View != nil {
		mux.Handle("GET /view/", http.StripPrefix("/view", s.o.View))
	}
	return s.guard(problems(mux)), nil
}

// problems answers what the mux does not know with problems, and otherwise is the mux.
func problems(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := mux.Handler(r); pattern == "" {
			var allow []string
			for _, method := range []string{http.MethodDelete, http.MethodGet, http.MethodHead,
				http.MethodPost} {
				other := r.Clone(r.Context())
				other.Method = method
				if _, pattern := mux.Handler(other); pattern != "" {
					allow = append(allow, method)
				}
			}
			if allow == nil {
				notFound(r.Context()).write(w)
				return
			}
			w.Header().Set("Allow", joined(allow))
			problem(r.Context(), MethodNotAllowed, "the resource supports "+joined(allow)).write(w)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func notFound(ctx context.Context) *Problem {
	return problem(ctx, NotFound, "there is no such resource")
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text))
}

// withEpisode finds the episode that the path names. The query may have these names.
func (s *Server) withEpisode(next func(http.ResponseWriter, *http.Request, *episode),
	query ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		e := requestOf(r.Context()).tenant.find(r.PathValue("id"))
		if e == nil {
			notFound(r.Context()).write(w)
			return
		}
		if onlyQuery(w, r, query...) {
			next(w, r, e)
		}
	}
}

// config is huma's: JSON alone, no link to a schema in bodies, no page of documents.
func (s *Server) config() huma.Config {
	c := huma.DefaultConfig("cua-runner", s.o.Build)
	c.CreateHooks, c.Transformers = nil, nil
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "", "", ""
	asJSON := huma.Format{Marshal: encode, Unmarshal: asChecked}
	c.Formats = map[string]huma.Format{"application/json": asJSON, "json": asJSON}
	c.RejectUnknownQueryParameters = true
	c.Info.Description = "Run web tasks with a browser agent, watch them and take part in them."
	c.Info.License = &huma.License{Name: "MIT", Identifier: "MIT"}
	c.Servers = []*huma.Server{{URL: "http://127.0.0.1:8700",
		Description: "The default of cua-runner serve."}}
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"token": {Type: "http", Scheme: "bearer"}}
	c.Security = []map[string][]string{{"token": {}}}
	return c
}

// asChecked decodes a body. huma decodes it into an any, checks that, and decodes the body again. If a name
// is there twice, the any has the last value, while other types would merge the two. So they are given what
// was checked.
func asChecked(text []byte, into any) error {
	if _, first := into.(*any); first {
		return json.Unmarshal(text, into)
	}
	var checked any
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	if err := in.Decode(&checked); err != nil {
		return err
	}
	text, err := json.Marshal(checked)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// episodeOf is the caller's episode of that id; the error is not_found.
func (s *Server) episodeOf(ctx context.Context, id string) (*episode, error) {
	if e := requestOf(ctx).tenant.find(id); e != nil {
		return e, nil
	}
	return nil, notFound(ctx)
}

// rawJSON is v as JSON.
func rawJSON(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return text
}
