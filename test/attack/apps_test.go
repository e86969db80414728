package attack

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stele/test/rig"
)

// appOf is an app that says an expression in a prompt.
func appOf(id, expression string) string {
	return fmt.Sprintf(`app: %s
name: An app
description: What an enemy wrote.
version: 1
media_type: image
inputs:
  - {name: seed, type: string, default: x, max_length: 2000}
steps:
  - id: picture
    generate:
      model: stele/canvas
      mode: text_to_image
      with:
        prompt: %q
result:
  images: ${steps.picture.image}
`, id, expression)
}

// spinner computes for as long as it is let.
const spinner = "${sum(map(1..1000, sum(map(1..1000, sum(map(1..1000, sum(map(1..1000, sum(1..1000)))))))))}"

// check has the editor look at a source, as it does while a member types.
func (s *siege) check(t testing.TB, expression string) rig.Answer {
	t.Helper()
	return s.post(t, "/console/apps/check", "application/x-www-form-urlencoded", strings.NewReader(url.Values{"source": {appOf("my-app", expression)}}.Encode()))
}

// publish makes an app of the member's, and says whether it was taken.
func (s *siege) publish(t *testing.T, id, expression string) bool {
	t.Helper()
	const kind = "application/x-www-form-urlencoded"
	if a := s.post(t, "/console/apps/new", kind, strings.NewReader(url.Values{"id": {id}}.Encode())); a.Status != http.StatusSeeOther {
		t.Fatalf("a new app: %d %.300s", a.Status, a.Body)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/console/apps/"+id+"/edit", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := s.browser.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	page, _ := io.ReadAll(response.Body)
	revision := regexp.MustCompile(`name="revision" value="(\d+)"`).FindSubmatch(page)
	if revision == nil {
		t.Fatalf("the editor: %d", response.StatusCode)
	}
	form := url.Values{"source": {appOf(id, expression)}, "revision": {string(revision[1])}}
	return s.post(t, "/console/apps/"+id+"/publish", kind, strings.NewReader(form.Encode())).Status == http.StatusSeeOther
}

// expressions ask for more than they may have.
func expressions() map[string]string {
	doubled := func(n int, first string) string {
		var b strings.Builder
		b.WriteString("${let a0 = " + first + "; ")
		for i := range n {
			fmt.Fprintf(&b, "let a%d = a%d + a%d; ", i+1, i, i)
		}
		return fmt.Sprintf("%sa%d}", b.String(), n)
	}
	return map[string]string{
		"doublings":         doubled(30, "inputs.seed"),
		"doubled literal":   doubled(40, `"0123456789abcdef"`),
		"join":              `${join(map(1..1000, join(map(1..1000, "0123456789abcdef0123456789abcdef"), "")), "")}`,
		"map":               `${map(1..1000, map(1..1000, map(1..1000, #)))}`,
		"toJSON":            `${toJSON(map(1..1000, toJSON(map(1..1000, toJSON(1..1000)))))}`,
		"replace":           `${replace(join(map(1..1000, "aaaaaaaaaaaaaaaa"), ""), "a", join(map(1..1000, "bbbbbbbbbbbbbbbb"), ""))}`,
		"repeat":            `${repeat("x", 1000000000)}`,
		"split":             `${split(join(map(1..1000, join(map(1..1000, "ab"), "")), ""), "")}`,
		"a range":           `${1..1000000000}`,
		"a spinner":         spinner,
		"filter":            `${count(filter(1..100000, len(filter(1..100000, # > 0)) > 0))}`,
		"brackets":          "${" + strings.Repeat("(", 500_000) + "}",
		"closed brackets":   "${" + strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000) + "}",
		"lists":             "${" + strings.Repeat("[", 500_000) + "}",
		"braces":            "${" + strings.Repeat("{a:", 200_000) + "}",
		"minus":             "${" + strings.Repeat("-", 500_000) + "1}",
		"nots":              "${" + strings.Repeat("!", 500_000) + "true}",
		"words of no":       "${" + strings.Repeat("not ", 200_000) + "true}",
		"ternaries":         "${" + strings.Repeat("true ? 1 : ", 100_000) + "1}",
		"members":           "${inputs" + strings.Repeat(".seed", 200_000) + "}",
		"pipes":             "${1" + strings.Repeat(" | abs()", 100_000) + "}",
		"sums":              "${1" + strings.Repeat("+1", 400_000) + "}",
		"calls":             "${" + strings.Repeat("abs(", 200_000) + "1" + strings.Repeat(")", 200_000) + "}",
		"pieces":            strings.Repeat("${inputs.seed}", 20_000),
		"powers":            `${2 ** 1000000 ** 1000000}`,
		"a regex":           `${"` + strings.Repeat("a", 1000) + `" matches "(a*)*b"}`,
		"indexes":           "${inputs" + strings.Repeat("['seed']", 100_000) + "}",
		"coalescing":        "${nil" + strings.Repeat(" ?? nil", 100_000) + "}",
		"nested predicates": "${" + strings.Repeat("map(1..2, ", 5000) + "1" + strings.Repeat(")", 5000) + "}",
	}
}

