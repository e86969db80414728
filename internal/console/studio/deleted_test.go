package studio_test

import (
	"fmt"
	"net/url"
	"testing"

	"stele/internal/access"
	"stele/internal/console/consoletest"
)

// TestADeletedOutputInUseHasNoAddress deletes what another generation is made from
// while that is under way: it may finish, but no person reads the output any more.
func TestADeletedOutputInUseHasNoAddress(t *testing.T) {
	t.Parallel()
	var a consoletest.Atelier
	h := consoletest.OpenSignedIn(t, consoletest.WithStudio(&a))
	a.WithFiles()
	who := access.Principal{Workspace: "default", User: "usr_1"}
	task := a.AwaitEnd(a.Order(who, `{"model":"stele/canvas","prompt":"Sandcastle"}`).ID)
	file := task.Outputs[0].File
	a.Order(who, fmt.Sprintf(`{"model":"stele/sandbox-image","prompt":"[[sandbox: work=60s]]","image_urls":[%q]}`, file))
	address, _ := url.Parse(a.Files.URL(file, "image/png"))
	consoletest.WantStatus(t, h.Get(address.RequestURI()), 200)
	consoletest.WantStatus(t, h.Post("/console/studio/"+task.ID+"/delete", nil), 303)
	consoletest.WantStatus(t, h.Get(address.RequestURI()), 404)
}
