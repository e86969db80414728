package load

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestOutputsOutliveTheirLinks has everything made by providers whose links die
// soon. It is downloaded when all of them are dead.
func TestOutputsOutliveTheirLinks(t *testing.T) {
	t.Parallel()
	t.Run("sandbox", func(t *testing.T) {
		t.Parallel()
		d := open(t, "", "")
		d.outlive(linkLife, sandboxed(fmt.Sprintf("work=1s expire=%s", linkLife)))
	})
	t.Run("provider", func(t *testing.T) {
		t.Parallel()
		p := newProvider(t, "", time.Second, linkLife)
		d := open(t, "", accounts(t, map[string]*provider{"fading": p}))
		defer p.end()
		d.outlive(linkLife, of("fading"))
	})
}

// outlive orders the same many times, waits until every link is dead, and
// downloads everything.
func (d *desk) outlive(life time.Duration, body string) {
	d.tb.Helper()
	urls := make([]string, linkTasks)
	d.each(linkTasks, 32, func(i int) error {
		v, err := d.order(body)
		if err != nil {
			return err
		}
		if v, err = d.ended(v.ID, 2*time.Minute); err != nil {
			return err
		}
		if v.Status != "success" || len(v.Result.Images) != 1 {
			return fmt.Errorf("%s ended as %s with %d pictures: %s", v.ID, v.Status, len(v.Result.Images), v.Error.Message)
		}
		urls[i] = v.Result.Images[0].URL
		return nil
	})
	if d.tb.Failed() {
		return
	}
	time.Sleep(life + time.Second) // that is what is tested
	d.each(linkTasks, 8, func(i int) error { return d.download(urls[i]) })
}

// download reads a file to its end and compares it with its hash.
func (d *desk) download(url string) error {
	answer, err := d.client.Get(url)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	hash := sha256.New()
	size, err := io.Copy(hash, answer.Body)
	tag := strings.Trim(answer.Header.Get("ETag"), `"`)
	if sum := hex.EncodeToString(hash.Sum(nil)); err != nil || answer.StatusCode != http.StatusOK || size == 0 || sum != tag {
		return fmt.Errorf("%s: %d, %d bytes with hash %s, promised %s, %w", url, answer.StatusCode, size, sum, tag, err)
	}
	return nil
}
