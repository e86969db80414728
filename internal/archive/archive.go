// Package archive keeps a backup in a folder: rows as packed lines of JSON, files
// as they are, the checksum of each, and the master key for its recipients only. It must
// not know databases, nor what the rows mean.
package archive

import (
	"fmt"
	"path"
	"strings"
	"time"

	"stele/internal/table"
)

// format is raised when an older stele could not read what is written.
const format = 1

// Names in the folder.
const (
	manifestName = "manifest.json"
	sumsName     = "SHA256SUMS" // as sha256sum --check reads it
	masterName   = "master.key.age"
	blobFolder   = "blobs"
	rowsFolder   = "database"
	journal      = "journal"
)

// Manifest says what is in a backup.
type Manifest struct {
	Format  int       `json:"format"`
	Version string    `json:"version"` // of the stele that made it
	Schema  int64     `json:"schema"`
	Engine  string    `json:"engine"`
	At      time.Time `json:"at"`
	Tables  []Part    `json:"tables"`
	Jobs    Part      `json:"jobs"`
	Blobs   int       `json:"files"`
	Bytes   int64     `json:"file_bytes"`
	Gone    []string  `json:"gone,omitempty"` // files that ended while the backup was made
	Masters []string  `json:"master_keys"`    // fingerprints of those that open what is sealed
	Wrapped bool      `json:"master_key_inside"`
}

// Part is a table of a backup.
type Part struct {
	table.Table

	Rows int64  `json:"rows"`
	Sum  string `json:"sum"`
}

func (p *Part) file() string { return path.Join(rowsFolder, p.Name+".jsonl.gz") }

// compare reports how rows differ from what the manifest says.
func (p *Part) compare(sum *table.Sum) error {
	if sum.Rows() != p.Rows {
		return fmt.Errorf("%s has %d rows, not %d", p.Name, sum.Rows(), p.Rows)
	}
	if sum.String() != p.Sum {
		return fmt.Errorf("the rows of %s are not those that were saved", p.Name)
	}
	return nil
}

// Agree compares what is in a database with what was saved.
func (m *Manifest) Agree(sums map[string]table.Sum) error {
	for _, p := range m.Tables {
		sum := sums[p.Name]
		if err := p.compare(&sum); err != nil {
			return err
		}
	}
	return nil
}

// All is how many rows were saved.
func (m *Manifest) All() (n int64) {
	for _, p := range m.Tables {
		n += p.Rows
	}
	return n
}

// refuseOutside refuses a name that leads out of the folder.
func refuseOutside(name string) error {
	if name == "" || path.IsAbs(name) || path.Clean(name) != name || strings.HasPrefix(name, "..") || strings.Contains(name, `\`) {
		return fmt.Errorf("%q is no name of a file in a backup", name)
	}
	return nil
}
