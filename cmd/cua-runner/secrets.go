package main

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/cmd/cua-runner/internal/tty"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/formctl"
)

// secretFlags are the values of --secret.
type secretFlags []string

func (f *secretFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar((*[]string)(f), "secret", nil,
		"a secret as `NAME=env:VARIABLE@ORIGIN` (repeatable): its value is in that variable, and it is "+
			"typed on that "+
			"origin alone (https://shop.test). Without @ORIGIN: on the start page's host and on those of "+
			"--allow. In "+
			"place of env:VARIABLE: file:PATH, a regular file and no link, or fd:N, an open descriptor "+
			"from 3 on")
}

// secretName is what a secret may be called.
var secretName = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// read are the values and, where they have one, the origins of the secrets, by name. A value in clear is
// refused: a command line is there for all to see.
func (f secretFlags) read(env func(string) string) (values, origins map[string]string, err error) {
	values = map[string]string{}
	for _, raw := range f {
		name, from, _ := strings.Cut(raw, "=")
		if !secretName.MatchString(name) {
			return nil, nil, usage("--secret: want NAME=env:VARIABLE or NAME=env:VARIABLE@ORIGIN")
		}
		if values[name] != "" {
			return nil, nil, usage("--secret: %s is there twice", name)
		}
		source, origin, bound := from, "", false
		if at := strings.LastIndexByte(from, '@'); at >= 0 {
			source, origin, bound = from[:at], from[at+1:], true
		}
		if values[name], err = secretFrom(source, env); err != nil {
			return nil, nil, usage("--secret: %s: %w", name, err)
		}
		if values[name] == "" {
			return nil, nil, usage("--secret: %s: %s is empty or not set", name, source)
		}
		if !bound {
			continue
		}
		own := cua.Origin(origin)
		if u, err := url.Parse(origin); err != nil || own == "" || strings.Trim(u.Path, "/") != "" ||
			u.RawQuery != "" || u.Fragment != "" || u.User != nil {
			return nil, nil,
				usage("--secret: %q is no origin for %s: want scheme and host, as https://shop.test",
					origin, name)
		}
		if origins == nil {
			origins = map[string]string{}
		}
		origins[name] = own
	}
	return values, origins, nil
}

// maxSecret bounds the value of a secret, bytes.
const maxSecret = 64 << 10

// secretFrom is the value that a source holds, without the newline at its end. The error names the source and
// says nothing of what is in it; a source of no known kind may be the value itself, and is not named.
func secretFrom(source string, env func(string) string) (string, error) {
	kind, at, _ := strings.Cut(source, ":")
	var f *os.File
	switch kind {
	case "env":
		return env(at), nil
	case "file":
		// A pipe that nobody writes to would hold the open up; that it is none is known afterwards.
		opened, err := os.OpenFile(at, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
		if err != nil {
			return "", fmt.Errorf("reading file:%s: %w", at, errors.Unwrap(err))
		}
		if info, err := opened.Stat(); err != nil || !info.Mode().IsRegular() {
			opened.Close() //nolint:errcheck // nothing was read
			return "", fmt.Errorf("reading file:%s: not a regular file", at)
		}
		f = opened
	case "fd":
		n, err := strconv.ParseUint(at, 10, 31)
		if err != nil || n < 3 {
			return "", errors.New("want fd:N with the number of an open descriptor, 3 or more")
		}
		f = os.NewFile(uintptr(n), source)
	default:
		return "", errors.New("its value comes from env:VARIABLE, file:PATH or fd:N")
	}
	defer f.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("reading %s: %w", source, err)
	case len(text) > maxSecret:
		return "", fmt.Errorf("reading %s: longer than %d bytes", source, maxSecret)
	}
	value, _ := strings.CutSuffix(string(text), "\n")
	value, _ = strings.CutSuffix(value, "\r")
	return value, nil
}

// again are the values for a run on record, whose origins stay as they were.
func (f secretFlags) again(t cua.Task, env func(string) string) (map[string]string, error) {
	values, origins, err := f.read(env)
	for name, own := range origins {
		if t.SecretOrigins[name] != own {
			return nil, usage("--secret: the run does not bind %s to %s", name, own)
		}
	}
	return values, err
}

// secretRefs are the secrets that a text names.
var secretRefs = regexp.MustCompile(`<secret:([A-Za-z0-9_.-]+)>`)

// secretVariable is the environment variable that holds the secret of that name.
func secretVariable(name string) string {
	return "CUA_SECRET_" + strings.Map(func(r rune) rune {
		if r == '.' || r == '-' {
			return '_'
		}
		return r
	}, name)
}

// knownSecrets adds to secrets what the environment has of the secrets that t names. One that is
// nowhere is bad input, told with its field's label before anything is started.
func knownSecrets(t cua.Task, secrets map[string]string, env func(string) string) error {
	label := map[string]string{}
	var names []string
	for _, v := range t.Fields {
		if n := cua.SecretName(v.Value); n != "" {
			label[n] = v.Label
			names = append(names, n)
		}
	}
	for _, m := range secretRefs.FindAllStringSubmatch(t.Goal, -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	for _, n := range slices.Compact(names) {
		if secrets[n] != "" {
			continue
		}
		if v := env(secretVariable(n)); v != "" {
			secrets[n] = v
			continue
		}
		if label[n] == "" {
			return usage("the value of <secret:%s> is not known: set %s", n, secretVariable(n))
		}
		return usage("the value of %q is a secret and is nowhere recorded: set %s, or give --field '%s=…'",
			label[n], secretVariable(n), label[n])
	}
	return nil
}

// redacted is t with its secrets kept in memory alone: those that it names come from the environment,
// those that are given in clear get a name.
func redacted(t cua.Task, secrets map[string]string, env func(string) string) (cua.Task, error) {
	if err := knownSecrets(t, secrets, env); err != nil {
		return t, err
	}
	return formctl.Redact(t, secrets), nil
}

// warnOfLiterals says once that the value of a secret was given in clear.
func (a *app) warnOfLiterals(t cua.Task) {
	named := formctl.Redact(t, map[string]string{})
	for i, v := range t.Fields {
		if name := cua.SecretName(named.Fields[i].Value); name != "" && cua.SecretName(v.Value) == "" {
			fmt.Fprintf(a.err, "cua-runner: warning: the value of %q is visible in the process list: give "+
				"--field '%s=<secret:%s>' with --secret %s=env:VARIABLE, fd:N or file:PATH\n",
				tty.Safe(v.Label), tty.Safe(v.Label), name, name)
			return
		}
	}
}

// given are the secrets of a recorded task that --field gives again, by name.
func given(t cua.Task, fields []string) (map[string]string, error) {
	out := map[string]string{}
	for _, raw := range fields {
		v, err := formctl.ParseField(raw)
		if err != nil {
			return nil, usage("--field: %w", err)
		}
		i := slices.IndexFunc(t.Fields, func(f cua.PlanValue) bool {
			return strings.EqualFold(strings.TrimSpace(f.Label), v.Label) && cua.SecretName(f.Value) != ""
		})
		if i < 0 {
			return nil,
				usage("--field: the run has no secret with the label %q; a run's other values are recorded",
					v.Label)
		}
		if cua.SecretName(v.Value) != "" {
			return nil, usage("--field: the value of %q itself is wanted, not its name", v.Label)
		}
		out[cua.SecretName(t.Fields[i].Value)] = v.Value
	}
	return out, nil
}
