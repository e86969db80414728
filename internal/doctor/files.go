package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"stele/internal/assembly"
	"stele/internal/share"
)

// What is too little, too much and too late.
const (
	littleRoom   = 1 << 30
	noRoom       = 200 << 20
	largeWAL     = 256 << 20
	slowDatabase = 100 * time.Millisecond
	wrongClock   = 2 * time.Second
	lateJournal  = time.Minute
)

func lookDataFolder(_ context.Context, p *patient) []Finding {
	if isMissing(p.folderErr) {
		return one(Bad, "start stele once, or name the folder with --data or in the configuration", "there is no data folder %s", p.Config.Data)
	}
	if p.folderErr != nil {
		return one(Bad, "run the doctor as the user that the server runs as", "the data folder cannot be looked at: %v", p.folderErr)
	}
	return checkMode(p.Config.Data, Warning)
}

func lookMasterKeyFile(_ context.Context, p *patient) []Finding {
	file := assembly.MasterFile(p.Config)
	if _, err := os.Stat(file); err != nil {
		return one(Bad, "put it back, or name it with --master-key-file: without it every sealed secret is lost", "the master key cannot be read: %v", err)
	}
	return checkMode(file, Bad)
}

// checkMode finds what other users of the machine can read.
func checkMode(path string, class Class) []Finding {
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	return one(class, "chmod go-rwx "+path, "other users of this machine can read %s (%s)", path, info.Mode().Perm())
}

func lookDisk(_ context.Context, p *patient) []Finding {
	free, size := assembly.DiskSpace(p.Config.Data)
	const do = "make room, or shorten retention in the configuration"
	switch {
	case size == 0:
		return one(Skipped, "", "this system does not say how much room there is")
	case free < noRoom:
		return one(Bad, do, "only %d MB are free below %s", free>>20, p.Config.Data)
	case free < littleRoom:
		return one(Warning, do, "only %d MB are free below %s", free>>20, p.Config.Data)
	}
	return nil
}

// mostOf is how many percent of what it may hold a workspace may have before the operator should look.
const mostOf = 80

func lookFiles(ctx context.Context, p *patient) []Finding {
	damaged, err := p.house.DamagedFiles(ctx, p.Process.Getenv)
	if err != nil {
		return one(Warning, "is the place for files up?", "files that were found damaged cannot be read again: %v", err)
	}
	if len(damaged) == 0 {
		return nil
	}
	var keys []string
	for i := range damaged {
		keys = append(keys, damaged[i].Blob)
	}
	what := fmt.Sprintf("%d files are lost or not as they were kept", len(keys))
	if len(keys) == 1 {
		what = "a file is lost or not as it was kept"
	}
	return one(Bad, "put them back from a backup, which has them under blobs/, or have them uploaded again, and look at the disk or the object storage: it does not keep what it was given",
		"%s: %s", what, joinList(keys))
}

func lookShare(ctx context.Context, p *patient) []Finding {
	workspaces, err := p.house.Store.Workspaces(ctx, "", "")
	if err != nil {
		return skip(err.Error())
	}
	free := assembly.FreeRoom(p.Config, p.house.Store.Engine())
	var found []Finding
	for _, w := range workspaces {
		sums, err := p.house.Store.Held(ctx, w.ID)
		if err != nil {
			return skip(err.Error())
		}
		held, most := share.StandingOf(sums, free, int64(p.Config.Limits.StoragePerWorkspace)).Fullest()
		if most > 0 && held > most/100*mostOf {
			found = append(found, one(Warning, "make room, shorten retention, or set limits.storage_per_workspace: what is more is refused",
				"the workspace %s holds %s of the %s that it may", w.ID, share.Text(held), share.Text(most))...)
		}
	}
	return found
}

func lookDatabase(_ context.Context, p *patient) []Finding {
	switch {
	case isMissing(p.versionErr):
		return one(Bad, "start stele once: that makes it", "there is no database in %s", p.Config.Data)
	case p.versionErr != nil:
		return one(Bad, "look at database_url, and whether the database runs and takes its password", "the database cannot be used: %v", p.versionErr)
	case !p.state.Usable():
		return one(Bad, "use the newer stele, or restore a backup from before the upgrade", "the database is at schema %d, this stele knows %d", p.state.Schema, p.state.Known)
	case p.state.Schema < p.state.Known:
		return one(Warning, "stele upgrade check says what that means; a start brings the tables up to date", "the database is at schema %d, this stele wants %d", p.state.Schema, p.state.Known)
	case p.house == nil:
		return one(Bad, "put the right master key in its place", "the installation does not open: %v", p.openErr)
	case p.figuresErr != nil:
		return one(Bad, "look at the database's own log", "the database does not answer: %v", p.figuresErr)
	case p.figures.Took > slowDatabase:
		return one(Warning, "bring server and database closer together, or look what loads it", "the database took %s for the smallest question", p.figures.Took.Round(time.Millisecond))
	}
	return nil
}

func lookWAL(_ context.Context, p *patient) []Finding {
	info, err := os.Stat(filepath.Join(p.Config.Data, "stele.db-wal"))
	if err != nil || info.Size() < largeWAL {
		return nil
	}
	return one(Warning, "look for a program that holds the database open, such as a backup or sqlite3, and restart the server", "stele.db-wal has %d MB: SQLite cannot fold it into the database", info.Size()>>20)
}

func lookClock(_ context.Context, p *patient) []Finding {
	const do = "let the machine set its clock by itself (NTP): keys, limits and signed addresses depend on it"
	if !p.figures.Clock.IsZero() {
		if off := p.figures.Clock.Sub(p.Now).Abs(); off > wrongClock+p.figures.Took {
			return one(Bad, do, "this machine and the database differ by %s", off.Round(time.Second))
		}
	}
	info, err := os.Stat(filepath.Join(p.Config.Data, "stele.db"))
	if err == nil && info.ModTime().After(p.Now.Add(time.Minute)) {
		return one(Bad, do, "the database was written at %s, which is still to come", info.ModTime().UTC().Format(time.RFC3339))
	}
	return nil
}

func lookSealed(ctx context.Context, p *patient) []Finding {
	_, broken, err := p.house.VerifySealed(ctx)
	switch {
	case err != nil:
		return one(Bad, "look at the database's own log", "sealed secrets cannot be read: %v", err)
	case len(broken) > 0:
		return one(Bad, "set these again, or put back the master key that sealed them", "%d do not open: %s", len(broken), strings.Join(firsts(broken), ", "))
	}
	return nil
}

func lookJournal(_ context.Context, p *patient) []Finding {
	var found []Finding
	names, _ := filepath.Glob(filepath.Join(p.Config.Data, "journal", "usage_*.jsonl")) // the pattern is ours
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && p.Now.Sub(info.ModTime()) > lateJournal {
			found = one(Warning, "start the server: it carries them over; where it runs, its log says what the database refuses",
				"usage since %s waits in the journal", info.ModTime().UTC().Format(time.RFC3339))
			break
		}
	}
	if info, err := os.Stat(filepath.Join(p.Config.Data, "journal", "refused.jsonl")); err == nil && info.Size() > 0 {
		found = append(found, one(Warning, "read journal/refused.jsonl: each line says why", "some usage was refused by the database and set aside")...)
	}
	return found
}

func lookRunning(_ context.Context, p *patient) []Finding {
	if p.figures.NodesAlive > 0 {
		return nil
	}
	return one(Note, "start it: stele serve", "no server is running on this database")
}

// firsts are as many as fit into a sentence.
func firsts(list []string) []string {
	const most = 5
	if len(list) <= most {
		return list
	}
	return append(list[:most:most], "…")
}
