package load

import (
	"fmt"
	"testing"
	"time"

	"stele/test/rig"
)

// What a provider that never answers is asked for, and another one meanwhile.
const (
	hanging = 500
	beside  = 40
)

// TestASilentProviderSlowsNoOther has hundreds of orders hang at a provider that
// does not answer some of its calls, while another one works as ever.
func TestASilentProviderSlowsNoOther(t *testing.T) {
	t.Parallel()
	for _, what := range []string{toOrder, toLook, toFetch} {
		t.Run("no answer to "+what, func(t *testing.T) {
			t.Parallel()
			mute, quick := newProvider(t, what, 0, 0), newProvider(t, "", time.Second, 0)
			d := open(t, "", accounts(t, map[string]*provider{"mute": mute, "quick": quick}))
			defer mute.end() // before the house: it has to be able to leave
			defer quick.end()
			usual := d.race("quick")
			d.each(hanging, 32, func(int) error {
				_, err := d.order(of("mute"))
				return err
			})
			rig.Eventually(t, "the calls hang", func() bool { return mute.held.Load() >= 32 })
			with := d.race("quick")
			t.Logf("%d generations took %s, and %s with %d calls hanging", beside, usual, with, mute.held.Load())
			if with > 10*max(usual, 3*time.Second) {
				t.Errorf("%d generations took %s, and %s while another provider is silent", beside, usual, with)
			}
		})
	}
}

// race orders some generations and says how long it took until all of them were made.
func (d *desk) race(provider string) time.Duration {
	d.tb.Helper()
	begun := time.Now()
	d.each(beside, beside, func(int) error {
		v, err := d.order(of(provider))
		if err != nil {
			return err
		}
		if v, err = d.ended(v.ID, time.Minute); err == nil && v.Status != "success" {
			err = fmt.Errorf("%s ended as %s: %s", v.ID, v.Status, v.Error.Message)
		}
		return err
	})
	return time.Since(begun)
}
