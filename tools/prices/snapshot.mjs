// Writes genai-prices.json, the part of @pydantic/genai-prices that the book is made of:
//
//   npm install --no-save @pydantic/genai-prices@0.1.8
//   node snapshot.mjs node_modules/@pydantic/genai-prices > genai-prices.json
//
// The package exports what reckons with prices, but not the prices themselves: they are
// the first constant of its module.
import { readFileSync } from 'node:fs'

const source = readFileSync(`${process.argv[2]}/dist/index.js`, 'utf8')
const end = source.search(/\n\](, \w+ = |;)/)
if (!source.startsWith('const E = [') || end < 0) throw new Error('the module does not begin with its prices')
const providers = new Function(`${source.slice(0, end)}\n]; return E`)()

const wanted = [
  'anthropic', 'aws', 'azure', 'baseten', 'cerebras', 'cohere', 'deepseek', 'fireworks', 'google', 'groq', 'minimax', 'mistral', 'moonshotai', 'novita',
  'openai', 'openrouter', 'perplexity', 'together', 'x-ai', 'zai',
]
const line = ({ id, match, context_window, prices }) => JSON.stringify({ id, match, context_window, prices })
const list = providers
  .filter((p) => wanted.includes(p.id))
  .map((p) => `{"id":${JSON.stringify(p.id)},"models":[\n${p.models.map(line).join(',\n')}\n]}`)
console.log(`[\n${list.join(',\n')}\n]`)
