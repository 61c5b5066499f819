package main

import (
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/formctl"
	"github.com/cua-runner/cua-runner/trajectories"
)

// episodeID matches what trajectories.NewID makes.
var episodeID = regexp.MustCompile(`^[0-9a-v]{26}$`)

// runNamed is the run that name stands for where no file has that name: "latest" is the newest below runs/,
// an episode's id the one below runs/ or studies/ with that id. Any other name is itself.
func runNamed(name string) string {
	if _, err := os.Stat(name); err == nil {
		return name
	}
	quiet := func(error) {}
	switch {
	case name == "latest":
		var newest time.Time
		for _, dir := range runsBelow("runs", quiet) {
			info, err := os.Stat(filepath.Join(dir, trajectories.JournalName))
			if err == nil && !info.ModTime().Before(newest) {
				name, newest = dir, info.ModTime()
			}
		}
	case episodeID.MatchString(name):
		for _, root := range []string{"runs", "studies"} {
			for _, dir := range runsBelow(root, quiet) {
				if h, err := trajectories.ReadHeader(dir); err == nil && h.ID == name {
					return dir
				}
			}
		}
	}
	return name
}

// maxTaskID bounds the name of a task in bytes: the run folder has the arm's name beside it.
const maxTaskID = 60

var noLetter = regexp.MustCompile(`[^a-z0-9.]+`)

// taskID names a task by the start page's host and path and by the goal in words. It holds no value that the
// goal gives for a password, and no secret.
func taskID(t cua.Task, secrets map[string]string) string {
	values := maps.Clone(secrets)
	if values == nil {
		values = map[string]string{}
	}
	words := secretRefs.ReplaceAllString(formctl.Plan(t, nil, values).Goal, " ")
	if u, err := url.Parse(cua.PublicURL(t.URL)); err == nil {
		words = u.Hostname() + " " + u.Path + " " + words
	}
	for _, v := range values {
		if v != "" {
			words = strings.ReplaceAll(words, v, " ")
		}
	}
	id := strings.Trim(noLetter.ReplaceAllString(strings.ToLower(words), "-"), "-.")
	return strings.TrimRight(id[:min(len(id), maxTaskID)], "-.")
}
