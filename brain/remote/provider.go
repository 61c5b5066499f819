package remote

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model"
)

// tokenVariable holds the bearer token of http brains.
const tokenVariable = "CUA_BRAIN_TOKEN"

// defaultTimeout is the time limit of one call, the same as for an attempt at a model's API.
const defaultTimeout = "2m"

// Exec is the brain exec:COMMAND, a process.
func Exec() brain.Provider {
	return brain.Provider{Open: openExec, Info: brain.Info{Spec: "exec:COMMAND[?timeout=2m&env=NAME,NAME]",
		Key: "none",
		Help: "your own process, which reads and writes lines of JSON (docs/brain-protocol.md); " +
			"it gets PATH, HOME, the language and the variables that env names"}}
}

// HTTP is the brain http:URL, a server.
func HTTP() brain.Provider {
	return brain.Provider{Open: openHTTP, Info: brain.Info{Spec: "http:URL[?timeout=2m]", Key: tokenVariable,
		Optional: true,
		Help:     "a server that receives the same messages by POST, with the key as bearer token"}}
}

// shared are the variables that every process gets: those that a program needs to be found, to find its
// files, and to write text and times.
func shared() []string { return []string{"PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR"} }

// leastHanded is the minimum length, bytes, of a passed value that is redacted in the output of the
// process. Shorter values are switches and occur in ordinary words.
const leastHanded = 8

// defaultPath is PATH if the environment has none.
const defaultPath = "PATH=/usr/local/bin:/usr/bin:/bin"

func openExec(s brain.Spec, o brain.Options) (brain.Brain, error) {
	if err := s.Check("timeout", "env"); err != nil {
		return nil, err
	}
	command := strings.TrimSpace(s.Model)
	if command == "" {
		return nil, errors.New("brain: exec needs a command: exec:COMMAND")
	}
	timeout, err := timeoutOf(s)
	if err != nil {
		return nil, err
	}
	environ, handed := []string{defaultPath}, []string{}
	names := shared()
	if named := s.Get("env", ""); named != "" {
		for n := range strings.SplitSeq(named, ",") {
			if o.Key == nil || o.Key(n) == "" {
				return nil, fmt.Errorf("brain: exec: the environment has no variable %q to pass", n)
			}
			names = append(names, n)
			if v := o.Key(n); len(v) >= leastHanded {
				handed = append(handed, v)
			}
		}
	}
	for _, n := range names {
		if o.Key != nil && o.Key(n) != "" {
			environ = append(environ, n+"="+o.Key(n)) // the last of several entries counts
		}
	}
	w := &wire{delivery: byPath, begin: func(dir string) (line, error) {
		return start(command, environ, handed, timeout, dir)
	}}
	return &Brain{model.New(w, model.Config{Provider: s.Name, Model: command, By: s.Name, Uncounted: true,
		Deadline: deadline(timeout)}, o), w}, nil
}

func openHTTP(s brain.Spec, o brain.Options) (brain.Brain, error) {
	if err := s.Check("timeout"); err != nil {
		return nil, err
	}
	address := s.Model
	if strings.HasPrefix(address, "//") {
		address = "http:" + address // http://HOST needs no prefix
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil ||
		u.Fragment != "" {
		return nil,
			errors.New("brain: http needs an address: http:http://HOST/PATH or http:https://HOST/PATH, " +
				"without a user, a query or a fragment")
	}
	timeout, err := timeoutOf(s)
	if err != nil {
		return nil, err
	}
	token := ""
	if o.Key != nil {
		token = o.Key(tokenVariable)
	}
	if token != "" && u.Scheme == "http" && !loopback(u.Hostname()) {
		return nil, fmt.Errorf("brain: http: %s is only sent over https, or to this machine", tokenVariable)
	}
	caller := model.CallerOf(o, token)
	caller.Attempt = timeout
	once := caller
	once.Same = 1
	w := &wire{delivery: byBase64, begin: func(string) (line, error) {
		return &post{client: caller.Client(), parting: once.Client(), url: address, token: token}, nil
	}}
	return &Brain{model.New(w, model.Config{Provider: s.Name, Model: address, By: s.Name, Uncounted: true,
		Secret: token}, o), w}, nil
}

// timeoutOf is the option timeout.
func timeoutOf(s brain.Spec) (time.Duration, error) {
	d, err := time.ParseDuration(s.Get("timeout", defaultTimeout))
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("brain: %s: timeout must be a duration such as %s", s.Name, defaultTimeout)
	}
	return d, nil
}

// deadline is the time limit of a decision: the calls that one may need, and some extra time.
func deadline(timeout time.Duration) time.Duration {
	return max(model.DefaultDeadline, 3*timeout+time.Minute)
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
