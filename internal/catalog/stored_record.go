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
	ProviderOffer Sort = "provider"
	ModelOffer    Sort = "model"
	PriceOffer    Sort = "price" // its id is provider/model, by the upstream's name
	NameOffer     Sort = "name"  // its id is what clients ask for, see access.Name
)

// ErrChanged says that another administrator changed or removed a record meanwhile, or
// made one of the same id.
var ErrChanged = errors.New("the offer was changed meanwhile")

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
	// Offers lists all of them, in the order of their ids.
	Offers(ctx context.Context) ([]StoredRecord, error)
	// OfferRevision is the revision of the latest change of any record.
	OfferRevision(ctx context.Context) (int64, error)
	// PutOffer saves a record in the place of the one of this revision, 0 for none,
	// or gives ErrChanged.
	PutOffer(ctx context.Context, o StoredRecord, was int64, e access.Entry) error
	// ResealOffer replaces the sealed secrets of a record, if they still are what they
	// were. Nothing else about it changes.
	ResealOffer(ctx context.Context, o StoredRecord, next []byte) error
	// DeleteOffer removes the record of this revision, or gives ErrChanged.
	DeleteOffer(ctx context.Context, sort Sort, id string, was int64, e access.Entry) error
}
