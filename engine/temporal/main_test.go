package temporal

import (
	"fmt"
	"os"
	"testing"
)

// programs are what the test program is instead where the variable of that name has a value.
var programs = map[string]func(value string) (code int){playerVariable: standIn}

// scratch is a folder of all tests.
var scratch string

func TestMain(m *testing.M) {
	for name, program := range programs {
		if value := os.Getenv(name); value != "" {
			os.Exit(program(value))
		}
	}
	var err error
	if scratch, err = os.MkdirTemp("", "engine-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}
