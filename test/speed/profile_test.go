package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"stele/test/rig"
)

// profileVariable names a folder for profiles: one of the CPU and one of what was
// allocated for each scene. Stele and the proxy are built with testdata/profile.go in them then.
const profileVariable = "STELE_BENCH_PROFILE"

// The folders in it: of the server that all benchmarks have, of the one that some compare it with, and of the proxy.
const (
	plainServer = ""
	otherServer = "other"
	proxyServer = "proxy"
)

func TestMain(m *testing.M) {
	if os.Getenv(profileVariable) == "" {
		os.Exit(rig.Main(m))
	}
	overlay, err := overlay()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = os.Setenv("GOFLAGS", os.Getenv("GOFLAGS")+" -overlay="+overlay)
	code := rig.MainWith(m)
	_ = os.Remove(overlay)
	os.Exit(code)
}

// overlay writes the file that has go build put the profiler into cmd/stele and into the proxy.
func overlay() (string, error) {
	root := rig.Root()
	profiler := filepath.Join(root, "test/speed/testdata/profile.go")
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(root, "cmd/stele/profile.go"):  profiler,
		filepath.Join(root, "test/speed/profile.go"): profiler,
	}})
	if err != nil {
		return "", err
	}
	file, err := os.CreateTemp("", "overlay-*.json")
	if err != nil {
		return "", err
	}
	defer file.Close()
	_, err = file.Write(text)
	return file.Name(), err
}

// profileEnv is what has a server write profiles, if that is wanted.
func profileEnv(b *testing.B, server string) []string {
	b.Helper()
	folder := os.Getenv(profileVariable)
	if folder == "" {
		return nil
	}
	folder, err := filepath.Abs(filepath.Join(folder, server))
	if err == nil {
		err = os.MkdirAll(folder, 0o700)
	}
	if err != nil {
		b.Fatal(err)
	}
	return []string{"BENCH_PROFILE=" + folder}
}

// profile has a server write the profile of a scene, if that is wanted, until the
// function it returns is called.
func profile(b *testing.B, pid int, server, scene string) func() {
	b.Helper()
	folder := os.Getenv(profileVariable)
	if folder == "" {
		return func() {}
	}
	folder = filepath.Join(folder, server)
	file := filepath.Join(folder, "scene")
	toggle := func() {
		if err := os.WriteFile(file, []byte(scene), 0o600); err != nil {
			b.Fatal(err)
		}
		if err := syscall.Kill(pid, syscall.SIGUSR1); err != nil {
			b.Fatal(err)
		}
		rig.Eventually(b, "the profile", func() bool {
			_, err := os.Stat(file)
			return os.IsNotExist(err)
		})
	}
	toggle()
	return toggle
}

// allocated reports what a server allocated for each of so many requests while the
// profile of a scene was taken, if it was.
func allocated(b *testing.B, scene string, requests int) {
	b.Helper()
	folder := os.Getenv(profileVariable)
	if folder == "" {
		return
	}
	text, err := os.ReadFile(filepath.Join(folder, scene+".memory"))
	if err != nil {
		b.Fatal(err)
	}
	var pieces, bytes float64
	if _, err := fmt.Sscan(string(text), &pieces, &bytes); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(pieces/float64(requests), "allocs-stele/req")
	b.ReportMetric(bytes/float64(requests)/1024, "KB-stele/req")
}
