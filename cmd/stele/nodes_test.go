package main

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

func TestNodesListsTheServer(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	var said wireFleet
	eventually(t, func() bool { // until its first beat
		if err := json.Unmarshal([]byte(s.cli("nodes", "--json")), &said); err != nil {
			t.Fatal(err)
		}
		return len(said.Nodes) == 1 && said.Nodes[0].Version != ""
	})
	n := said.Nodes[0]
	if !n.Alive || n.Version != versionText() || n.StartedAt == nil || !strings.HasSuffix(s.url, n.Address) || n.Tasks != 0 || said.Waiting != 0 {
		t.Errorf("%+v", n)
	}
	if text := s.cli("nodes"); !strings.Contains(text, n.ID) || !strings.Contains(text, "alive") {
		t.Errorf("for people:\n%s", text)
	}
}
