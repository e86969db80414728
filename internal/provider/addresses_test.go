package provider_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"stele/internal/catalog"
	"stele/internal/dialect"
	"stele/internal/dialect/anthropic"
	"stele/internal/dialect/gemini"
	"stele/internal/dialect/openai"
	"stele/internal/fault"
	"stele/internal/guard"
	"stele/internal/provider"
	"stele/internal/relay"
)

// resolver knows two names.
func resolver(_ context.Context, host string) ([]netip.Addr, error) {
	switch host {
	case "inside.example":
		return []netip.Addr{netip.MustParseAddr("10.1.2.3")}, nil
	case "both.example":
		return []netip.Addr{netip.MustParseAddr("93.184.216.34"), netip.MustParseAddr("127.0.0.1")}, nil
	case "public.example":
		return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
	}
	return nil, errors.New("no such host")
}

// inner are addresses that nobody may have fetched from inside the operator's network.
var inner = []string{
	"http://127.0.0.1/", "http://127.1/x.png", "http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/", "http://[::1]:8080/", "http://[::ffff:127.0.0.1]/",
	"http://169.254.169.254/latest/meta-data", "HTTP://169.254.169.254", "https://10.0.0.1", "http://192.168.0.1", "http://100.100.100.200/", "http://0.0.0.0:1",
	"http://localhost:11434/api", "http://LOCALHOST", "http://a.localhost", "http://inside.example/x.png", "http://both.example/x", "http://metadata.google.internal/x",
	"http://redis:6379/", "http://db.svc.cluster.local/", "http://user:pw@public.example/", "file:///etc/passwd", "FILE:///etc/passwd", "file:/etc/passwd",
	"file://localhost/etc/passwd", "ftp://public.example/x", "gopher://127.0.0.1:6379/_x", "unix:///run/x.sock", "//169.254.169.254/x", " http://127.0.0.1/", "\thttp://127.0.0.1",
	`http:\\127.0.0.1\x`, "http:/127.0.0.1/", "http:127.0.0.1", "/etc/passwd", "../../etc/passwd", "s3://bucket/x", "blob:http://127.0.0.1/x", "http://①②⑦.0.0.1/",
	"http://[fe80::1%25eth0]/", "http://[64:ff9b::7f00:1]/", "http://[fd00::1]/",
}

// places are where an address may be in a request of each dialect; %s is the address.
var places = map[string][]string{
	"openai": {
		`{"type":"image_url","image_url":{"url":%s}}`, `{"type":"image_url","image_url":%s}`, `{"type":"input_image","image_url":%s}`, `{"image_url":%s}`,
		`{"type":"input_image","image_url":{"url":%s}}`, `{"type":"video_url","video_url":{"url":%s}}`, `{"type":"audio_url","audio_url":{"url":%s}}`,
		`{"type":"file","file":{"file_url":%s}}`, `{"type":"input_file","file_url":%s}`, `{"type":"image","image":%s}`, `{"type":"video","video":%s}`,
		`{"type":"video","video":["data:image/png;base64,AAAA",%s]}`, `{"type":"input_audio","input_audio":{"data":%s,"format":"wav"}}`, `{"type":"IMAGE_URL","Image_Url":{"URL":%s}}`,
		`{"type":"hologram","hologram":{"deep":[{"address":%s}]}}`, `{"type":"image","source":{"type":"url","url":%s}}`, `{"type":"file","file":{"file_data":%s}}`,
		`{"type":"tool_result","content":[{"type":"image_url","image_url":{"url":%s}}]}`, `{"type":"image_\u0075rl","image_\u0075rl":{"\u0075rl":%s}}`,
	},
	"anthropic": {
		`{"type":"image","source":{"type":"url","url":%s}}`, `{"type":"document","source":{"type":"url","url":%s}}`, `{"type":"video","source":{"type":"url","url":%s}}`,
		`{"type":"tool_result","tool_use_id":"t","content":[{"type":"image","source":{"type":"url","url":%s}}]}`,
		`{"type":"document","source":{"type":"content","content":[{"type":"image","source":{"type":"url","url":%s}}]}}`,
	},
	"gemini": {
		`{"fileData":{"fileUri":%s,"mimeType":"image/png"}}`, `{"file_data":{"file_uri":%s}}`, `{"functionResponse":{"name":"f","response":{},"parts":[{"fileData":{"fileUri":%s}}]}}`,
	},
}

var bodies = map[string]string{
	"openai":    `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"see http://127.0.0.1/"},%s]}]}`,
	"anthropic": `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"see http://127.0.0.1/"},%s]}]}`,
	"gemini":    `{"contents":[{"role":"user","parts":[{"text":"see http://127.0.0.1/"},%s]}]}`,
}

