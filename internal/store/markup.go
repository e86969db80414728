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
	factors := make(chargeFactors)
	err := selectEach(ctx, tx, "read charge factors", policyCells, func(p access.PolicyOf) { factors[p.Workspace] = p.Policy },
		`SELECT id, policy FROM workspaces WHERE policy LIKE '%charge_factor%'`)
	return factors, err
}

// markup is what a workspace is charged beyond a cost.
func (f chargeFactors) markup(workspace string, nano int64) int64 {
	p, ok := f[workspace]
	if !ok {
		return 0
	}
	return p.Charge(nano) - nano
}
