package manifest_test

import (
	"testing"

	"stele/internal/manifest"
)

func TestDidYouMean(t *testing.T) {
	t.Parallel()
	known := []string{"strategy", "targets", "retries", "api_key", "api_key_file", "kind"}
	tests := map[string]string{
		"stratgy":     "strategy",
		"Strategy":    "strategy",
		"target":      "targets",
		"tragets":     "targets",
		"apiKey":      "api_key",
		"api-key":     "api_key",
		"apikeyfile":  "api_key_file",
		"knid":        "kind",
		"kond":        "kind",
		"abc":         "",
		"":            "",
		"x":           "",
		"temperature": "",
	}
	for name, near := range tests {
		want := ""
		if near != "" {
			want = `; did you mean "` + near + `"?`
		}
		if got := manifest.DidYouMean(name, known); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestSize(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		size manifest.Size
		text string
	}{
		"0":         {0, "0"},
		"1000":      {1000, "1000"},
		"1024":      {1024, "1KB"},
		"12b":       {12, "12"},
		"32MB":      {32 * manifest.MB, "32MB"},
		"32 mb":     {32 * manifest.MB, "32MB"},
		"1536MB":    {1536 * manifest.MB, "1536MB"},
		"1GB":       {manifest.GB, "1GB"},
		"2TB":       {2 * manifest.TB, "2TB"},
		"8191PB":    {-1, ""},
		"-1":        {-1, ""},
		"1.5GB":     {-1, ""},
		"":          {-1, ""},
		"MB":        {-1, ""},
		"9999999TB": {-1, ""},
	}
	for text, want := range tests {
		size := manifest.Size(-1)
		err := size.UnmarshalText([]byte(text))
		if size != want.size || (err != nil) != (want.size == -1) {
			t.Errorf("%q: got %d, %v; want %d", text, size, err, want.size)
		}
		if err == nil && size.String() != want.text {
			t.Errorf("%q: prints %s, want %s", text, size, want.text)
		}
	}
}

func TestPathString(t *testing.T) {
	t.Parallel()
	tests := []struct {
		path manifest.Path
		want string
	}{
		{nil, ""},
		{manifest.At("models", "acme/claude", "targets", 0), "models.acme/claude.targets[0]"},
		{manifest.At("models", "gpt-4.1", "price"), `models["gpt-4.1"].price`},
		{manifest.At("a b", ""), `["a b"][""]`},
		{manifest.At(0, "a"), "[0].a"},
	}
	for _, tt := range tests {
		if got := tt.path.String(); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
