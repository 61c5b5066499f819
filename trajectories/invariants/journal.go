package invariants

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Journal is what invariants read: a trajectory, and what only its records and its bytes tell.
type Journal struct {
	*trajectories.Trajectory
	// Records are those that could be read, in order, also the one that the grammar refused and those
	// after it, which are not part of the trajectory. Nil leaves the grammar unchecked.
	Records []*trajectories.Record
	// Text are the journal's bytes.
	Text []byte
	// Secrets are values by name that must not be in Text; none leaves secret_in_clear unchecked.
	Secrets map[string]string

	// These are computed once.
	samples []cua.Sample
	pages   []cua.Observation
	config  *config
}

// Read reads a journal to be checked; path is the run folder or the journal itself. A record that breaks the
// grammar is no error here: it ends the trajectory, stays among the records, and invariant grammar names it.
// A file that is no journal, or has a line that is no record before ones that are, is a
// *trajectories.SyntaxError.
func Read(path string) (*Journal, error) {
	file := path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		file = filepath.Join(path, trajectories.JournalName)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("invariants: opening journal: %w", err)
	}
	return decode(text, file)
}

func decode(text []byte, name string) (*Journal, error) {
	t, records, err := trajectories.DecodeRecords(text, name)
	if err != nil {
		return nil, err
	}
	return &Journal{Trajectory: t, Records: records, Text: text}, nil
}

// config are the fields of a recorded config that bound what is promised.
type config struct {
	Shadow  []string `json:"shadow"`
	FormCtl struct {
		Attempts int `json:"attempts"`
	} `json:"formctl"`
	Recovery struct {
		Attended bool   `json:"attended"`
		OnSpiral string `json:"on_spiral"` // "" in a journal older than a policy: it halts
		Breaker  struct {
			MaxRefusals int `json:"max_refusals"`
		} `json:"breaker"`
		Rescue struct {
			Classic bool    `json:"classic"`
			NearPx  float64 `json:"near_px"`
			Rewinds int     `json:"rewinds"` // 0 in a journal older than such a cap
		} `json:"rescue"`
		Mistakes struct {
			Run int `json:"run"`
		} `json:"mistakes"`
		Limits struct {
			MaxSteps  int `json:"max_steps"`
			MaxTokens int `json:"max_tokens"`
		} `json:"limits"`
		Policy struct {
			Allow         []string `json:"allow"`
			Open          bool     `json:"open"`
			AllowCrossing bool     `json:"allow_crossing"`
		} `json:"policy"`
	} `json:"recovery"`
}

// bounds are those of the header's config; what it does not say is as in the arm default.
func (j *Journal) bounds() *config {
	if j.config == nil {
		c := &config{}
		c.FormCtl.Attempts = 1
		c.Recovery.Breaker.MaxRefusals, c.Recovery.Mistakes.Run, c.Recovery.Rescue.NearPx = 2, 3, 40
		_ = json.Unmarshal(j.Header.Config, c) // a config that cannot be read bounds nothing
		j.config = c
	}
	return j.config
}

// sampled are the samples of the whole history.
func (j *Journal) sampled() []cua.Sample {
	if j.samples == nil {
		j.samples = j.History().Samples()
	}
	return j.samples
}

// before is the page before step i. It must not be changed.
func (j *Journal) before(i int) *cua.Observation {
	if j.pages == nil {
		h := j.History()
		for k := range j.Steps {
			j.pages = append(j.pages, h.Before(k))
		}
	}
	return &j.pages[i]
}
