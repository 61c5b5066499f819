package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/benchmarks/suites/tuned"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// exportNPM is for make export-peers.
var exportNPM = flag.String("export.npm", "",
	"folder outside the repository in which npm has installed @playwright/test and hyparquet")

// npmModules are the modules of that folder.
func npmModules(t *testing.T) string {
	t.Helper()
	if *exportNPM == "" {
		t.Skip("make export-peers runs it: it needs packages of npm")
	}
	return filepath.Join(*exportNPM, "node_modules")
}

const playwrightConfig = `import { defineConfig } from '@playwright/test';
export default defineConfig({ reporter: 'line', workers: 2, timeout: 15_000, fullyParallel: true,
  use: { launchOptions: { executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] } } });
`

// The oracle's actions on a suite's page earn the reward again as a Playwright test on a fresh page.
func TestPeersOfExportsPlaywright(t *testing.T) {
	modules := npmModules(t)
	chromium, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	study, tests := filepath.Join(dir, "study"), filepath.Join(dir, "tests")
	for _, args := range [][]string{
		{"bench", "--suite", "forms,controls,traps,irreversible", "--brain", "oracle", "--arms", "off", "--seeds", "1", "--out", study},
		{"export", study, "--format", "playwright", "--out", tests},
	} {
		if code, stdout, stderr := command(t, args...); code != exitOK {
			t.Fatal(args, code, stdout, stderr)
		}
	}
	server, err := suites.Serve(tuned.Pages)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	pages := map[string]*suites.Instance{} // by the name of the test's file
	files, err := filepath.Glob(filepath.Join(tests, "*.spec.ts"))
	if err != nil || len(files) == 0 {
		t.Fatal("no tests", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".spec.ts")
		runs, err := filepath.Glob(filepath.Join(study, "*", name))
		if err != nil || len(runs) != 1 {
			t.Fatal(name, runs, err)
		}
		tr, err := trajectories.Read(runs[0])
		if err != nil {
			t.Fatal(err)
		}
		task, err := tuned.FindTask(tr.Header.Task.ID)
		if err != nil {
			t.Fatal(err)
		}
		if !task.Solvable { // its reward is of stopping, which no test does
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			continue
		}
		in, err := server.Open(task, tr.Header.Task.Seed)
		if err != nil {
			t.Fatal(err)
		}
		pages[name] = in
		text := strings.ReplaceAll(read(t, file), tr.Header.Task.URL, in.Task.URL)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	config := filepath.Join(tests, "playwright.config.ts")
	if err := os.WriteFile(config, []byte(playwrightConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(tests, "node_modules")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", filepath.Join(modules, "@playwright", "test", "cli.js"), "test")
	cmd.Dir, cmd.Env = tests, append(os.Environ(), "CHROMIUM="+chromium)
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, said)
	}
	for name, in := range pages {
		if got := in.Reward(cua.EndDone); got != 1 {
			t.Errorf("%s earns %v: %+v", name, got, in.State())
		}
	}
	t.Logf("%d tests were run", len(pages))
}

// hyparquetScript prints the rows of each Parquet file of a folder as the CSV files have them.
const hyparquetScript = `import { readdirSync } from 'node:fs';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
const cell = (v) => v === null || v === undefined ? '' : v instanceof Date ? v.toISOString() : String(v);
const out = {};
for (const name of readdirSync('tables')) {
  const rows = await parquetReadObjects({ file: await asyncBufferFromFile('tables/' + name), compressors });
  out[name.replace('.parquet', '')] = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([k, v]) => [k, cell(v)])));
}
console.log(JSON.stringify(out));
`

// The rows that hyparquet reads are those of the CSV tables.
func TestPeersOfExportsHyparquet(t *testing.T) {
	modules := npmModules(t)
	run, dir := recordedRun(t), t.TempDir()
	for format, out := range map[string]string{"parquet": "tables", "dataset": "csv"} {
		code, _, stderr := command(t, "export", run, "--format", format, "--out", filepath.Join(dir, out))
		if code != exitOK {
			t.Fatal(code, stderr)
		}
	}
	script := filepath.Join(dir, "read.mjs")
	err := errors.Join(os.WriteFile(script, []byte(hyparquetScript), 0o600),
		os.Symlink(modules, filepath.Join(dir, "node_modules")))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", script)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	said, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var tables map[string][]map[string]string
	if err := json.Unmarshal(said, &tables); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "csv", "*.csv"))
	if err != nil || len(files) != len(tables) || len(files) == 0 {
		t.Fatal(files, len(tables), err)
	}
	cells := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".csv")
		rows, err := csv.NewReader(strings.NewReader(read(t, file))).ReadAll()
		if err != nil || len(rows)-1 != len(tables[name]) {
			t.Fatalf("%s: %d rows and %d: %v", name, len(rows)-1, len(tables[name]), err)
		}
		for n, row := range rows[1:] {
			for i, want := range row {
				cells++
				if got := tables[name][n][rows[0][i]]; !sameCell(got, want) {
					t.Errorf("%s row %d %s: %q, the CSV has %q", name, n+1, rows[0][i], got, want)
				}
			}
		}
	}
	t.Logf("%d cells of %d tables are the same", cells, len(files))
}

// sameCell compares a cell of Parquet with that of a CSV file, in which what looks like a formula has an
// apostrophe before it and a time no zeros after its seconds.
func sameCell(got, want string) bool {
	if at, err := time.Parse(time.RFC3339Nano, want); err == nil {
		other, err := time.Parse(time.RFC3339Nano, got)
		return err == nil && at.Equal(other)
	}
	if a, err := strconv.ParseFloat(want, 64); err == nil {
		b, err := strconv.ParseFloat(got, 64)
		return err == nil && a == b
	}
	return got == want || "'"+got == want
}
