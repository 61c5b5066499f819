package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/cua-runner/cua-runner/brain"
)

// hookTime is how long a policy hook may take: it looks things up, and no person waits in it.
const hookTime = time.Minute

// Consent asks a program that the user configured: it gets the check as JSON on standard input and
// nothing of our environment but PATH, since keys are in there. Exit code 0 agrees, 1 does not, anything else
// is an error.
func Consent(program string) func(context.Context, brain.SafetyCheck) (brain.Consent, error) {
	return func(ctx context.Context, c brain.SafetyCheck) (brain.Consent, error) {
		doc, err := json.Marshal(c)
		if err != nil {
			return brain.NoConsent, err
		}
		ctx, cancel := context.WithTimeout(ctx, hookTime)
		defer cancel()
		cmd := exec.CommandContext(ctx, program)
		cmd.Stdin, cmd.Env = bytes.NewReader(doc), []string{"PATH=/usr/local/bin:/usr/bin:/bin"}
		cmd.WaitDelay = time.Second
		err = cmd.Run()
		var exit *exec.ExitError
		switch {
		case err == nil:
			return brain.Granted, nil
		case errors.As(err, &exit) && exit.ExitCode() == 1:
			return brain.Denied, nil
		}
		return brain.NoConsent, fmt.Errorf("the policy hook %s: %w", program, err)
	}
}
