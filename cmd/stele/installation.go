package main

import (
	"github.com/spf13/cobra"

	"stele/internal/assembly"
	"stele/internal/config"
	"stele/internal/console"
)

// process is what a server sees of the world.
func process(w world, f *flags) assembly.Process {
	return assembly.Process{
		Load: func() (*config.Config, error) { return f.load(w) }, Getenv: w.getenv, Log: w.stderr, Version: versionText(),
	}
}

// withInstallation runs a command on the data folder and its database, whether a
// server is running there or not.
func withInstallation(c *cobra.Command, w world, f *flags, do func(*assembly.Installation) error) error {
	cfg, err := f.load(w)
	if err != nil {
		return err
	}
	h, err := assembly.Open(c.Context(), cfg)
	if err != nil {
		return err
	}
	defer h.Close()
	return do(h)
}

// withTasks runs a command that looks at generations.
func withTasks(c *cobra.Command, w world, f *flags, do func(*assembly.Installation, assembly.TaskServices) error) error {
	return withInstallation(c, w, f, func(h *assembly.Installation) error {
		tasks, err := h.Tasks(c.Context())
		if err != nil {
			return err
		}
		return do(h, tasks)
	})
}

// withSupply runs a command that looks at providers and models.
func withSupply(c *cobra.Command, w world, f *flags, do func(console.Supply) error) error {
	return withInstallation(c, w, f, func(h *assembly.Installation) error {
		s, err := h.Supply(c.Context(), process(w, f))
		if err != nil {
			return err
		}
		return do(s)
	})
}
