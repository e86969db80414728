// Package program runs programs of the machine. It must not know what they are for.
package program

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// Look finds a program on the machine, as exec.LookPath does.
type Look func(name string) (path string, err error)

// New is a command with nothing of this process's surroundings but where programs
// are. It ends with ctx, and its pipes shortly after.
func New(ctx context.Context, path string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, path, args...)
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/", "LC_ALL=C.UTF-8"}
	c.WaitDelay = time.Second
	return c
}

// Error is that of a program, with what it said.
type Error struct {
	Program string
	Said    string
	Err     error
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %v: %s", e.Program, e.Err, e.Said) }

func (e *Error) Unwrap() error { return e.Err }

// Complaint keeps the first bytes that a program writes and swallows the rest.
type Complaint struct {
	bytes.Buffer

	Most int
}

func (c *Complaint) Write(p []byte) (int, error) {
	c.Buffer.Write(p[:min(len(p), c.Most-c.Len())])
	return len(p), nil
}
