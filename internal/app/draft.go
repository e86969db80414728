package app

import (
	"context"
	"time"

	"stele/internal/access"
)

// Draft is an app that is written in the console: its text as it was last saved,
// and which of its versions is offered.
type Draft struct {
	Workspace string
	ID        string
	Source    string // it may be wrong: only what is published must be right
	Latest    int    // the last version that was published, 0 for none
	Offered   int    // the version that is offered, 0 for none
	Shared    bool   // it is offered in every workspace
	Created   time.Time
	Updated   time.Time
	By        string // the person who changed it last
	Revision  int64  // counts up over all drafts with every change
}

// Version is what a draft was when it was published.
type Version struct {
	Workspace string
	App       string
	Number    int
	Source    string
	Shared    bool // of ListOffered: it is offered in every workspace
	At        time.Time
	By        string
}

// Change is what a change of a draft brings with it. One whose entry has no action
// is not written.
type Change struct {
	Entry   access.Entry
	Version *Version // to be kept, nil for none
	Delete  bool     // the draft and its versions
}

// DraftStore keeps drafts. Every change raises the revision and writes its audit
// entry in the same transaction. What is not there is access.ErrNotFound.
type DraftStore interface { //nolint:interfacebloat // what the editor asks of the store
	// Drafts lists the drafts of a workspace by their ids, without their texts.
	Drafts(ctx context.Context, workspace string) ([]Draft, error)
	Draft(ctx context.Context, workspace, id string) (Draft, error)
	// InsertDraft saves a new draft, or gives access.ErrExists.
	InsertDraft(ctx context.Context, d Draft, e access.Entry) error
	// UpdateDraft changes a draft under its lock. It is access.ErrExists where
	// another workspace shares an app of the same id already.
	UpdateDraft(ctx context.Context, workspace, id string, change func(*Draft) (Change, error)) (Draft, error)
	// Versions lists the versions of an app without their text, the newest first.
	Versions(ctx context.Context, workspace, app string, limit int) ([]Version, error)
	Version(ctx context.Context, workspace, app string, number int) (Version, error)
	// ListOffered lists the versions that are offered, of all workspaces, without their texts.
	ListOffered(ctx context.Context) ([]Version, error)
	// DraftRevision is that of the latest change of any draft.
	DraftRevision(ctx context.Context) (int64, error)
}
