package doctor

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"stele/internal/assembly"
	"stele/internal/store"
	"stele/internal/store/migration"
)

// Upgrade says what this binary would do to the database when it starts, and what speaks against it.
// It changes nothing.
func Upgrade(ctx context.Context, o Options) []Finding {
	state, err := store.Inspect(ctx, o.Config.DatabaseURL.Reveal(), o.Config.Data, o.Now.Add(-heardOf))
	u := &upgrade{o, state}
	switch {
	case isMissing(err):
		return []Finding{{"database", OK, "there is none in " + o.Config.Data + ": the first start makes it", ""}}
	case err != nil:
		return []Finding{{"database", Bad, fmt.Sprintf("it cannot be used: %v", err), "look at database_url, and whether the database runs and takes its password"}}
	case state.Schema == 0:
		return []Finding{{"database", OK, state.Engine + ", without tables: the first start makes them", ""}}
	}
	return u.findings()
}

// heardOf is how long a server may be silent that still counts as running.
const heardOf = 30 * time.Second

// largeTable is from how many rows on a step is worth a warning.
const largeTable = 1_000_000

type upgrade struct {
	Options
	store.State
}

func (u *upgrade) findings() []Finding {
	found := u.database()
	if !u.Usable() {
		return found
	}
	found = append(found, u.steps()...)
	found = append(found, u.servers()...)
	if len(u.Steps) > 0 {
		found = append(found, u.backup(), u.back())
	}
	return found
}

func (u *upgrade) database() []Finding {
	is := fmt.Sprintf("%s, schema %d", u.Engine, u.Schema)
	if u.Release != "" {
		is += ", that of " + u.Release
		if u.Schema != u.ReleaseSchema {
			is += " and what came after it"
		}
	}
	is += fmt.Sprintf("; this stele is %s and knows %d", u.Process.Version, u.Known)
	switch {
	case !u.Usable():
		since := "later ones only"
		if u.Serves.Version != "" {
			since = u.Serves.Version + " and later ones only"
		}
		return []Finding{{"database", Bad, is + ": the database serves " + since, "use a newer stele, or restore a backup from before the upgrade"}}
	case u.Schema > u.Known:
		return []Finding{{"database", Note, is + ": a newer stele made its tables, and this one may work with them", ""}}
	case u.Unfinished > 0:
		return []Finding{{"database", Warning, is + fmt.Sprintf(": an upgrade that began at schema %d has not ended", u.Unfinished), "start this stele: it goes on with it"}}
	}
	return []Finding{{"database", OK, is, ""}}
}

func (u *upgrade) steps() []Finding {
	if len(u.Steps) == 0 {
		return []Finding{{"steps", OK, "there is nothing to do", ""}}
	}
	var found []Finding
	for _, step := range u.Steps {
		found = append(found, u.step(step))
	}
	return found
}

func (u *upgrade) step(step store.Step) Finding {
	f := Finding{"step " + step.Name, OK, "at once", ""}
	for i, w := range step.Work {
		said := fmt.Sprintf("%s about %d rows of %s", w.Kind, w.Rows, w.Table)
		if u.Engine == "postgres" {
			switch w.Kind {
			case migration.Reads:
				said += ", and who writes to it waits"
			case migration.Rewrites:
				said += ", and who uses it waits"
			}
		}
		if i == 0 {
			f.Said = said
		} else {
			f.Said += "; " + said
		}
		if w.Rows >= largeTable {
			f.Class, f.Do = Warning, "choose a quiet hour"
		}
	}
	return f
}

func (u *upgrade) servers() []Finding {
	if len(u.Living) == 0 {
		return []Finding{{"servers", OK, "none was heard of lately", ""}}
	}
	var found []Finding
	for _, n := range u.Living {
		version := cmp.Or(n.Version, "unknown")
		f := Finding{"server " + n.ID, OK, fmt.Sprintf("version %s, heard of %s ago", version, u.Now.Sub(n.Seen).Round(time.Second)), ""}
		if u.Schema < u.WillServe.Schema {
			f.Class, f.Do = Bad, fmt.Sprintf("stop all servers first, or upgrade to %s before", u.WillServe.Version)
			f.Said += ": it may be older than " + u.WillServe.Version + ", and does not work with the new schema"
		}
		found = append(found, f)
	}
	return found
}

func (u *upgrade) backup() Finding {
	if u.Engine == "sqlite" {
		return u.roomForCopy()
	}
	const do = "stele backup FOLDER, or make sure of your own (pg_dump, archiving)"
	switch age := u.Now.Sub(u.BackedUp).Round(time.Minute); {
	case u.BackedUp.IsZero():
		return Finding{"backup", Warning, "stele backup was never called", do}
	case age > 24*time.Hour:
		return Finding{"backup", Warning, fmt.Sprintf("stele backup was last called %s ago", age), do}
	default:
		return Finding{"backup", OK, fmt.Sprintf("stele backup was called %s ago", age), ""}
	}
}

// roomForCopy says whether there is room for the copy that is made first.
func (u *upgrade) roomForCopy() Finding {
	info, err := os.Stat(filepath.Join(u.Config.Data, "stele.db"))
	if err != nil {
		return Finding{"backup", Bad, fmt.Sprintf("the database cannot be copied: %v", err), "look at the data folder"}
	}
	said := fmt.Sprintf("stele.db (%d MB) is copied to stele.db.schema-%d first", info.Size()>>20, u.Schema)
	if u.Unfinished > 0 {
		said = fmt.Sprintf("stele.db.schema-%d was made when the upgrade began", u.Unfinished)
	} else if free, size := assembly.DiskSpace(u.Config.Data); size > 0 && free < info.Size() {
		return Finding{"backup", Bad, said + fmt.Sprintf(", and only %d MB are free", free>>20), "make room, or save it elsewhere with stele backup and call stele upgrade --no-copy"}
	}
	return Finding{"backup", OK, said, ""}
}

func (u *upgrade) back() Finding {
	switch {
	case u.Schema >= u.WillServe.Schema && u.WillServe.Version != "":
		return Finding{"back", OK, "works: " + u.WillServe.Version + " and what came after it start on the new schema as well", ""}
	case u.Engine == "sqlite":
		return Finding{"back", Note, "the version that runs now does not start on the new schema: the way back is the copy", ""}
	}
	return Finding{"back", Note, "the version that runs now does not start on the new schema: the way back is a backup", ""}
}
