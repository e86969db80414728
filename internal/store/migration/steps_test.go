package migration

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// contracts are the steps that take away what a release has stopped using, by their names, with that release:
// it works with the schema, those before it do not. All other steps only expand.
var contracts = map[string]string{}

// firstReleased is the schema of the first release: what came before was never to be shared.
const firstReleased = 28

// A schema serves the binaries of its release and of the one before: what is new since the first release only adds.
func TestNewStepsOnlyExpand(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../migrations/released.txt")
	if err != nil {
		t.Fatal(err)
	}
	list, err := ReadReleases(string(text))
	if err != nil || len(list) == 0 || list[0].Schema != firstReleased {
		t.Fatalf("releases %v, %v", list, err)
	}
	for _, name := range []string{"sqlite", "postgres"} {
		files, err := ReadAll(os.DirFS("../migrations/" + name))
		if err != nil {
			t.Fatal(err)
		}
		last, by := int64(firstReleased), newLaw()
		for _, f := range files {
			if f.Version <= firstReleased {
				continue
			}
			before := lastBefore(list, f.Version)
			if before.Schema != last {
				last, by = before.Schema, newLaw()
			}
			if why := judge(by, f, list); why != "" {
				t.Errorf("%s: %s", name, why)
			}
		}
	}
}

func lastBefore(list []Release, schema int64) (last Release) {
	for _, r := range list {
		if r.Schema < schema {
			last = r
		}
	}
	return last
}

// judge says what is wrong with a step.
func judge(by *law, f File, list []Release) string {
	err := by.expands(f)
	version, listed := contracts[f.Name]
	stopped := slices.IndexFunc(list, func(r Release) bool { return r.Version == version && r.Schema < f.Version })
	switch {
	case err != nil && !listed:
		return fmt.Sprintf("%v\nbinaries of the release before stop working. Add first, take away in a later release, and list it here", err)
	case err != nil && stopped < 0:
		return fmt.Sprintf("%s takes away what %s stopped using, which is no release before it", f.Name, version)
	case err == nil && listed:
		return f.Name + " is listed, and takes nothing away"
	}
	return ""
}

// What came before the first release is full of what the law refuses: it finds it.
func TestTheLawFindsWhatContracts(t *testing.T) {
	t.Parallel()
	files, err := ReadAll(os.DirFS("../migrations/postgres"))
	if err != nil {
		t.Fatal(err)
	}
	by, found := newLaw(), ""
	for _, f := range files {
		if f.Version == 15 || f.Version == 6 {
			found += judge(by, f, nil) + "\n"
		}
	}
	if !strings.Contains(found, "DROP INDEX requests_by_workspace") || !strings.Contains(found, "DROP COLUMN old_hash") {
		t.Error(found)
	}
}
