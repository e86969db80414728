package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// platform is what a binary runs on.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "/" + p.arch }

var platforms = []platform{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

// choose reads a list such as linux/amd64,linux/arm64; an empty one is all.
func choose(only string) ([]platform, error) {
	if only == "" {
		return platforms, nil
	}
	var list []platform
	for text := range strings.SplitSeq(only, ",") {
		system, arch, _ := strings.Cut(text, "/")
		p := platform{system, arch}
		if !slices.Contains(platforms, p) {
			return nil, fmt.Errorf("%q is none of %v", text, platforms)
		}
		list = append(list, p)
	}
	return list, nil
}

// binary is where the program for a platform is built.
func (r *release) binary(p platform) string {
	name := "stele"
	if p.os == "windows" {
		name += ".exe"
	}
	return filepath.Join(r.work, p.os+"_"+p.arch, name)
}

// name is what files for a platform are called.
func (r *release) name(p platform) string { return "stele_" + r.version + "_" + p.os + "_" + p.arch }

// build compiles the program. Nothing of this machine is in it: no paths, no time, no variables that change what Go makes.
func (r *release) build(p platform) error {
	flags := "-s -w -X main.version=" + r.version + " -X main.commit=" + r.commit
	return r.run1(p, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", r.binary(p), "./cmd/stele")
}

// describe lists what a binary is made of, and gathers the licences that travel with it.
func (r *release) describe(p platform) error {
	tools, err := r.tools()
	if err != nil {
		return err
	}
	bill := filepath.Join(r.out, r.name(p)+".cdx.json")
	if err := r.run1(p, filepath.Join(tools, "sbom"), "-root", r.root, "-binary", r.binary(p), "-version", r.version, "-out", bill); err != nil {
		return err
	}
	return r.run1(p, filepath.Join(tools, "licenses"), "-root", r.root, "-texts", r.licences(p))
}

// licences is where the texts of all licences of a binary are written.
func (r *release) licences(p platform) string {
	return filepath.Join(r.work, p.os+"_"+p.arch, "LICENSES.txt")
}

// tools builds what describes binaries, once: run for another platform by `go run` it would be built for that.
func (r *release) tools() (folder string, err error) {
	folder = filepath.Join(r.work, "tools")
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		return "", err
	}
	build := exec.Command("go", "-C", r.path("tools"), "build", "-o", folder+"/", "./sbom", "./licenses")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("%s: %w", build, err)
	}
	return folder, nil
}

// run1 runs a program that is told of a platform.
func (r *release) run1(p platform, name string, args ...string) error {
	command := exec.Command(name, args...)
	command.Dir = r.root
	command.Env = append(os.Environ(), "GOOS="+p.os, "GOARCH="+p.arch, "CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0")
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	return nil
}
