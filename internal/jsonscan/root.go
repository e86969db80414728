package jsonscan

// Root is the value of a document that is trusted to be valid. It is found without a
// walk over the document.
func Root(doc []byte) Value {
	doc = doc[:len(doc):len(doc)]
	from := blank(doc, 0)
	return Value{doc[from:max(from, blankBefore(doc, len(doc)))], from}
}
