// Beginnings for a blank page. They do something with any model, and with the
// built-in sandbox as well.

const weather = [{
  type: "function",
  function: {
    name: "get_weather",
    description: "The weather in a city, now.",
    parameters: {
      type: "object",
      properties: { city: { type: "string" }, unit: { enum: ["celsius", "fahrenheit"] } },
      required: ["city", "unit"],
      additionalProperties: false,
    },
  },
}];

const city = {
  type: "object",
  properties: { city: { type: "string" }, country: { type: "string" }, people: { type: "integer" } },
  required: ["city", "country", "people"],
  additionalProperties: false,
};

export const starters = {
  hello: { text: "Hello! What can you do?" },
  think: { text: "A train leaves at 9:40 and takes 95 minutes. When does it arrive?", settings: { effort: "high" } },
  tool: { text: "What is the weather in Paris?", tools: weather },
  json: { text: "Which city has the most people?", settings: { format: "schema", schema: city } },
};

// withSample is a list of tools with one more, under a name that is still free.
export function withSample(text) {
  let list = [];
  try { list = JSON.parse(text || "[]"); } catch { return text; }
  if (!Array.isArray(list)) return text;
  const [tool] = structuredClone(weather);
  const taken = list.map((t) => t?.function?.name);
  for (let n = 2; taken.includes(tool.function.name); n++) tool.function.name = `get_weather_${n}`;
  return JSON.stringify([...list, tool], null, 2);
}
