package media

import "stele/internal/price"

// Amount is money in billionths of a USD. A file writes it in USD, with up to
// nine decimals.
type Amount = price.Amount

// unit is a USD in billionths.
const unit = int64(price.USD)
