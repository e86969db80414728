package assembly

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
)

// slowDatabase is how long the database may take to say anything.
const slowDatabase = 20 * time.Millisecond

func (d *doctor) database(ctx context.Context, h *Installation) {
	start := time.Now()
	if err := h.Store.Ping(ctx); err != nil {
		d.add(Problem, "database", err.Error(), "see that it runs and can be reached")
		return
	}
	took := time.Since(start)
	what := fmt.Sprintf("%s answers in %s", h.Store.Engine(), took.Round(10*time.Microsecond))
	if took > slowDatabase {
		d.add(Warning, "database", what, "put servers and database close to each other")
		return
	}
	d.add(Fine, "database", what, "")
}

// secrets opens everything that is sealed.
func (d *doctor) secrets(ctx context.Context, h *Installation) {
	if info, err := os.Stat(h.MasterKeyFile()); err == nil && info.Mode().Perm()&0o007 != 0 {
		d.add(Warning, "master key", fmt.Sprintf("%s has mode %04o: everybody on this machine can read it", h.MasterKeyFile(), info.Mode().Perm()), "chmod 600 "+h.MasterKeyFile())
	}
	if state := h.Keyring.State(); state.To != "" {
		d.add(Warning, "master key", "it is being changed to "+state.To, "stele master-key rotate goes on")
	}
	opened, broken, err := h.VerifySealed(ctx)
	switch {
	case err != nil:
		d.add(Problem, "master key", err.Error(), "")
	case len(broken) > 0:
		d.add(Problem, "master key", "it does not open "+strings.Join(broken, ", "), "restore the key that they were sealed with, or enter these secrets anew")
	default:
		d.add(Fine, "master key", fmt.Sprintf("opens all %d sealed values", opened), "")
	}
}

func (d *doctor) people(ctx context.Context, h *Installation) {
	if has, err := h.Access.HasAdmin(ctx); err == nil && !has {
		d.add(Note, "people", "there is no administrator: nobody can sign in to the console", "stele users create --admin --email ADDRESS")
	}
}

func (d *doctor) providers(ctx context.Context, h *Installation) {
	s, err := h.Supply(ctx, d.process)
	if err != nil {
		d.add(Problem, "providers", err.Error(), "stele config check says where")
		return
	}
	on := 0
	for _, p := range s.Providers() {
		switch {
		case len(p.Wrong) > 0:
			for field, why := range p.Wrong {
				d.add(Problem, "provider "+p.ID, field+": "+why, "correct it where it is kept: stele providers list")
			}
		case p.Enabled:
			on++
		}
	}
	if on == 0 {
		d.add(Note, "providers", "there are none: only the sandbox and the studio answer", "add one in the console, or set OPENAI_API_KEY and the like")
		return
	}
	d.add(Fine, "providers", fmt.Sprintf("%d are on", on), "stele providers test NAME asks one")
}

func (d *doctor) files(ctx context.Context, _ *Installation) {
	blobs, err := openBlobs(d.cfg, d.process.Getenv)
	if err == nil {
		defer blobs.Close()
		err = blobs.Check(ctx)
	}
	if err != nil {
		d.add(Problem, "files", err.Error(), "see that blob_url is right and can be reached")
		return
	}
	d.add(Fine, "files", "can be reached", "")
}

// lateJournal is how long a record of usage may wait for the database.
const lateJournal = time.Minute

func (d *doctor) journal(context.Context, *Installation) {
	for _, name := range d.left("journal/usage_*.jsonl") {
		if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > lateJournal {
			d.add(Warning, "usage", fmt.Sprintf("%s waits for the database since %s", name, info.ModTime().UTC().Format(time.DateTime)),
				"start the server on this folder: it carries it over")
		}
	}
	if len(d.left("journal/refused.jsonl")) > 0 {
		d.add(Problem, "usage", "the database refused records: they are in journal/refused.jsonl with the reason", "please report it")
	}
}

func (d *doctor) money(ctx context.Context, h *Installation) {
	v, err := h.VerifyMoney(ctx)
	switch {
	case err != nil:
		d.add(Problem, "money", err.Error(), "")
	case len(v.Differences) > 0:
		d.add(Problem, "money", fmt.Sprintf("%d counters disagree with what was used", int64(len(v.Differences))+v.More), "stele money verify lists them")
	default:
		d.add(Fine, "money", fmt.Sprintf("%d counters agree with what was used", v.Counters), "")
	}
}
