package store

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"stele/internal/disk"
	"stele/internal/label"
	"stele/internal/meter"
)

const (
	refusedFile = "refused.jsonl" // beside the journal, for people
	mostRefused = 16 << 20        // bytes of it; what comes then is only named in the log
	mostReason  = 1 << 10         // bytes
	mostLine    = 8 << 10         // bytes of a line that is no record
)

// Refused is a record that was set aside because no database takes it.
type Refused struct {
	At     time.Time       `json:"at"`
	Reason string          `json:"reason"`
	Record json.RawMessage `json:"record"` // as the journal had it; a text where that was no record
	ID     string          `json:"-"`
}

// refuse sets a record aside.
func (j *Journal) refuse(r *meter.Record, why error) error {
	return j.setAside(Refused{Reason: why.Error(), Record: appendLine(nil, r), ID: r.ID})
}

// refuseLine sets a line of the journal aside that is no record.
func (j *Journal) refuseLine(line []byte, why error) error {
	text, err := json.Marshal(label.Cut(string(line), mostLine))
	if err != nil {
		return fmt.Errorf("set a line aside: %w", err)
	}
	return j.setAside(Refused{Reason: why.Error(), Record: text})
}

// setAside keeps what is refused in a file, as far as that has room, and tells.
func (j *Journal) setAside(r Refused) error {
	r.At, r.Reason = time.Now().UTC(), label.Clean(r.Reason, mostReason)
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("set a record aside: %w", err)
	}
	f, err := disk.OpenFile(filepath.Join(j.folder, refusedFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("set a record aside: %w", err)
	}
	defer f.Close()
	about, err := f.Stat()
	if err == nil && about.Size()+int64(len(line)) < mostRefused {
		if _, err = f.Write(append(line, '\n')); err != nil {
			_ = f.Truncate(about.Size()) // half a line would spoil the next
		} else {
			err = f.Sync() // the journal's own line is removed then
		}
	}
	if err != nil {
		return fmt.Errorf("set a record aside: %w", err)
	}
	if j.OnRefused != nil {
		j.OnRefused(r)
	}
	return nil
}
