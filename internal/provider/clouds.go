package provider

import (
	"stele/internal/chat"
	"stele/internal/supply"
)

// The clouds that serve others' models: the author's own words, at addresses
// and with credentials of the cloud.

// azure is OpenAI's models at Microsoft. Its newer API is OpenAI's own under
// /openai/v1; with a dated version the deployment is in the path.
func azure() Kind {
	return Kind{
		Name: "azure", Title: "Azure OpenAI", Help: "The models are the names of your deployments.",
		Dialect: "openai", Genuine: true, Auth: "Api-Key", Unlisted: true,
		KeyEnv: "AZURE_OPENAI_API_KEY", URLEnv: "AZURE_OPENAI_ENDPOINT",
		Trimmed: []string{"/openai/v1", "/openai"},
		Paths: []Path{
			{If: "api_version", Whole: "/openai/deployments/{model}/chat/completions?api-version={api_version}"},
			{Whole: "/openai/v1/chat/completions"},
		},
		Options: []supply.Option{{
			Name: "api_version", Help: "Empty: the newer API. A date such as 2024-10-21: the older one, with deployments in the path.",
			Env: []string{"OPENAI_API_VERSION"},
		}},
	}
}

// googleOptions are what both kinds at Google's cloud need.
var googleOptions = []supply.Option{
	{
		Name: "project", Help: "Empty: the project of the service account.",
		Env: []string{"GOOGLE_CLOUD_PROJECT"}, Private: true,
	},
	{
		Name: "region", Help: "A region such as europe-west4, or global, us, eu.",
		Env: []string{"GOOGLE_CLOUD_LOCATION", "CLOUD_ML_REGION"}, Default: "global",
	},
	{
		Name: "service_account", Help: "The JSON of a service account's key, pasted whole.",
		FileEnv: "GOOGLE_APPLICATION_CREDENTIALS", Keyless: true, Secret: true, Text: true,
	},
	{Name: "api_version", Default: "v1"},
}

const googleBase = "https://{region}-aiplatform.googleapis.com"

// googlePlaces are the regions that are no single place.
var googlePlaces = map[string]string{
	"global": "https://aiplatform.googleapis.com",
	"us":     "https://aiplatform.us.rep.googleapis.com",
	"eu":     "https://aiplatform.eu.rep.googleapis.com",
}

// vertexTier is the header in which Vertex AI wants the tier of a request. In the body it refuses the words of Google's own API, and
// passes over others (googleapis/python-genai#2847, anomalyco/opencode#48886).
const vertexTier = "X-Vertex-AI-LLM-Shared-Request-Type"

// idless are Google's models whose calls have no ids at its cloud.
var idless = []string{"gemini-1*", "gemini-2*"}

// vertex is Gemini at Google's cloud. Its API has had the ids of calls since September 2026. Gemini 3 gives them, and without them falls
// silent behind a result (BerriAI/litellm#34603, anomalyco/opencode#50504).
func vertex() Kind {
	const models = "/{api_version}/projects/{project}/locations/{region}/publishers/google/models/{model}"
	return Kind{
		Name: "vertex", Title: "Gemini on Vertex AI", Help: "The API key may be left out where there is a service account.",
		Dialect: "gemini", Genuine: true, Platform: google, Unlisted: true,
		BaseURL: googleBase, Places: googlePlaces, Options: googleOptions,
		Paths: []Path{{Whole: models + ":generateContent", Stream: models + ":streamGenerateContent?alt=sse"}},
		Edits: []Edit{
			{Path: "contents.#.parts.#.functionCall.id", Models: idless, Pass: true},
			{Path: "contents.#.parts.#.function_call.id", Models: idless, Pass: true},
			{Path: "contents.#.parts.#.functionResponse.id", Models: idless, Pass: true},
			{Path: "contents.#.parts.#.function_response.id", Models: idless, Pass: true},
			{Path: "serviceTier", Header: vertexTier, Pass: true},
			{Path: "service_tier", Header: vertexTier, Pass: true},
		},
	}
}

// vertexClaude is Claude at Google's cloud. The path has the model, the body the
// version of the API.
func vertexClaude() Kind {
	const models = "/{api_version}/projects/{project}/locations/{region}/publishers/anthropic/models/{model}"
	return Kind{
		Name: "vertex-claude", Title: "Claude on Vertex AI", Help: "The API key may be left out where there is a service account.",
		Dialect: "anthropic", Genuine: true, Platform: google, Unlisted: true, Bound: true,
		BaseURL: googleBase, Places: googlePlaces, Options: googleOptions,
		Paths: []Path{{Whole: models + ":rawPredict", Stream: models + ":streamRawPredict"}},
		Moved: []Move{{Header: "Anthropic-Version"}},
		Edits: []Edit{
			{Path: "model", Pass: true},
			{Path: "anthropic_version", Value: `"vertex-2023-10-16"`, Add: true, Pass: true},
			{Path: "service_tier", Field: chat.FieldTier},
		},
	}
}

// bedrock is Claude at Amazon's cloud. What the author has in the path and in
// headers is in the body, and the other way round.
func bedrock() Kind {
	return Kind{
		Name: "bedrock", Title: "Claude on Amazon Bedrock", Help: "Give a Bedrock API key, or an access key id with its secret.",
		Dialect: "anthropic", Genuine: true, Platform: amazon, Unlisted: true, Bound: true,
		BaseURL: "https://bedrock-runtime.{region}.amazonaws.com", KeyEnv: "AWS_BEARER_TOKEN_BEDROCK",
		Paths: []Path{{Whole: "/model/{label}/invoke", Stream: "/model/{label}/invoke-with-response-stream"}},
		Options: []supply.Option{
			{Name: "region", Help: "Such as us-east-1.", Env: []string{"AWS_REGION", "AWS_DEFAULT_REGION"}, Needed: true},
			{Name: "access_key_id", Env: []string{"AWS_ACCESS_KEY_ID"}, Keyless: true, Secret: true},
			{Name: "secret_access_key", Env: []string{"AWS_SECRET_ACCESS_KEY"}, Keyless: true, Secret: true},
			{Name: "session_token", Help: "Only for temporary credentials, which are not renewed.", Env: []string{"AWS_SESSION_TOKEN"}, Secret: true},
		},
		Moved: []Move{{Header: "Anthropic-Version"}, {Header: "Anthropic-Beta", Member: "anthropic_beta"}},
		Edits: []Edit{
			{Path: "model", Pass: true},
			{Path: "stream", Pass: true},
			{Path: "anthropic_version", Value: `"bedrock-2023-05-31"`, Add: true, Pass: true},
			{Path: "service_tier", Field: chat.FieldTier},
		},
	}
}
