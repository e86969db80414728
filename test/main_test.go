// Package test runs the built program as its users do: the official SDKs against
// it, and its life from the first start to the last request.
package test

import (
	"os"
	"strings"
	"testing"

	"stele/test/house"
)

func TestMain(m *testing.M) {
	forgetKeys()
	os.Exit(house.Main(m))
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
