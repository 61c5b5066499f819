package main

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/cua-runner/cua-runner/runner"
)

// armsFlag is a list of arms by name. A comma between settings is part of a name:
// default{detector.soft=5,frames=2} is one arm.
type armsFlag struct {
	into *[]string
	set  bool
}

// addArms puts a list of arms on a command; the list holds what there is without the flag.
func addArms(fl *pflag.FlagSet, into *[]string, name, usage string) {
	fl.Var(&armsFlag{into: into}, name, usage)
}

// Set adds names; the first replace what there is without the flag.
func (f *armsFlag) Set(text string) error {
	if !f.set {
		*f.into, f.set = nil, true
	}
	for _, name := range runner.SplitArms(text, ',') {
		*f.into = append(*f.into, strings.TrimSpace(name))
	}
	return nil
}

// armsType is what the help calls the value.
const armsType = "arms"

// Type is armsType.
func (*armsFlag) Type() string { return armsType }

func (f *armsFlag) String() string {
	if f.into == nil || len(*f.into) == 0 {
		return ""
	}
	return strings.Join(*f.into, ",")
}
