package money

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stele/test/rig"
	"stele/test/upstream"
)

// fates are what becomes of orders, by turns: three of ten do not end well.
var fates = []string{"good", "good", "left", "good", "good", "cut", "good", "good", "left", "good"}

// cut breaks an answer off in its middle.
func cut(x *upstream.Exchange, usual upstream.Reply) upstream.Reply {
	if x.Stream {
		return upstream.CutFrames(3)(x, usual)
	}
	return upstream.Cut(200)(x, usual)
}

// order is a chat with a number, in one of all pairs, whole or streamed.
type order struct {
	n            int
	fate         string
	client, away string
	stream       bool
}

func orderOf(n int) order {
	return order{n: n, fate: fates[n%10], client: rig.Dialects[n/10%3], away: rig.Dialects[n/30%3], stream: n/90%2 == 0}
}

func (o order) name() string  { return fmt.Sprintf("order-%d", o.n) }
func (o order) model() string { return o.fate + "-" + o.client + "-" + o.away }

// TestTheProvidersBillIsBooked sends chats of which a third is left by its client or cut
// by its provider. What a provider says is booked to the token; what it could not say
// is booked by estimate, marked, and in the list of those; nothing is booked as free.
func TestTheProvidersBillIsBooked(t *testing.T) {
	t.Parallel()
	models := strings.ReplaceAll(rig.Lone("good", "left", "cut"), "retries: 0}", "retries: 0, price: {input: 3.00, cached_input: 0.30, cache_write: 3.75, output: 15.00}}")
	f := rig.NewFront(t, "limits: {open_chats: 10000}\n", models)
	for _, client := range rig.Dialects {
		for _, away := range rig.Dialects {
			f.On(away, rig.UsualModel[away]+"-left-"+client+"-"+away, upstream.Chain(rig.Much(), upstream.Pace(20*time.Millisecond), upstream.SlowBody(200*time.Millisecond)))
			f.On(away, rig.UsualModel[away]+"-cut-"+client+"-"+away, upstream.Chain(rig.Much(), cut))
		}
	}
	var next atomic.Int64
	var clients sync.WaitGroup
	for range 20 {
		clients.Go(func() {
			for n := next.Add(1); n <= billed; n = next.Add(1) {
				send(t, f, orderOf(int(n)))
			}
		})
	}
	clients.Wait()
	b := auditor{Books: f.Read(t, ""), sent: sentOf(f)}
	for n := 1; n <= billed; n++ {
		b.judge(t, orderOf(n))
	}
	t.Logf("%d booked as told, %d by estimate, %d not sent", b.told, b.estimated, b.unsent)
	if b.told < billed/2 || b.estimated < billed/10 {
		t.Error("that is not what was sent")
	}
}

// send asks. Who leaves does so once the answer has begun, or before.
func send(t *testing.T, f *rig.Front, o order) {
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	w := rig.Ask(o.client, o.model(), o.name()+". "+wish, o.stream)
	r := f.RequestFor(t, w).WithContext(ctx)
	r.Header.Set("X-Request-Id", o.name())
	if o.fate == "left" && !o.stream {
		time.AfterFunc(50*time.Millisecond, leave)
	}
	a, err := f.Client.Do(r)
	if err != nil {
		return // it left, or the server cut what its provider cut
	}
	defer a.Body.Close()
	most := int64(1 << 20)
	if o.fate == "left" {
		most = 300
	}
	if _, err := io.CopyN(io.Discard, a.Body, most); o.fate == "good" && (a.StatusCode != http.StatusOK || err != io.EOF) { //nolint:errorlint // nothing else is an end
		t.Errorf("%+v: %d, %v", o, a.StatusCode, err)
	}
}

var orderName = regexp.MustCompile(`order-\d+\.`)

// sentOf is what upstreams were asked, by the orders' names.
func sentOf(f *rig.Front) map[string][]*upstream.Recorded {
	sent := make(map[string][]*upstream.Recorded)
	for _, up := range f.Up {
		for _, r := range up.Requests() {
			name := strings.TrimSuffix(orderName.FindString(string(r.Body)), ".")
			sent[name] = append(sent[name], r)
		}
	}
	return sent
}

// auditor holds rows against the providers' own books.
type auditor struct {
	rig.Books

	sent                    map[string][]*upstream.Recorded
	told, estimated, unsent int
}

func (b *auditor) judge(t *testing.T, o order) {
	t.Helper()
	sent := b.sent[o.name()]
	if len(sent) == 0 {
		b.unsent++
		for _, row := range b.Rows(t, o.name()) {
			if row.Nano != 0 && row.Estimated == 0 { // who leaves while it is on its way cannot know whether it came
				t.Errorf("%+v was not sent, and costs %d", o, row.Nano)
			}
		}
		return
	}
	row := b.Await(t, o.name())
	input, output := 0, 0
	for _, r := range sent {
		in, out := r.Bill()
		input, output = input+in, output+out
	}
	switch {
	case row.Estimated == 1 && row.Nano > 0 && o.fate != "good":
		b.estimated++
	case row.Estimated == 0 && row.Input+row.CacheRead+row.CacheWrite == int64(input) && row.Output == int64(output):
		b.told++
	default:
		t.Errorf("%+v: the bill says %d and %d tokens, the row %+v", o, input, output, row)
	}
}
