package rig

import "testing"

// TestSecretsAreFound makes sure that the check at the end of every house would see something.
func TestSecretsAreFound(t *testing.T) {
	t.Parallel()
	first, made := Forge("sk_dev_"), Forge("sk_live_")
	greeting := "http://127.0.0.1/console/setup?token=0123456789abcdefghij\n  " + first + "\n  curl -H \"Authorization: Bearer " + first + "\"\n"
	h := &House{}
	h.secrets.greeted(greeting)
	h.Keep(made)
	for _, c := range []struct {
		name           string
		stdout, stderr string
		told           int
	}{
		{"nothing told", greeting, `{"path":"/api/v1/models"}`, 0},
		{"nothing printed", "", "", 0},
		{"a key logged", greeting, `{"path":"/` + made + `"}`, 1},
		{"half a key logged", greeting, `{"path":"/` + made[8:30] + `"}`, 1},
		{"a key printed", greeting + made, "", 1},
		{"the first key printed again", greeting + first, "", 1},
		{"the first key logged", greeting, first, 1},
		{"the link printed again", greeting + "0123456789abcdefghij", "", 1},
		{"the link logged", greeting, "0123456789abcdefghij", 1},
	} {
		if told := h.secrets.told(c.stdout, c.stderr); len(told) != c.told {
			t.Errorf("%s: %q", c.name, told)
		}
	}
}

func TestWrongLinesAreFound(t *testing.T) {
	t.Parallel()
	for log, wrong := range map[string]int{
		"":                                      0,
		`{"msg":"request","status":500}` + "\n": 0,
		`{"msg":"request","panic":"nil map"}` + "\n":         1,
		`{"msg":"request","error":"panic: nil map"}` + "\n":  1,
		"panic: nil map\n\ngoroutine 1 [running]:\n":         3,
		`{"msg":"draining"}` + "\n" + "WARNING: DATA RACE\n": 1,
	} {
		if got := wrongLines(log); len(got) != wrong {
			t.Errorf("%q: %q", log, got)
		}
	}
}
