package console_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"stele/internal/catalog"
	"stele/internal/console/consoletest"
	"stele/internal/media"
	"stele/internal/price"
	"stele/internal/supply"
)

// The walk of an operator through providers and models, in real Chromium. Not
// parallel: one browser is enough for a small machine.
//
//nolint:paralleltest // see above
func TestAnOperatorManagesProvidersAndModels(t *testing.T) {
	for _, room := range screens {
		t.Run(fmt.Sprint(room.width), func(t *testing.T) {
			b := launch(t, room.width)
			s, rooms := consoletest.WithSupply(t)
			h := consoletest.Open(t, "http://127.0.0.1"+room.base, rooms)
			server := httptest.NewServer(h.Serve)
			t.Cleanup(server.Close)
			h.Public, _ = url.Parse(server.URL + room.base)
			setUpSupply(b, h)
			walkSupply(b, h, s)
		})
	}
}

// setUpSupply sets the house up and signs its administrator in.
func setUpSupply(b *tab, h *consoletest.House) {
	b.visit(h.Public.String() + "/console/setup?token=" + h.Token)
	b.fill("#email", consoletest.Email)
	b.fill("#password", consoletest.Password)
	b.fill("#again", consoletest.Password)
	b.submit("form.stack button")
}

func walkSupply(b *tab, h *consoletest.House, s *consoletest.Supply) {
	root := h.Public.String()
	b.visit(root + "/console/providers/new")
	b.shows("Add a provider", "OpenAI", "Ollama", "Replicate")
	b.axe()
	b.look("kinds")
	b.visit(root + "/console/providers/new?kind=bedrock")
	b.shows("Claude on Amazon Bedrock", "Secret access key")
	b.axe()
	b.look("new bedrock")
	b.visit(root + "/console/providers/new?kind=openai")
	b.fill("#id", "Proxy")
	b.fill("#base_url", "https://proxy.example.com/v1")
	b.fill("#api_key", consoletest.UpstreamKey)
	b.submit("#provider-form .primary")
	b.shows("a-z, 0-9")
	b.axe()
	b.look("new provider mistake")
	b.fill("#id", "proxy")
	b.fill("#api_key", consoletest.UpstreamKey)
	b.submit("#provider-form .primary")
	b.shows("Saved. It is in use from now on.", "proxy", "set just now")
	b.axe()
	b.look("provider")
	s.Trial = catalog.Trial{Problem: "The provider refused the credentials (status 401). Check the API key.", Status: 401, Took: 230 * time.Millisecond}
	b.click("form[action$='/test'] button")
	awaits(b, fmt.Sprintf("document.querySelector(%q) !== null", ".trial.bad"))
	b.shows("It does not work.", "Check the API key.")
	b.look("provider test failed")
	s.Trial = catalog.Trial{Did: "listed 3 models", Status: 200, Took: 180 * time.Millisecond, Models: []string{"gpt-5", "gpt-5-mini", "gpt-5-nano"}}
	s.Fails("main", "The engine is overloaded.", h.Clock().Add(-4*time.Minute))
	b.visit(root + "/console/providers")
	b.click("form[action$='/proxy/test'] button")
	awaits(b, fmt.Sprintf("document.querySelector(%q) !== null", "#trial-proxy .trial.good"))
	b.shows("down", "It failed or could not be reached.", "gpt-5-nano")
	b.axe()
	b.look("providers")
	b.visit(root + "/console/providers/main")
	b.shows("kept in stele.yaml, line 2", "3%", "The engine is overloaded.")
	b.axe()
	b.look("provider of the file")

	b.visit(root + "/console/models/new")
	b.axe()
	b.fill("#id", "fast")
	b.choose("#target-provider-0", "proxy")
	b.fill("#target-model-0", "gpt-5-mini")
	b.choose("#target-provider-1", "main")
	b.fill("#target-model-1", "gpt-5")
	b.click("#add-target")
	b.choose("#target-provider-2", "stele")
	b.fill("#target-model-2", "sandbox")
	b.click(".target-row:nth-child(3) [data-up]")
	b.fill("#price-input", "0.25")
	b.fill("#price-output", "lots")
	b.look("new model")
	b.submit("#model-form .primary")
	b.shows("Expected a number")
	b.axe()
	b.look("new model mistake")
	b.fill("#price-output", "2")
	b.click("input[value=tools]")
	b.submit("#model-form .primary")
	b.shows("Saved. Clients can call it now.", "in this order", "$0.25")
	m := s.Both.Config.Models[1]
	if len(m.Targets) != 3 || m.Targets[1].Provider != "stele" {
		b.Fatalf("the targets are %v", m.Targets)
	}
	b.axe()
	b.look("model")

	crowd(b.T, s)
	b.visit(root + "/console/models")
	b.shows("fast", "steady", "acme/canvas")
	b.axe()
	b.look("models")
	b.fill("#q", "canvas")
	awaits(b, fmt.Sprintf("document.querySelector(%q) === null", "a[href$='show?id=steady']"))
	b.look("models found")
	b.fill("#q", "zebra")
	awaits(b, fmt.Sprintf("document.querySelector(%q) !== null", "#model-list .empty"))
	b.axe()
	b.look("models none")
	b.visit(root + "/console/models/show?id=acme%2Fcanvas")
	b.shows("text_to_image", "from $0.02 per image")
	b.axe()
	b.look("media model")

	b.visit(root + "/console/providers/proxy")
	b.click("button[popovertarget=delete]")
	b.shows("These models have a target here")
	b.look("provider delete")
}

// crowd adds models that only a running program has.
func crowd(t *testing.T, s *consoletest.Supply) {
	t.Helper()
	var usd, dear price.Amount
	if err := errors.Join(usd.UnmarshalText([]byte("0.02")), dear.UnmarshalText([]byte("0.08"))); err != nil {
		t.Fatal(err)
	}
	s.More = []supply.Model{
		{Model: catalog.Model{
			ID: "stele/sandbox", Name: "Sandbox", Owner: "stele", Capabilities: map[string]bool{"reasoning": true, "attachments": true, "tools": true},
			Targets: []catalog.Target{{Provider: "stele", Model: "sandbox", Weight: 1}},
		}, Origin: supply.Origin{Place: "built in"}, Enabled: true},
		{Model: catalog.Model{ID: "acme/canvas", Name: "Canvas", Description: "Paints."}, Origin: supply.Origin{Place: "model file"}, Enabled: true, Media: &media.Model{
			ID: "acme/canvas", MediaType: "image", Kind: "openai", Provider: "main", Upstream: "gpt-image-1", Operations: []media.Operation{
				{Mode: "text_to_image", Description: "An image from words.", Input: media.Input{Required: []string{"prompt"}}, Parameters: []media.Parameter{{Name: "size"}, {Name: "seed"}},
					Price: media.Price{USD: usd, Per: "image", Table: map[string]price.Amount{"large": dear}}},
			},
		}},
	}
	for i := range 12 {
		id := fmt.Sprintf("gpt-5-%d", i)
		s.More = append(s.More, supply.Model{Model: catalog.Model{
			ID: "proxy/" + id, Name: id, Owner: "proxy", Targets: []catalog.Target{{Provider: "proxy", Model: id, Weight: 1}},
		}, Listed: true, Enabled: true})
	}
}
