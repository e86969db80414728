package access

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// Chained is the place of an entry in the chain of the audit log.
type Chained struct {
	Seq  int64
	Hash string
}

// Head is where the chain of the audit log ends, and after which entry it begins:
// older ones are deleted by their age. Proof is a keyed hash of both.
type Head struct {
	Chained

	Base  Chained
	Proof string
}

// Text is what the proof is made of.
func (h Head) Text() string {
	return fmt.Sprintf("%d %s %d %s", h.Seq, h.Hash, h.Base.Seq, h.Base.Hash)
}

// ChainHash is the hash of an entry that follows one of a hash. Everything that is
// kept of an entry goes into it.
func ChainHash(before string, e Entry) string {
	fields := []string{
		before, strconv.FormatInt(e.Seq, 10), e.ID, strconv.FormatInt(unixMilli(e.At), 10), e.Actor, e.ActorName, e.Workspace, e.Action, e.Target, e.Detail,
	}
	for _, c := range e.Changes {
		fields = append(fields, c.Field, c.Old, c.New)
	}
	text, err := json.Marshal(fields)
	if err != nil {
		panic(err) // texts
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func unixMilli(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// ChainStore is the audit log as a chain, of all workspaces.
type ChainStore interface {
	// AuditHead is where the chain ends.
	AuditHead(ctx context.Context) (Head, error)
	// EntriesAfter lists entries in the order of the chain.
	EntriesAfter(ctx context.Context, seq int64, limit int) ([]Entry, error)
	// CountUnchained counts the entries that have no place in the chain.
	CountUnchained(ctx context.Context) (int64, error)
}

// Verdict is what came of looking at the whole audit log.
type Verdict struct {
	Entries int64
	Head    Head
	Faults  []string // what is wrong, the first few; none: nothing was changed or removed
}

const (
	chainBite  = 1000
	mostFaults = 20
)

// VerifyAudit looks at every entry of the chain: whether each is what it was, none
// is missing, and the head is ours. Anchor, if it has a place, must be part of the
// chain: a head that was noted down elsewhere.
func VerifyAudit(ctx context.Context, s ChainStore, proves func(text string) string, anchor Chained) (v Verdict, err error) {
	if v.Head, err = s.AuditHead(ctx); err != nil {
		return v, err
	}
	fault := func(format string, args ...any) {
		if len(v.Faults) < mostFaults {
			v.Faults = append(v.Faults, fmt.Sprintf(format, args...))
		}
	}
	if proves(v.Head.Text()) != v.Head.Proof {
		fault("the head of the chain was not written by this installation")
	}
	if n, err := s.CountUnchained(ctx); err != nil {
		return v, err
	} else if n > 0 {
		fault("%d entries are not part of the chain", n)
	}
	last, anchored := v.Head.Base, anchor.Seq == 0
	for last.Seq < v.Head.Seq {
		list, err := s.EntriesAfter(ctx, last.Seq, chainBite)
		if err != nil {
			return v, err
		}
		if len(list) == 0 {
			break
		}
		for _, e := range list {
			if e.Seq > v.Head.Seq {
				break // written since
			}
			if e.Seq != last.Seq+1 {
				fault("entries %d to %d are missing", last.Seq+1, e.Seq-1)
			} else if ChainHash(last.Hash, e) != e.Hash {
				fault("entry %d (%s, %s) was changed", e.Seq, e.ID, e.Action)
			}
			last = Chained{e.Seq, e.Hash}
			anchored = anchored || last == anchor
			v.Entries++
		}
		if list[len(list)-1].Seq > v.Head.Seq {
			break
		}
	}
	if last != v.Head.Chained {
		fault("the chain ends at entry %d and not at entry %d, its head: the last entries are missing or were changed", last.Seq, v.Head.Seq)
	}
	if !anchored {
		fault("entry %d is not the one that was noted down", anchor.Seq)
	}
	return v, nil
}
