package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"stele/internal/meter"
	"stele/internal/store"
	"stele/internal/uid"
)

func missingModels(t *testing.T, s *store.Store) {
	t.Helper()
	ctx := t.Context()
	ask := func(workspace, model string, at time.Time, change ...func(*meter.Record)) meter.Record {
		r := meter.Record{ID: uid.New("use"), At: at, Request: uid.New("req"), Workspace: workspace, Model: model, Status: 404, Code: "model_not_found"}
		for _, c := range change {
			c(&r)
		}
		return r
	}
	insertRecords(ctx, t, s,
		ask("a", "gpt-9", midday), ask("a", "gpt-9", midday.Add(time.Hour)), ask("a", "claude", midday.Add(2*time.Hour)), ask("b", "gpt-9", midday),
		ask("a", "fast", midday, func(r *meter.Record) { r.Status, r.Code, r.Provider, r.Asked = 200, "", "p", "claude-haiku" }),
		ask("a", "theirs", midday, func(r *meter.Record) { r.Provider = "p" }), // the upstream has no such model
	)
	insertRecords(ctx, t, s, ask("a", "gpt-9", midday.Add(30*time.Minute)))
	got, err := s.MissingModels(ctx, "a")
	if err != nil || len(got) != 2 || got[0].Name != "claude" || got[1].Name != "gpt-9" {
		t.Fatalf("missing are %+v, %v", got, err)
	}
	if m := got[1]; m.Requests != 3 || !m.First.Equal(midday) || !m.Last.Equal(midday.Add(time.Hour)) {
		t.Errorf("counted %+v", m)
	}
	found, err := s.SearchRecords(ctx, meter.Search{Workspace: "a", Model: "fast"}, 10)
	if err != nil || len(found.Records) != 1 || found.Records[0].Asked != "claude-haiku" {
		t.Errorf("what was asked for is not kept: %+v, %v", found, err)
	}
	if err := s.ForgetMissing(ctx, "a", "claude"); err != nil {
		t.Fatal(err)
	}
	var many []meter.Record
	for i := range 300 {
		many = append(many, ask("a", fmt.Sprintf("made-up-%03d", i), midday.Add(time.Duration(i)*time.Minute)))
	}
	insertRecords(ctx, t, s, many...)
	if got, err := s.MissingModels(ctx, "a"); err != nil || len(got) != 200 {
		t.Errorf("%d are kept, %v", len(got), err)
	}
	if _, err := s.DeleteMissingBefore(ctx, midday.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if got, err := s.MissingModels(ctx, "a"); err != nil || len(got) != 100 || got[0].Last.Before(got[99].Last) {
		t.Errorf("%d are left, %v", len(got), err)
	}
	if got, err := s.MissingModels(ctx, "b"); err != nil || len(got) != 0 {
		t.Errorf("the other workspace has %v, %v", got, err)
	}
}

func insertRecords(ctx context.Context, t *testing.T, s *store.Store, records ...meter.Record) {
	t.Helper()
	if err := s.InsertRecords(ctx, records); err != nil {
		t.Fatal(err)
	}
}
