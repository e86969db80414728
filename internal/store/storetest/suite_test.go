package storetest

import (
	"context"
	"testing"

	"stele/internal/access"
	"stele/internal/app"
	"stele/internal/catalog"
	"stele/internal/race"
	"stele/internal/relay"
	"stele/internal/store"
)

// TestEngines is the suite that every database engine passes: what a caller of the
// store may rely on, whichever engine is behind it.
func TestEngines(t *testing.T) {
	t.Parallel()
	for _, engine := range Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			runAccess(t, func(t *testing.T) access.Store { return open(t, engine) })
			runMedia(t, func(t *testing.T) *store.Store { return open(t, engine) })
			runDrafts(t, func(t *testing.T) app.DraftStore { return open(t, engine) })
			runUsage(t, func(t *testing.T) *store.Store { return open(t, engine) })
			runOffers(t, func(t *testing.T) catalog.RecordStore { return open(t, engine) })
			runVault(t, func(t *testing.T) relay.Rows { return open(t, engine) })
		})
	}
}

func TestPagesOfRequestsFollowOnEachOther(t *testing.T) {
	t.Parallel()
	race.Skip(t, "it is one caller after the other")
	for _, engine := range Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			requestsPaged(t, open(t, engine))
		})
	}
}

// open gives an empty store and closes it with the test.
func open(t *testing.T, engine string) *store.Store {
	t.Helper()
	databaseURL, folder := Copy(t, engine, func(ctx context.Context, databaseURL, folder string) error {
		s, err := store.Open(ctx, databaseURL, folder)
		if err == nil {
			s.Close()
		}
		return err
	})
	s, err := store.Open(t.Context(), databaseURL, folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// runAccess runs the suite of keys and people. Each call of open gives an empty store and closes it with the test.
func runAccess(t *testing.T, open func(t *testing.T) access.Store) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, access.Store)
	}{
		{"KeysComeBackAsTheyWereSaved", keysComeBack},
		{"KeysAreListedByWorkspaceNewestFirst", keysListed},
		{"KeysAreFoundByNameAndPage", keysFound},
		{"KeyChangesAreFollowedByRevision", keysFollowed},
		{"KeyChangesInParallelAreNotLost", keysInParallel},
		{"ARefusedKeyChangeChangesNothing", keyChangeRefused},
		{"LastUseOnlyMovesForward", keysTouched},
		{"EditedKeysComeBack", keysEdited},
		{"UsedSecretsAreProved", secretsProved},
		{"UsesAreReadBySince", usesRead},
		{"PoliciesComeBackAndAreFollowed", policies},
		{"WhoLostTheRoleForKeysIsKnown", departed},
		{"VisitorsArePresentUntilTheySignOut", presence},
		{"FollowersSayHowFarTheyAre", followers},
		{"UnknownRecordsAreNotFound", unknownNotFound},
		{"AnAddressBelongsToOnePerson", usersUnique},
		{"OneFirstAdministratorWins", firstAdmin},
		{"SessionsLiveAndEnd", sessions},
		{"SettingsAreSetOnce", settings},
		{"PeopleComeBackAsTheyWereSaved", peopleComeBack},
		{"PeopleAreListedByWorkspace", peopleListed},
		{"TheLastOwnerIsCountedRight", ownersCounted},
		{"ADeletedPersonLeavesTheirEntries", personDeleted},
		{"ALinkIsReplacedAndEnds", links},
		{"WorkspacesAreListedByPerson", workspaces},
		{"LoginsAreKeptApart", loginsKeptApart},
		{"SessionsAreCapped", sessionsCapped},
		{"ASessionIsOpenedByWhatCounts", proofsCount},
		{"NobodySlipsInWithTheOldPassword", nobodySlipsIn},
		{"SecondFactorsLiveAndEnd", factorsLiveAndEnd},
		{"TheAuditLogIsReadInPages", auditPages},
		{"TheAuditLogIsFiltered", auditFilters},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, open(t))
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
