package house

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

const binaryVariable = "STELE_TEST_BINARY"

// Main is for TestMain: it runs the tests against the binary that
// STELE_TEST_BINARY names, or against one it builds for them.
func Main(m *testing.M) int {
	if os.Getenv(binaryVariable) != "" {
		return m.Run()
	}
	return MainWith(m)
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
	return m.Run()
}

// Root is the folder of the source tree.
func Root() string {
	_, here, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(here), "..", "..")
}

func build(binary string, flags []string) error {
	cmd := exec.Command("go", append(append([]string{"build", "-o", binary}, flags...), "./cmd/stele")...)
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