// No expression hurts: neither while it is typed, nor as a draft, nor in a run.
func TestExpressionsHurtNobody(t *testing.T) { //nolint:paralleltest // besiege sees to that
	s := besiege(t, "")
	n := 0
	for name, expression := range expressions() {
		n++
		id := fmt.Sprintf("my-app-%d", n)
		t.Run(name, func(t *testing.T) {
			s.under(t, func() {
				before := s.processor(t)
				s.check(t, expression)
				if len(expression) < 100_000 {
					t.Logf("published: %t", s.publish(t, id, expression))
					s.post(t, "/console/apps/"+id+"/price", "application/x-www-form-urlencoded", strings.NewReader("seed="+strings.Repeat("s", 2000)))
					s.send(t, "/api/v1/apps/"+id+"/generations", "application/json", strings.NewReader(`{"seed":"`+strings.Repeat("s", 2000)+`"}`))
				}
				if took := s.processor(t) - before; took > 20*time.Second {
					t.Errorf("%s of processor", took)
				}
			})
		})
	}
	// Nothing durable is left that would do it again.
	s.Stop(t)
	s.House.Start(t)
	s.greet(t)
}

// A source is bounded before it is read.
func TestSourcesOfAppsAreBounded(t *testing.T) { //nolint:paralleltest // as above
	s := besiege(t, "")
	sources := map[string]string{
		"aliases": "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\n" +
			"e: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e]\ng: &g [*f,*f,*f,*f,*f,*f,*f,*f]\nh: [*g,*g,*g,*g,*g,*g,*g,*g]\n",
		"depth":     strings.Repeat("[", 200_000),
		"maps":      strings.Repeat("{a: ", 100_000),
		"indents":   deepYAML(3000),
		"long":      "app: x\nname: " + strings.Repeat("x", 20<<20),
		"steps":     "app: x\nsteps:\n" + strings.Repeat("  - {id: a, chat: {model: stele/sandbox, prompt: x}}\n", 100_000),
		"documents": strings.Repeat("---\na: 1\n", 100_000),
	}
	s.under(t, func() {
		for name, source := range sources {
			before := s.processor(t)
			a := s.post(t, "/console/apps/check", "application/x-www-form-urlencoded", strings.NewReader(url.Values{"source": {source}}.Encode()))
			if took := s.processor(t) - before; a.Status >= 500 || took > 5*time.Second {
				t.Errorf("%s: %d, %s of processor", name, a.Status, took)
			}
		}
	})
}

func deepYAML(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

// endless is bytes without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, manyLetters), nil }

var manyLetters = bytes.Repeat([]byte("x"), 64<<10)

// Every console route bounds its body, whatever its type.
func TestFormsAreBounded(t *testing.T) { //nolint:paralleltest // as above
	s := besiege(t, "")
	const size = 256 << 20
	kinds := []struct{ name, head string }{
		{"multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"body\"\r\n\r\n"},
		{"application/x-www-form-urlencoded", "a="}, {"text/plain", ""},
		{"multipart/mixed; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x\"\r\n\r\n"},
		{"application/json", `{"a":"`}, {"", ""},
	}
	s.under(t, func() {
		for n, r := range routes(t) {
			if r.door != "console" || r.method != http.MethodPost || strings.HasSuffix(r.pattern, "/signout") {
				continue
			}
			for i := range kindsOfForms {
				kind := kinds[(n+i*len(kinds)/kindsOfForms)%len(kinds)]
				if a := s.post(t, r.path("x"), kind.name, io.MultiReader(strings.NewReader(kind.head), io.LimitReader(endless{}, size))); a.Status >= 500 && a.Status != http.StatusServiceUnavailable {
					t.Errorf("%s as %q: %d", r.pattern, kind.name, a.Status)
				}
			}
		}
	})
}

// Large pictures are looked at before they are decoded.
func TestLargePicturesAreMeasuredFirst(t *testing.T) { //nolint:paralleltest // as above
	s := besiege(t, "")
	id := s.upload(t, "large.png", rig.PlainPNG(t, 6300, true))
	s.under(t, func() {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/console/studio/files/"+id+"/small", http.NoBody)
				if err != nil {
					return
				}
				response, err := s.browser.Do(r)
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, response.Body)
				_ = response.Body.Close()
				if response.StatusCode >= 400 && response.StatusCode != http.StatusServiceUnavailable {
					t.Errorf("a small picture: %d", response.StatusCode)
				}
			})
		}
		all.Wait()
		a := s.send(t, "/api/v1/apps/contact-sheet/generations", "application/json",
			strings.NewReader(fmt.Sprintf(`{"pictures":[%s]}`, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("%q,", id), 8), ","))))
		t.Logf("a sheet of eight: %d %.200s", a.Status, a.Body)
		s.settled(t)
	})
}

