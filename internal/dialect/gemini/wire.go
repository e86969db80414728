package gemini

const (
	errorInfo = "type.googleapis.com/google.rpc.ErrorInfo"
	retryInfo = "type.googleapis.com/google.rpc.RetryInfo"
)

type wireError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Status  string `json:"status"`
	Details []any  `json:"details"`
}

type wireErrorInfo struct {
	Type   string `json:"@type"`
	Reason string `json:"reason"`
	Domain string `json:"domain"`
}

type wireRetryInfo struct {
	Type       string `json:"@type"`
	RetryDelay string `json:"retryDelay"`
}

// wireRefusal is what is read of an upstream's error.
type wireRefusal struct {
	code    int64
	message string
	status  string
	reasons []string // of ErrorInfo
	delay   string   // of RetryInfo: "57.3s"
}

// wirePart is one Part of a Content, as clients send and upstreams answer it.
// Its slices are part of what was read.
type wirePart struct {
	data       string // which data member it has: text, inlineData …; "": none
	twice      bool   // it has several
	text       string
	thought    bool
	signature  string
	id, name   string // of a call or a response
	args       []byte // of a functionCall; nil: none
	response   []byte // of a functionResponse; nil: none
	parts      []wirePart
	blob       wireBlob
	resolution string // mediaResolution.level
	raw        []byte // all of it
	extra      []wireMember
}

// wireBlob is an inlineData or a fileData.
type wireBlob struct {
	mimeType, data, fileURI, displayName string
}

// wireMember is a member that only this API knows.
type wireMember struct {
	name  string
	value []byte
}

// wireUsage is usageMetadata, as far as it is counted.
type wireUsage struct {
	prompt, cached, candidates, thoughts, toolUse, total int64
	known                                                bool
}

// wireCandidate is one candidate of an answer, or of a chunk of one.
type wireCandidate struct {
	index     int64
	parts     []wirePart
	finish    string
	message   string
	token     string
	citations []wireCitation
	logprobs  []byte
}

// wireCitation is a source: of citationMetadata, or of groundingMetadata once its
// supports were joined with its chunks. Offsets are bytes.
type wireCitation struct {
	start, end        int64
	uri, title, quote string
	raw               []byte
	chunks            []int64
}

// wireChunk is a GenerateContentResponse: a whole answer or one frame of it.
type wireChunk struct {
	id, model    string
	known        bool // id and model are, and are not read again
	candidates   []wireCandidate
	blocked      string // promptFeedback.blockReason
	blockMessage string
	feedback     bool
	usage        wireUsage
	failure      []byte // error
}
