// Command release makes everything that is handed out of one commit: binaries, archives, packages, an image, lists of
// what is in them, and checksums. The same commit and the same Go give the same bytes on every machine.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// release is one run of this program.
type release struct {
	root    string // of the tree
	out     string // the folder that is handed out
	work    string // a folder for what is not
	version string
	commit  string
	stamp   time.Time // of every file
	draft   bool
}

func main() {
	var r release
	var epoch int64
	var only string
	flag.StringVar(&r.root, "root", "../..", "folder of the tree")
	flag.StringVar(&r.out, "out", "dist", "folder to write to; what is in it is removed")
	flag.StringVar(&r.commit, "commit", "", "commit of the tree")
	flag.Int64Var(&epoch, "epoch", 0, "time of every file, in seconds (SOURCE_DATE_EPOCH)")
	flag.StringVar(&only, "only", "", "platforms to build, such as linux/amd64,linux/arm64 (default: all)")
	flag.BoolVar(&r.draft, "draft", false, "not to be handed out: the schema of the version need not be kept yet")
	flag.Parse()

	r.stamp = time.Unix(epoch, 0).UTC()
	if err := r.run(only); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func (r *release) run(only string) error {
	list, err := choose(only)
	if err != nil {
		return err
	}
	if err := r.prepare(); err != nil {
		return err
	}
	defer os.RemoveAll(r.work)
	if !r.draft {
		if err := r.fixture(); err != nil {
			return err
		}
	}

	var images []platform
	for _, p := range list {
		steps := []func(platform) error{r.build, r.describe, r.archive}
		if p.os == "linux" {
			steps = append(steps, r.packages)
			images = append(images, p)
		}
		for _, step := range steps {
			if err := step(p); err != nil {
				return fmt.Errorf("%s: %w", p, err)
			}
		}
		fmt.Println("built", p)
	}
	if err := r.image(images); err != nil {
		return fmt.Errorf("image: %w", err)
	}
	return r.sums()
}

// prepare reads the version and empties the folder.
func (r *release) prepare() (err error) {
	text, err := os.ReadFile(filepath.Join(r.root, "cmd", "stele", "VERSION"))
	if err != nil {
		return err
	}
	r.version = strings.TrimSpace(string(text))
	if r.root, err = filepath.Abs(r.root); err != nil {
		return err
	}
	if r.out, err = filepath.Abs(r.out); err != nil {
		return err
	}
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	r.work, err = os.MkdirTemp("", "stele-release-")
	return err
}

// path is a file of the tree.
func (r *release) path(names ...string) string {
	return filepath.Join(append([]string{r.root}, names...)...)
}
