package table

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// Sum tells two tables apart, whatever the order of their rows: engines sort texts
// differently. The zero value is that of an empty table.
type Sum struct {
	rows  int64
	parts [4]uint64
}

// Add counts a row as AppendRow writes it.
func (s *Sum) Add(line []byte) {
	digest := sha256.Sum256(line)
	s.rows++
	for i := range s.parts {
		s.parts[i] += binary.BigEndian.Uint64(digest[8*i:])
	}
}

// Rows is how many rows were counted.
func (s *Sum) Rows() int64 { return s.rows }

// String is the sum as text.
func (s *Sum) String() string {
	return fmt.Sprintf("%016x%016x%016x%016x", s.parts[0], s.parts[1], s.parts[2], s.parts[3])
}

// Count gives the rows on and adds each to the sum.
func (t *Table) Count(rows Rows, sum *Sum) Rows {
	return func(yield func([]any, error) bool) {
		var line []byte
		for row, err := range rows {
			if err == nil {
				if line, err = t.AppendRow(line[:0], row); err == nil {
					sum.Add(line)
				}
			}
			if !yield(row, err) {
				return
			}
		}
	}
}
