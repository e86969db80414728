//go:build !torture

package money

const (
	rounds  = 4
	clients = 100
	billed  = 300 // chats whose rows are held against the providers' bills
)
