// Package test runs the built program as its users do: the official SDKs against
// it, and its life from the first start to the last request.
package test

import (
	"flag"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"stele/test/house"
)

func TestMain(m *testing.M) {
	forgetKeys()
	sideBySide()
	os.Exit(house.Main(m))
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

// forgetKeys keeps the SDKs from finding the keys and addresses of whoever runs the tests.
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
