// Package storetest is the suite that every database engine passes: what a
// caller of the store may rely on, whichever engine is behind it.
package storetest

import (
	"testing"

	"stele/internal/access"
)

// Run runs the suite. Each call of open gives an empty store and closes it with the test.
func Run(t *testing.T, open func(t *testing.T) access.Store) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, access.Store)
	}{
		{"KeysComeBackAsTheyWereSaved", keysComeBack},
		{"KeysAreListedByWorkspaceNewestFirst", keysListed},
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
