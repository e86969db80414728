package dialect

import (
	"cmp"

	"stele/internal/pattern"
)

// How upstreams say that a conversation has more pictures than they take. Agents send every picture of a session again with each turn.
var (
	crowded = pattern.New(`(?i)too many images|too much media|at most \d+ image|image[ _]count\b.{0,20}(exceeds|>)|\d+ images, exceeding|max data-uri`)
	// mostSeen is how many they take: Anthropic and DeepInfra, vLLM, Google, Meta and GitHub, others' vLLM, Fireworks, Alibaba, Groq.
	mostSeen = pattern.New(`(?i)(?:> ?|at most |max(?:imum)?(?: allowed for model \S+)?(?: is| of)? |limit |(?:conversation|request) to |per request: |up to )(\d+)`)
	// papers are the documents that Anthropic counts as well.
	papers = pattern.New(`(?i)documents: \d+ \+ (\d+) >|: (\d+) document pages \+`)
	// closely is Anthropic's: it looks at so many pictures only if they are small.
	closely = pattern.New(`(?i)size for many-image requests`)
	// unsightly is what upstreams say of one picture that is too large or that they cannot read: Anthropic, Google, OpenAI, xAI, Moonshot,
	// servers in Python, Cloudflare, Alibaba, Zhipu, and OpenAI of addresses at which there is no picture any more.
	unsightly = pattern.New("(?i)image exceeds .{1,12} maximum|image dimensions exceed max allowed size: |could not process image|image format \\S+ not supported|" +
		"unable to process input image|provided image is not valid|does not represent a valid image|uploaded an unsupported image|invalid (png|jpe?g|gif|webp) image|" +
		"string of provided image cannot be decoded|failed to decode image|cannot identify image file|invalid data for image|image format is illegal|image length and width do not meet|" +
		"图片输入格式|failed to download image|error while downloading http")
)

// fewOfAnySize is from how many pictures on Anthropic takes only small ones.
const fewOfAnySize = 20

// mostPictures is how many pictures an upstream takes, by its own words; 0: they do not say.
func mostPictures(words string) int {
	if closely().MatchString(words) {
		return fewOfAnySize
	}
	if !crowded().MatchString(words) {
		return 0
	}
	found := mostSeen().FindStringSubmatch(words)
	if found == nil {
		return 0
	}
	most := readNumber(found[1])
	if beside := papers().FindStringSubmatch(words); beside != nil {
		most -= readNumber(cmp.Or(beside[1], beside[2]))
	}
	return int(max(0, most))
}
