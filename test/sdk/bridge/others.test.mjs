import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { thinkers, url } from './bridge.mjs';

const model = thinkers.sandbox;
const name = 'any-model-of-mine'; // a name of the server leads it to the model
const words = 'word'.repeat(100);

test("OpenAI's other calls", async () => {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'any', maxRetries: 0 });
  assert.equal((await client.models.retrieve(model)).id, model);
  assert.equal((await client.models.retrieve(name)).id, name);
  await assert.rejects(client.models.retrieve('none'), OpenAI.NotFoundError);
  const chat = await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Hello' }] });
  assert.match(chat.choices[0].message.content, /Hello/);
  assert.equal((await client.responses.inputTokens.count({ model, input: words })).input_tokens, 100);
});

test("Anthropic's", async () => {
  const client = new Anthropic({ baseURL: url, apiKey: 'any', maxRetries: 0 });
  assert.equal((await client.models.retrieve(model)).id, model);
  assert.equal((await client.models.retrieve(name)).id, name);
  const messages = [{ role: 'user', content: words }];
  assert.equal((await client.messages.countTokens({ model, messages })).input_tokens, 100);
  const answer = await client.messages.create({ model, max_tokens: 100, messages });
  assert.equal(answer.role, 'assistant');
});

test("Google's", async () => {
  const client = new GoogleGenAI({ apiKey: 'any', httpOptions: { baseUrl: url } });
  assert.equal((await client.models.countTokens({ model, contents: words })).totalTokens, 100);
  const answer = await client.models.generateContent({ model, contents: 'Hello' });
  assert.match(answer.text, /Hello/);
  assert.equal((await client.models.get({ model })).name, `models/${model}`);
  assert.equal((await client.models.get({ model: name })).name, `models/${name}`);
});
