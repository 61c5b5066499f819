package browser

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

// authorized visits a locked page with credentials for the origin that own makes of its own; nil gives it
// wrong ones.
func authorized(own func(url string) string) func(t *testing.T) (string, time.Duration) {
	return func(t *testing.T) (string, time.Duration) {
		var sent atomic.Int64
		ts := serve(t, func(w http.ResponseWriter, r *http.Request) {
			user, password, given := r.BasicAuth()
			switch {
			case given:
				sent.Add(1)
				fallthrough
			case r.URL.Path == "/locked":
				if user == "ada" && password == "p:w" {
					fmt.Fprint(w, "<!doctype html><title>inside</title>")
					return
				}
				w.Header().Set("WWW-Authenticate", `Basic realm="inside"`)
				http.Error(w, "", http.StatusUnauthorized)
			default:
				fmt.Fprint(w, "<!doctype html><title>home</title>")
			}
		})
		secret, origin := "ada:p:w", ts.URL
		if own == nil {
			secret = "ada:wrong"
		} else {
			origin = own(ts.URL)
		}
		e := openBlank(t, SessionOptions{Secrets: map[string]string{"DOOR": secret},
			HTTPAuth: []string{"DOOR"}})
		e.reset(cua.Task{URL: ts.URL, SecretOrigins: map[string]string{"DOOR": cua.Origin(origin)}})
		got, took := e.timed(cua.Action{Kind: cua.Navigate, URL: ts.URL + "/locked"})
		got, _, _ = strings.Cut(got, ", shows ")
		if sent.Load() == 0 {
			got += ", nothing sent"
		}
		return got, took
	}
}

// redirecting is a server that sends everybody on without end.
func redirecting(t *testing.T) string {
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, fmt.Sprintf("/?%d", time.Now().UnixNano()), http.StatusFound)
	}).URL
}

// startsOn resets a session to a page, and says how that failed.
func startsOn(url func(t *testing.T) string) func(t *testing.T) (string, time.Duration) {
	return func(t *testing.T) (string, time.Duration) {
		to := url(t)
		e := openBlank(t, SessionOptions{})
		began := time.Now()
		_, err := e.Reset(t.Context(), cua.Task{URL: to})
		var f *cua.Failure
		if !errors.As(err, &f) {
			return fmt.Sprint(err), time.Since(began)
		}
		return string(f.Kind), time.Since(began)
	}
}

// lockedSite is a server that asks for a password.
func lockedSite(t *testing.T) string {
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		if _, _, ok := r.BasicAuth(); ok {
			fmt.Fprint(w, "<!doctype html><title>inside</title>")
			return
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="inside"`)
		http.Error(w, "", http.StatusUnauthorized)
	}).URL
}
