package formula

// Counted is counted.
var Counted = isCounted
