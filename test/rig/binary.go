package rig

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

const binaryVariable = "STELE_TEST_BINARY"

// Main is for TestMain: it runs the tests against the binary that
// STELE_TEST_BINARY names, or against one it builds for them.
func Main(m *testing.M) int {
	if os.Getenv(binaryVariable) != "" {
		return run(m)
	}
	return MainWith(m)
}

// MainRigged is Main for a binary that has points to die at and a layer under its files, both of which do nothing until
// they are told to. STELE_TEST_BINARY_RIGGED names it: all of the program is compiled anew for it, once.
func MainRigged(m *testing.M) int {
	binary := os.Getenv(binaryVariable + "_RIGGED")
	if binary == "" {
		return MainWith(m, "-tags", "crash,faulty")
	}
	if err := os.Setenv(binaryVariable, binary); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return run(m)
}

// MainWith is for TestMain: it builds a binary with flags of its own for go build
// and runs the tests against that.
func MainWith(m *testing.M, flags ...string) int {
	folder, err := os.MkdirTemp("", "stele-binary-")
	if err == nil {
		defer os.RemoveAll(folder)
		err = build(filepath.Join(folder, "stele"), flags)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return run(m)
}

func run(m *testing.M) int {
	forgetKeys()
	sideBySide()
	return m.Run()
}

// sideBySide runs more tests at once than there are processors, unless -parallel
// says how many: most of their time is waiting for other processes and for clocks.
func sideBySide() {
	flag.Parse()
	told := false
	flag.Visit(func(f *flag.Flag) { told = told || f.Name == "test.parallel" })
	if !told {
		_ = flag.Set("test.parallel", strconv.Itoa(3*runtime.GOMAXPROCS(0))) // a number always fits
	}
}

// forgetKeys keeps the SDKs from finding the keys and addresses of the person who runs the tests.
func forgetKeys() {
	for _, setting := range os.Environ() {
		name, _, _ := strings.Cut(setting, "=")
		for _, prefix := range []string{"OPENAI_", "ANTHROPIC_", "GOOGLE_", "GEMINI_"} {
			if strings.HasPrefix(name, prefix) {
				os.Unsetenv(name)
			}
		}
	}
}

// Root is the folder of the source tree. Tests run in a folder of it: a program that was built with -trimpath does not know
// where its sources are.
func Root() string {
	here, _ := os.Getwd() // "" is in no tree
	for dir := here; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "cmd", "stele", "VERSION")); err == nil {
			return dir
		}
	}
	panic("the tests do not run in the source tree, but in " + here)
}

func build(binary string, flags []string) error {
	cmd := exec.Command("go", append(append([]string{"build", "-ldflags=-s -w", "-o", binary}, flags...), "./cmd/stele")...)
	cmd.Dir = Root()
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build stele: %w\n%s", err, out)
	}
	return os.Setenv(binaryVariable, binary)
}

// Need is the value of a STELE_TEST_ variable that names what a test cannot do
// without. Where it is not set the test is skipped, or fails if STELE_TEST_REQUIRE
// says that nothing is lacking.
func Need(t testing.TB, variable string) string {
	t.Helper()
	value := os.Getenv(variable)
	if value == "" {
		Lacking(t, variable+" is not set")
	}
	return value
}

// Lacking ends a test that cannot be run here, as Need does.
func Lacking(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("STELE_TEST_REQUIRE") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}
