package store

import (
	"context"
	"database/sql"

	"stele/internal/access"
)

// chargeFactors are the policies of the workspaces that are charged otherwise than what
// they cost.
type chargeFactors map[string]access.Policy

// readFactors reads them where records are written: they are few.
func readFactors(ctx context.Context, tx *sql.Tx) (chargeFactors, error) {
	rows, err := tx.QueryContext(ctx, `SELECT id, policy FROM workspaces WHERE policy LIKE '%charge_factor%'`)
	list, err := scanAll("read charge factors", rows, err, func(row scanner) (one access.PolicyOf, err error) {
		one.Policy, err = scanPolicy(row, &one.Workspace)
		return one, err
	})
	found := make(chargeFactors, len(list))
	for _, one := range list {
		found[one.Workspace] = one.Policy
	}
	return found, err
}

// markup is what a workspace is charged beyond a cost.
func (f chargeFactors) markup(workspace string, nano int64) int64 {
	p, ok := f[workspace]
	if !ok {
		return 0
	}
	return p.Charge(nano) - nano
}