// settled waits until the bad tenant's generations have ended.
func (s *siege) settled(t *testing.T) {
	t.Helper()
	books := s.Books(t, "")
	end := time.Now().Add(2 * time.Minute)
	for open := 1; open > 0 && time.Now().Before(end); {
		if err := books.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM generations WHERE workspace = 'default' AND state IN ('pending', 'processing')`).Scan(&open); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond) //nolint:forbidigo // between two looks
	}
}

// Silent addresses of one tenant's hold up no other's messages.
func TestASilentAddressHoldsUpNobody(t *testing.T) { //nolint:paralleltest // as above
	s := besiege(t, "")
	over := make(chan struct{})
	silent := receiver(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then does the server see that the caller is gone
		select {
		case <-r.Context().Done():
		case <-over:
		}
	}))
	t.Cleanup(func() { close(over) })
	s.orders(t, `{"model":"stele/sandbox-image","prompt":"x %d","webhook_url":"`+silent+`"}`)
	s.settled(t)
	s.beside(t)
}

// Orders that hang, or wait in line, do not hold up another tenant's.
func TestHangingOrdersHoldUpNobody(t *testing.T) { //nolint:paralleltest // as above
	for name, order := range map[string]string{
		"hanging": `{"model":"stele/sandbox-image","prompt":"x %d [[sandbox: hang]]"}`,
		"queued":  `{"model":"stele/canvas","mode":"text_to_image","prompt":"x %d"}`,
		"large":   `{"model":"stele/canvas","mode":"text_to_image","prompt":"x %d","style":"topographic","size":2048}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := besiege(t, "")
			s.orders(t, order)
			s.beside(t)
			s.Kill(t)
		})
	}
}

// orders has the bad tenant order many things.
func (s *siege) orders(t *testing.T, order string) {
	t.Helper()
	for i := range orders {
		if a := s.Post(t, "/api/v1/generations", s.bad.Key, fmt.Sprintf(order, i)); a.Status != http.StatusCreated {
			t.Fatalf("an order: %d %s", a.Status, a.Body)
		}
	}
}

// One person's live pages do not take the place of all others'.
func TestAPersonHasABoundedNumberOfPagesOpen(t *testing.T) { //nolint:paralleltest // as above
	s := besiege(t, "")
	const many, most = 150, 100
	a := s.Post(t, "/api/v1/generations", s.bad.Key, `{"model":"stele/sandbox-image","prompt":"x [[sandbox: hang]]"}`)
	id := regexp.MustCompile(`gen_\w+`).FindString(a.Body)
	s.under(t, func() {
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		var opened, refused atomic.Int64
		for range many {
			all.Go(func() {
				r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/console/studio/events?id="+id, http.NoBody)
				if err != nil {
					return
				}
				response, err := s.browser.Do(r)
				if err != nil {
					return
				}
				defer response.Body.Close()
				switch response.StatusCode {
				case http.StatusOK:
					opened.Add(1)
					_, _ = io.Copy(io.Discard, response.Body) // until all are there
				case http.StatusTooManyRequests:
					refused.Add(1)
				}
			})
		}
		rig.Eventually(t, "all are answered", func() bool { return opened.Load()+refused.Load() == many })
		if opened.Load() != most {
			t.Errorf("%d are open", opened.Load())
		}
		stop()
		all.Wait()
	})
	s.Kill(t) // it would wait for the order
}
