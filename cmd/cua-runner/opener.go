package main

import (
	"encoding/json"
	"strings"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/vendors"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// openBrain opens the brain of spec with faults as ParseFault reads them, and returns what headers say of it.
// of holds the brains that a task brings along; nil is none.
func openBrain(o *opener, spec string, faults []string, seed int64,
	of ofTask) (runner.Brain, trajectories.BrainInfo, error) {
	rates := brain.Faults{Seed: seed}
	for _, f := range faults {
		if cua.IsNetFault(f) {
			return nil, trajectories.BrainInfo{},
				usage("--fault: %s is a fault of the network: bench plays it", f)
		}
		r, err := brain.ParseFault(f)
		if err != nil {
			return nil, trajectories.BrainInfo{}, usage("--fault: %w", err)
		}
		rates.Add(r)
	}
	if b, ok := of[spec]; ok {
		return withFaults(b, spec, rates)
	}
	b, err := o.open(spec)
	if err != nil {
		return nil, trajectories.BrainInfo{}, usage("--brain: %w", err)
	}
	return withFaults(b, spec, rates)
}

// The brains that play what each task brings along; bench only.
const (
	oracleBrain = "oracle" // the script that solves it
	playerBrain = "player" // its script as a case of the detectors, elsewhere the oracle
)

// ofTask are the brains that one task brings along, by name.
type ofTask map[string]brain.Brain

// anyTask knows their names and not yet the task.
var anyTask = broughtBrains(benchmarks.Scripts{})

func broughtBrains(s benchmarks.Scripts) ofTask {
	of := ofTask{oracleBrain: brain.Scripted{Script: s.Oracle}, playerBrain: brain.Scripted{Script: s.Player}}
	if s.Solver != nil {
		of[oracleBrain] = s.Solver
	}
	return of
}

// reopenBrain is the brain that a header describes.
func reopenBrain(o *opener, info trajectories.BrainInfo) (runner.Brain, error) {
	if err := o.trusts([]string{info.Name, info.Director}); err != nil {
		return nil, err
	}
	var rates brain.Faults
	if len(info.Settings) > 0 {
		if err := json.Unmarshal(info.Settings, &rates); err != nil {
			return nil, usage("reading the brain's settings: %w", err)
		}
	}
	b, err := o.open(info.Name)
	if err != nil {
		return nil, usage("%w", err)
	}
	wrapped, _, err := withFaults(b, info.Name, rates)
	if err != nil {
		return nil, err
	}
	return withDirector(o, wrapped, info.Director)
}

// withDirector gives b the director of spec; "" is none.
func withDirector(o *opener, b runner.Brain, spec string) (runner.Brain, error) {
	if spec == "" {
		return b, nil
	}
	d, err := o.open(spec)
	if err != nil {
		return nil, usage("--director: %w", err)
	}
	return brain.Directed{Brain: b, Director: d, Name: spec}, nil
}

// withFaults wraps b where there are faults. Its chance, and that of one that plays by chance itself, is f's.
func withFaults(b brain.Brain, name string, f brain.Faults) (runner.Brain, trajectories.BrainInfo, error) {
	info := trajectories.BrainInfo{Name: name}
	d, draws := b.(brain.Drawing)
	if draws {
		b = d.WithSeed(f.Seed)
	}
	if f.None() && !draws {
		return b, info, nil
	}
	settings, err := json.Marshal(f)
	if err != nil {
		return nil, info, err
	}
	info.Settings = settings
	if f.None() {
		return b, info, nil
	}
	faulty, err := brain.WithFaults(b, f)
	if err != nil {
		return nil, info, usage("--fault: %w", err)
	}
	return faulty, info, nil
}

func journalSteps(run string) ([]cua.Step, error) {
	t, err := trajectories.Read(run)
	if err != nil {
		return nil, err
	}
	return t.Steps, nil
}

// brainNames are what --brain may begin with.
func brainNames() []string {
	var out []string
	for _, b := range brain.List() {
		out = append(out, strings.SplitAfter(b.Spec, ":")[0])
	}
	return append(out, vendorNames()...)
}

func vendorNames() []string {
	var out []string
	for _, p := range vendors.All() {
		out = append(out, p.Name())
	}
	return out
}

func faultNames() []string {
	var out []string
	for _, f := range brain.FaultList() {
		switch {
		case f.Same != "":
			out = append(out, f.Name)
		case len(f.Values) > 0:
			for _, v := range f.Values {
				out = append(out, f.Name+"="+v)
			}
		default:
			out = append(out, f.Name+"=")
		}
	}
	return out
}

func netFaultNames() []string {
	var out []string
	for _, f := range cua.NetFaults() {
		out = append(out, f.Name+"=")
	}
	return out
}
