package catalog

import (
	"context"
	"errors"
	"time"

	"stele/internal/access"
)

// Sort tells the sorts of records apart.
type Sort string

// The sorts.
const (
	ProviderRecord Sort = "provider"
	ModelRecord    Sort = "model"
	PriceRecord    Sort = "price" // its id is provider/model, by the upstream's name
	NameRecord     Sort = "name"  // its id is what clients ask for, see access.Name
)

// ErrChanged says that another administrator changed or removed a record meanwhile, or
// made one of the same id.
var ErrChanged = errors.New("the record was changed meanwhile")

// StoredRecord is a provider, a model, a price or a name that operators keep in the database rather than
// in the configuration file, in the file's own words.
type StoredRecord struct {
	Sort      Sort
	ID        string
	Fields    []byte               // JSON without the secrets
	Sealed    []byte               // the secrets; nil where there are none
	SecretsAt map[string]time.Time // which secrets there are, and since when
	Enabled   bool
	CreatedAt time.Time
	UpdatedAt time.Time
	Revision  int64
}

// RecordStore keeps records.
type RecordStore interface {
	// StoredRecords lists all of them, in the order of their ids.
	StoredRecords(ctx context.Context) ([]StoredRecord, error)
	// StoredRecordRevision is the revision of the latest change of any record.
	StoredRecordRevision(ctx context.Context) (int64, error)
	// PutStoredRecord saves a record in the place of the one of this revision, 0 for none,
	// or gives ErrChanged.
	PutStoredRecord(ctx context.Context, o StoredRecord, was int64, e access.Entry) error
	// ResealStoredRecord replaces the sealed secrets of a record, if they still are what they
	// were. Nothing else about it changes.
	ResealStoredRecord(ctx context.Context, o StoredRecord, next []byte) error
	// DeleteStoredRecord removes the record of this revision, or gives ErrChanged.
	DeleteStoredRecord(ctx context.Context, sort Sort, id string, was int64, e access.Entry) error
}
