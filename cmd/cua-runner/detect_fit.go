package main

import (
	"strings"

	"github.com/cua-runner/cua-runner/benchmarks/detection"
	"github.com/cua-runner/cua-runner/runner"
)

// maxCandidates bounds how many settings --fit compares: each of them scores every labelled trajectory.
const maxCandidates = 500

// candidates are the settings that --fit names, each value of one path with each of the others, the config
// itself first; nil where there is no --fit.
func (f *detectFlags) candidates(cfg runner.Config) ([]detection.Candidate, error) {
	if len(f.fit) == 0 {
		return nil, nil
	}
	all := []variant{{"", cfg}}
	for _, fit := range f.fit {
		path, values, ok := strings.Cut(fit, "=")
		if !ok || path == "" || values == "" {
			return nil, usage("--fit: want PATH=V,V,…, not %q", fit)
		}
		var next []variant
		for _, s := range all {
			for v := range strings.SplitSeq(values, ",") {
				c, err := s.with(path, v)
				if err != nil {
					return nil, usage("--fit: %w", err)
				}
				next = append(next, c)
			}
		}
		if all = next; len(all) > maxCandidates {
			return nil, usage("--fit: more than %d settings", maxCandidates)
		}
	}
	out := []detection.Candidate{{Name: "this config", Assembly: runner.Assemble(cfg)}}
	for _, s := range all {
		out = append(out, detection.Candidate{Name: s.name, Assembly: runner.Assemble(s.cfg)})
	}
	return out, nil
}

// variant is a config and the values that tell it from the others.
type variant struct {
	name string
	cfg  runner.Config
}

// with is s with one more value.
func (s variant) with(path, value string) (variant, error) {
	c, err := s.cfg.Set(path + "=" + value)
	if err == nil {
		err = c.Validate()
	}
	name := path[strings.Index(path, ".")+1:] + "=" + value
	return variant{strings.TrimSpace(s.name + " " + name), c}, err
}
