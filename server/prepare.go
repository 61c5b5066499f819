package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/redact"
	"github.com/cua-runner/cua-runner/runner"
)

// prepared is a request that can be played.
type prepared struct {
	task    cua.Task
	config  runner.Config
	arm     string
	secrets map[string]string // the values that are known
	needs   []string          // the names of secrets whose values are not
	request Request           // without a value of a secret
}

var (
	secretName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,100}$`)
	secretRef  = regexp.MustCompile(`<secret:([A-Za-z0-9_.-]+)>`)
)

// prepare makes a task and a config of a request. The error is a *Refusal.
func (s *Server) prepare(t *tenant, r Request) (*prepared, error) {
	p := &prepared{secrets: map[string]string{}, request: r}
	if err := s.readSecrets(t, p); err != nil {
		return nil, err
	}
	if err := p.makeTask(); err != nil {
		return nil, err
	}
	var err error
	if p.config, p.arm, err = configOf(r); err != nil {
		return nil, err
	}
	if most := t.MaxCostUSD; most > 0 {
		if own := &p.config.Recovery.Limits.MaxCostUSD; *own == 0 || *own > most {
			*own = most
		}
	}
	if err := p.config.Validate(); err != nil {
		return nil, &Refusal{"body.config",
			withoutValues(strings.TrimPrefix(err.Error(), "runner: config: "), r)}
	}
	p.needs = p.unknown()
	return p, nil
}

// readSecrets takes the values out of the request.
func (s *Server) readSecrets(t *tenant, p *prepared) error {
	p.request.Secrets = maps.Clone(p.request.Secrets)
	for _, name := range slices.Sorted(maps.Keys(p.request.Secrets)) {
		sec := p.request.Secrets[name]
		if !secretName.MatchString(name) {
			return &Refusal{"body.secrets",
				"a name of a secret is letters, digits, dots, lines and underscores"}
		}
		at := "body.secrets." + name
		if sec.Origin != "" {
			u, err := url.Parse(sec.Origin)
			if err != nil || cua.Origin(sec.Origin) == "" || strings.Trim(u.Path, "/") != "" ||
				u.RawQuery != "" ||
				u.Fragment != "" || u.User != nil {
				return &Refusal{at + ".origin", "an origin is scheme and host, as https://shop.test"}
			}
			sec.Origin = cua.Origin(sec.Origin)
		}
		switch {
		case sec.FromServer && sec.Value != "":
			return &Refusal{at, "give value or from_server, not both"}
		case sec.FromServer:
			if v := s.serverSecret(t, name); v != "" {
				p.secrets[name] = v
			} else {
				return &Refusal{at, "the server has no such secret for this tenant"}
			}
		case sec.Value != "":
			p.secrets[name] = sec.Value
		}
		sec.Value = ""
		p.request.Secrets[name] = sec
	}
	return nil
}

// serverSecret is a secret of the server's that the tenant may use; "" is none.
func (s *Server) serverSecret(t *tenant, name string) string {
	if slices.Contains(t.Secrets, name) || t.Secrets == nil && len(s.tenants) == 1 {
		return s.o.Secret(name)
	}
	return ""
}

// makeTask makes the task. No secret is left in clear in it or in the request.
func (p *prepared) makeTask() error {
	r := &p.request
	u, err := url.Parse(r.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return &Refusal{"body.url", "a web address is wanted: http://… or https://…"}
	}
	if _, _, err := cua.ParseAddress(r.URL); err != nil || u.User != nil {
		return &Refusal{"body.url", "not a web address that can be opened"}
	}
	if strings.TrimSpace(r.Instruction) == "" {
		return &Refusal{"body.instruction", "say in words what to do"}
	}
	set := redact.New(p.secrets)
	task := cua.Task{ID: u.Hostname(), Goal: set.Text(r.Instruction), URL: r.URL,
		Allow: r.Allow, OutputFields: r.OutputFields, Seed: r.Seed, MaxSteps: r.MaxSteps}
	for _, f := range r.Fields {
		task.Fields = append(task.Fields, cua.PlanValue{Label: strings.TrimSpace(f.Label),
			Value: set.Text(f.Value)})
	}
	for name, sec := range r.Secrets {
		if sec.Origin != "" {
			if task.SecretOrigins == nil {
				task.SecretOrigins = map[string]string{}
			}
			task.SecretOrigins[name] = sec.Origin
		}
	}
	given := len(task.Fields) > 0
	sealed := runner.RedactTask(task, p.secrets)
	if !given { // the text is read once more when the episode begins, by its brain
		sealed.Fields = nil
	}
	p.task, r.Instruction, r.Fields = sealed, sealed.Goal, nil
	for _, f := range sealed.Fields {
		r.Fields = append(r.Fields, FormValue{Label: f.Label, Value: f.Value})
	}
	return nil
}

// unknown are the names of secrets that the request speaks of and whose values are not known.
func (p *prepared) unknown() []string {
	text := p.task.Goal
	for _, f := range p.task.Fields {
		text += "\n" + f.Value
	}
	out := slices.Collect(maps.Keys(p.request.Secrets))
	for _, m := range secretRef.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return slices.DeleteFunc(out, func(n string) bool { return p.secrets[n] != "" })
}

// configOf is the config that a request asks for, and the arm's name. The error is a *Refusal.
func configOf(r Request) (runner.Config, string, error) {
	c := runner.DefaultConfig()
	var err error
	if r.Arm != "" {
		if c, err = c.Arm(r.Arm); err != nil {
			return c, "", &Refusal{"body.arm", "unknown arm; known: " + strings.Join(runner.ArmNames(), ", ")}
		}
	}
	if r.Config != nil {
		doc, err := json.Marshal(r.Config)
		if err == nil {
			c, err = c.Overlay(doc)
		}
		if err != nil {
			return c, "", &Refusal{"body.config", withoutValues(strings.TrimPrefix(err.Error(), "config: "),
				r)}
		}
	}
	known := strings.Join(cua.MechanismNames(), ", ")
	if len(r.Only) > 0 {
		if c, err = c.Only(r.Only...); err != nil {
			return c, "", &Refusal{"body.only", "unknown mechanism; known: " + known}
		}
	}
	if c, err = c.Ablate(r.Ablate...); err != nil {
		return c, "", &Refusal{"body.ablate", "unknown mechanism; known: " + known}
	}
	if len(r.Shadow) > 0 {
		gates := runner.ShadowNames()
		if slices.ContainsFunc(r.Shadow, func(n string) bool { return !slices.Contains(gates, n) }) {
			return c, "", &Refusal{"body.shadow", "unknown gate or row; known: " + strings.Join(gates, ", ")}
		}
		c.Shadow = r.Shadow
	}
	return limited(c, r)
}

// limited is c with the caps and the person of a request.
func limited(c runner.Config, r Request) (_ runner.Config, arm string, err error) {
	if v := r.Viewport; v != nil {
		if min(v.W, v.H) < minViewport || max(v.W, v.H) > maxViewport {
			return c, "", &Refusal{"body.viewport", "each edge must be 64 to 8192"}
		}
		c.Viewport = *v
	}
	c.Recovery.Attended = r.Attended == nil || *r.Attended
	if r.OnSpiral != "" {
		if c, err = c.Set("recovery.on_spiral=" + r.OnSpiral); err != nil {
			return c, "", &Refusal{"body.on_spiral", "unknown policy"}
		}
	}
	l := &c.Recovery.Limits
	if r.MaxCostUSD > 0 {
		l.MaxCostUSD = r.MaxCostUSD
	}
	if r.MaxWallS > 0 {
		l.MaxWallMS = r.MaxWallS * 1000
	}
	if r.MaxTokens > 0 {
		l.MaxTokens = r.MaxTokens
	}
	return c, r.Arm, nil
}

// withoutValues is a message with … in place of each text that the request's config holds.
func withoutValues(message string, r Request) string {
	var values []string
	var collect func(v any)
	collect = func(v any) {
		switch v := v.(type) {
		case string:
			values = append(values, v)
		case []any:
			for _, x := range v {
				collect(x)
			}
		case map[string]any:
			for _, x := range v {
				collect(x)
			}
		}
	}
	collect(r.Config)
	slices.SortFunc(values, func(a, b string) int { return len(b) - len(a) })
	for _, v := range values {
		if v != "" {
			message = strings.ReplaceAll(message, fmt.Sprintf("%q", v), `"…"`)
		}
	}
	return message
}

// refused is the problem of a *Refusal.
func refused(ctx context.Context, err error) error {
	var r *Refusal
	if errors.As(err, &r) {
		return invalid(ctx, r.Location, r.Message)
	}
	return err
}
