package console_test

import (
	"fmt"
	"net/url"
	"testing"

	"stele/internal/access"
)

// TestADeletedOutputInUseHasNoAddress deletes what another generation is made from
// while that is under way: it may finish, but nobody reads the output any more.
func TestADeletedOutputInUseHasNoAddress(t *testing.T) {
	t.Parallel()
	var a atelier
	h := opened(t, withStudio(&a))
	a.withFiles()
	who := access.Principal{Workspace: "default", User: "usr_1"}
	task := a.ended(a.order(who, `{"model":"stele/canvas","prompt":"Sandcastle"}`).ID)
	file := task.Outputs[0].File
	a.order(who, fmt.Sprintf(`{"model":"stele/sandbox-image","prompt":"[[sandbox: work=60s]]","image_urls":[%q]}`, file))
	address, _ := url.Parse(a.files.URL(file, "image/png"))
	wantStatus(t, h.get(address.RequestURI()), 200)
	wantStatus(t, h.post("/console/studio/"+task.ID+"/delete", nil), 303)
	wantStatus(t, h.get(address.RequestURI()), 404)
}
