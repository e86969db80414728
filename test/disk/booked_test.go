package disk

import (
	"encoding/json"
	"path/filepath"
)

// page is a file of the journal as far as the trace has been read.
type page struct {
	unsynced []entry
	named    bool
	unnamed  []string // requests whose records are synced while the file's name is not
}

// booked says by request where the trace has a chat's record on the disk, with the name
// of its file: from there on it is booked.
func booked(list []entry) map[string]int64 {
	pages, at := make(map[uint64]*page), make(map[string]int64)
	for i := range list {
		e := &list[i]
		p := pages[e.File]
		switch {
		case e.Op == "create":
			delete(pages, e.File)
			if filepath.Base(filepath.Dir(e.Path)) == "journal" {
				pages[e.File] = &page{}
			}
		case e.Op == "syncdir" && filepath.Base(e.Path) == "journal":
			for _, p := range pages {
				p.named = true
				for _, id := range p.unnamed {
					at[id] = e.end
				}
				p.unnamed = nil
			}
		case p == nil:
		case e.Op == "write":
			p.unsynced = append(p.unsynced, *e)
		case e.Op == "sync":
			p.sync(e, at)
		}
	}
	return at
}

func (p *page) sync(e *entry, at map[string]int64) {
	for len(p.unsynced) > 0 && p.unsynced[0].begin < e.Upto {
		var record struct{ Request string }
		if json.Unmarshal(p.unsynced[0].bytes, &record) == nil && record.Request != "" {
			if p.named {
				at[record.Request] = e.end
			} else {
				p.unnamed = append(p.unnamed, record.Request)
			}
		}
		p.unsynced = p.unsynced[1:]
	}
}