// served is the upstream of an account that a request with an address gets to.
func served(t *testing.T, account provider.Account, client, upstream dialect.Dialect, body string, allow ...netip.Prefix) (int, error) {
	t.Helper()
	f := &far{say: func(int, gjson.Result) (int, string) { return 400, `{"error":{"message":"stop here"}}` }}
	req, err := client.DecodeRequest(dialect.Incoming{Model: "m", Header: http.Header{"Anthropic-Version": {"2023-06-01"}}, Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	c := provider.NewChat(account, upstream, &http.Client{Transport: f}).WithChecker(guard.NewChecker(guard.Options{Resolve: resolver, AllowPrivate: allow}))
	_, err = c.Do(t.Context(), req, relay.Target{Model: "m", Timeouts: catalog.Timeouts{FirstByte: time.Minute, Gap: time.Minute, Total: time.Minute}})
	return len(f.sent), err
}

func kindOf(t *testing.T, name string) provider.Kind {
	t.Helper()
	for _, k := range provider.Kinds() {
		if k.Name == name {
			return k
		}
	}
	t.Fatal("no kind " + name)
	return provider.Kind{}
}

var codecs = map[string]dialect.Dialect{"openai": openai.Codec{}, "anthropic": anthropic.Codec{}, "gemini": gemini.Codec{}}

// own is a server of the operator's own that speaks a dialect.
func own(t *testing.T, dialect string) provider.Account {
	t.Helper()
	return provider.Account{Name: "own", Kind: kindOf(t, dialect), BaseURL: "http://gpu.example:8000/v1"}
}

func TestNoUpstreamOfTheOperatorsFetchesFromInside(t *testing.T) {
	t.Parallel()
	for from, forms := range places {
		for to := range codecs {
			for _, form := range forms {
				if from != to && !strings.Contains(form, "://") && strings.Contains(form, "hologram") {
					continue
				}
				for _, address := range inner {
					if strings.HasSuffix(address, "/etc/passwd") && !strings.Contains(address, ":") && pathless(form) {
						continue
					}
					quoted, _ := json.Marshal(address)
					body := fmt.Sprintf(bodies[from], fmt.Sprintf(form, quoted))
					sent, err := served(t, own(t, to), codecs[from], codecs[to], body)
					if sent > 0 && (from == to || strings.Contains(fmt.Sprint(err), "stop here") && leaks(from, form)) {
						t.Errorf("%s → %s: %s %s is sent", from, to, form, address)
					}
					if e := fault.From(err); from == to && (e == nil || e.Code != fault.InvalidMediaURL && !(e.Code == fault.InvalidParameter && foreign(from, form))) {
						t.Errorf("%s → %s: %s %s: %v", from, to, form, address, err)
					}
				}
			}
		}
	}
}

// pathless reports whether nobody takes what is there for the path of a file.
func pathless(form string) bool {
	return strings.Contains(form, `"data":`) || strings.Contains(form, "hologram") || strings.Contains(form, "file_data\":%s")
}

// foreign reports whether a form is another API's, which is read and sent in the upstream's
// own words: what is no address is refused as such.
func foreign(from, form string) bool {
	return from == "openai" && strings.HasPrefix(form, `{"type":"image","source"`) || slices.ContainsFunc([]string{"input_image", "input_file", "tool_result"}, func(kind string) bool { return strings.Contains(form, `"type":"`+kind+`"`) })
}

// leaks reports whether a form is one that is carried into another dialect.
func leaks(from, form string) bool {
	return from == "openai" && strings.HasPrefix(form, `{"type":"image_url"`)
}

func TestWhatUpstreamsMayFetchReachesThem(t *testing.T) {
	t.Parallel()
	for from, forms := range places {
		for _, form := range forms {
			if strings.Contains(form, `"data":%s`) {
				continue
			}
			for _, address := range []string{"https://public.example/cat.png?x=1", "http://93.184.216.34/a", "https://nowhere.example.com/a.png", "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA", "DATA:image/png;base64,AAAA"} {
				if strings.Contains(form, "input_file") && strings.HasPrefix(address, "http") {
					continue // the relay fetches it, as every document at an address
				}
				quoted, _ := json.Marshal(address)
				if sent, err := served(t, own(t, from), codecs[from], codecs[from], fmt.Sprintf(bodies[from], fmt.Sprintf(form, quoted))); sent != 1 {
					t.Errorf("%s: %s %s: %v", from, form, address, err)
				}
			}
		}
	}
	// The words of people and tools are no addresses.
	for from, part := range map[string]string{
		"openai":    `{"type":"text","text":"http://127.0.0.1/"}]},{"role":"assistant","tool_calls":[{"id":"http://x","type":"function","function":{"name":"f","arguments":"{\"url\":\"http://localhost:3000\"}"}}]},{"role":"tool","tool_call_id":"http://x","content":[{"type":"text","text":"file:///x"}`,
		"anthropic": `{"type":"tool_result","tool_use_id":"t","content":"http://localhost"},{"type":"text","text":"file:///etc"}]},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{"url":"http://localhost:3000"}}`,
		"gemini":    `{"functionResponse":{"name":"f","response":{"url":"http://localhost"}}},{"functionCall":{"name":"f","args":{"url":"http://10.0.0.1"}}}`,
	} {
		if sent, err := served(t, own(t, from), codecs[from], codecs[from], fmt.Sprintf(bodies[from], part)); sent != 1 {
			t.Errorf("%s: %v", from, err)
		}
	}
	private := fmt.Sprintf(bodies["openai"], `{"type":"image_url","image_url":{"url":"http://10.1.2.3/a.png"}}`)
	if sent, err := served(t, own(t, "openai"), codecs["openai"], codecs["openai"], private, netip.MustParsePrefix("10.0.0.0/8")); sent != 1 {
		t.Errorf("what the operator allows: %v", err)
	}
}

// TestEveryKindThatOperatorsRunIsGuarded goes through the table: a kind at its
// vendor's fetches from the vendor's network, all else from the operator's.
func TestEveryKindThatOperatorsRunIsGuarded(t *testing.T) {
	t.Parallel()
	vendors := map[string]string{"azure": "https://acme.openai.azure.com"}
	for _, kind := range provider.Kinds() {
		codec, ok := codecs[kind.Dialect]
		if !ok {
			continue
		}
		body := fmt.Sprintf(bodies[kind.Dialect], fmt.Sprintf(places[kind.Dialect][0], `"http://169.254.169.254/x"`))
		home := strings.ReplaceAll(kind.BaseURL, "{region}", "us-east-1")
		if vendors[kind.Name] != "" {
			home = vendors[kind.Name]
		}
		for base, guarded := range map[string]bool{home: strings.Contains(home, "127.0.0.1"), "http://10.0.0.7:8000/v1": true, "https://llm.example.com": true} {
			sent, err := served(t, provider.Account{Name: "p", Kind: kind, BaseURL: base}, codec, codec, body)
			if (sent == 0) != guarded {
				t.Errorf("%s at %s: %d sent, %v", kind.Name, base, sent, err)
			}
		}
	}
}

// A long body is sent in pieces of the client's own bytes. It is checked all the same.
func TestALongBodyPassesThroughAsItIs(t *testing.T) {
	t.Parallel()
	words := strings.Repeat(`Long, \"quoted\" words.\n`, 8<<10)
	for name, codec := range codecs {
		pad := fmt.Sprintf(places[name][0], `"data:image/png;base64,iVBORw0KGgo="`)
		for _, place := range []string{bodies[name], strings.Replace(bodies[name], `"model":"m",`, "", 1)} {
			body := strings.Replace(fmt.Sprintf(place, pad), "see http://127.0.0.1/", words, 1)
			if name != "gemini" && !strings.Contains(place, `"model"`) {
				body = body[:len(body)-1] + `,"model":"m"}`
			}
			f := &far{say: func(int, gjson.Result) (int, string) { return 400, `{"error":{"message":"stop here"}}` }}
			if _, err := ask(t, codec, codec, body, f); err == nil || len(f.sent) != 1 {
				t.Fatalf("%s: %d calls, %v", name, len(f.sent), err)
			}
			model := map[string]string{"openai": "gpt-4.1", "anthropic": "claude-sonnet-4-5"}[name]
			want := strings.Replace(body, `"model":"m"`, `"model":"`+model+`"`, 1)
			if got := f.sent[0].Raw; got != want {
				t.Errorf("%s: %d bytes are sent for %d: %.80s … %s", name, len(got), len(want), got, got[max(0, len(got)-80):])
			}
			bad := strings.Replace(body, "data:image/png;base64,iVBORw0KGgo=", "http://127.0.0.1/", 1)
			if sent, err := served(t, own(t, name), codec, codec, bad); sent > 0 || fault.From(err).Code != fault.InvalidMediaURL {
				t.Errorf("%s: %d calls with an inner address, %v", name, sent, err)
			}
		}
	}
}
