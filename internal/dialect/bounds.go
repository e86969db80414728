package dialect

// MostMessages is how many turns a conversation may have that is translated. No
// model takes as many; without an end a body of a million would cost a second.
const MostMessages = 100_000
