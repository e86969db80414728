package main

import (
	_ "embed"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// number is the version that is released next, or was released from this very tree.
//
//go:embed VERSION
var number string

// What a release's build knows of itself; empty in every other build.
var version, commit string

func showVersion() *cobra.Command {
	return jsonFlag(&cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			facts := map[string]string{
				"version": versionText(), "commit": commitText(), "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH,
			}
			return say(c, facts, "stele %s\n", versionText())
		},
	})
}

// versionText is the release's version. A build that is no release is one on the way to it.
func versionText() string {
	if version != "" {
		return version
	}
	text := strings.TrimSpace(number) + "-dev"
	if at := commitText(); at != "" {
		text += "+" + at[:min(len(at), 12)]
	}
	return text
}

// commitText is what the binary was built from, "" where the build does not know.
func commitText() string {
	if commit != "" {
		return commit
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return ""
}
