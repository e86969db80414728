package assembly

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"stele/internal/config"
)

// Finding is something that an operator should know of an installation.
type Finding struct {
	Level   Level  `json:"level"`
	Subject string `json:"subject"`
	Found   string `json:"found"`
	Do      string `json:"do,omitempty"` // "": nothing needs to be done
}

// Level is how much a finding matters.
type Level string

// The levels, from good to bad.
const (
	Fine    Level = "ok"
	Note    Level = "note"    // something is not offered, or could be better
	Warning Level = "warning" // it works, and may not tomorrow, or is open to more people than it should be
	Problem Level = "problem" // something does not work, or is lost
)

// Examine looks for what is missing, slow, old or open. Nothing is changed but that the
// tables are brought up to date, as by every command.
func Examine(ctx context.Context, p Process) []Finding {
	cfg, err := p.Load()
	if err == nil {
		_, err = ReadContents(cfg)
	}
	if err != nil {
		return []Finding{{Problem, "configuration", err.Error(), "stele config check says where"}}
	}
	d := &doctor{cfg: cfg, process: p}
	d.add(Fine, "configuration", orDefault(cfg.File, "no file: the defaults"), "")
	d.folder()
	d.exposure()
	d.programs()
	d.server(ctx)
	h, err := Open(ctx, cfg)
	if err != nil {
		d.add(Problem, "database", err.Error(), "see that it runs and that the master key is the right one")
		return d.found
	}
	defer h.Close()
	for _, look := range []func(context.Context, *Installation){d.database, d.secrets, d.people, d.providers, d.files, d.journal, d.money} {
		look(ctx, h)
	}
	return d.found
}

type doctor struct {
	cfg     *config.Config
	process Process
	found   []Finding
}

func (d *doctor) add(level Level, subject, found, do string) {
	d.found = append(d.found, Finding{level, subject, found, do})
}

func orDefault(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// slowSync is how long a disk may take to keep something before it is worth a word.
const slowSync = 50 * time.Millisecond

// folder looks at the data folder: who can read it, and how long the disk takes.
func (d *doctor) folder() {
	info, err := os.Stat(d.cfg.Data)
	if err != nil {
		d.add(Note, "data folder", d.cfg.Data+" is not there yet", "the first start makes it")
		return
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		d.add(Warning, "data folder", fmt.Sprintf("%s has mode %04o: others on this machine can look into it", d.cfg.Data, mode), "chmod 700 "+d.cfg.Data)
	}
	took, err := syncTime(d.cfg.Data)
	switch {
	case err != nil:
		d.add(Problem, "data folder", err.Error(), "see that the disk is not full and that the folder is this user's")
	case took > slowSync:
		d.add(Warning, "disk", fmt.Sprintf("it takes %s to keep 4 KB", took.Round(time.Millisecond)), "use a faster disk for "+d.cfg.Data+", or PostgreSQL")
	default:
		d.add(Fine, "disk", fmt.Sprintf("keeps 4 KB in %s", took.Round(10*time.Microsecond)), "")
	}
}

// syncTime is the middle of some tries.
func syncTime(folder string) (time.Duration, error) {
	f, err := os.CreateTemp(folder, ".doctor-*")
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	var took []time.Duration
	for range 9 {
		start := time.Now()
		if _, err := f.Write(make([]byte, 4096)); err != nil {
			return 0, err
		}
		if err := f.Sync(); err != nil {
			return 0, err
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}

// exposure looks at who can reach what.
func (d *doctor) exposure() {
	c := d.cfg
	if public := c.Public(c.Listen); !loopback(c.Listen) && !c.TLS.On() && !strings.HasPrefix(public, "https://") {
		d.add(Warning, "network", "others reach "+c.Listen+" without TLS: keys and passwords can be read on the way",
			"set tls, or put a proxy that ends TLS before it and set public_url to its https address")
	}
	if c.Metrics.Listen != "" && !loopback(c.Metrics.Listen) && c.Metrics.Token == "" {
		d.add(Warning, "metrics", "everybody who reaches "+c.Metrics.Listen+" can read them", "set metrics.token_file, or listen on loopback")
	}
	if strings.HasPrefix(c.PublicURL, "https://") && !c.TLS.On() && len(c.TrustedProxies) == 0 {
		d.add(Warning, "network", "no proxy is trusted, so every client has the proxy's address in logs, limits and the sign-in throttle", "set trusted_proxies")
	}
	if !loopback(c.Listen) && orDefault(c.Auth.RequireSecondFactor, "none") == "none" && !c.Auth.SSOOnly {
		d.add(Note, "people", "a password alone opens the console", "set auth.require_second_factor: administrators")
	}
}

// programs looks for what the studio uses if it is there.
func (d *doctor) programs() {
	missing := map[string]string{"ffmpeg": "clips as MP4 and sound as MP3 are not offered", "espeak-ng or flite": "stele/voice is not offered"}
	for _, name := range []string{"ffmpeg", "espeak-ng", "flite"} {
		if _, err := exec.LookPath(name); err == nil {
			maps.DeleteFunc(missing, func(names, _ string) bool { return strings.Contains(names, name) })
		}
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		d.add(Note, "programs", name+" is not on this machine: "+missing[name], "install it and start again")
	}
}

// server asks the one on this machine.
func (d *doctor) server(ctx context.Context) {
	if err := Probe(ctx, d.cfg, "/readyz"); err != nil {
		d.add(Note, "server", err.Error(), "stele serve, if it is to run here")
		return
	}
	d.add(Fine, "server", "serves at "+d.cfg.Listen, "")
}

// left names files of the data folder, by pattern.
func (d *doctor) left(pattern string) []string {
	names, _ := filepath.Glob(filepath.Join(d.cfg.Data, pattern)) // the pattern is ours
	return names
}
