import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import { ask, place, thinkers, url } from './bridge.mjs';

// The default of this provider is the Responses API, with what the server keeps referred to by ids.
const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey: 'any' });
const tools = () => {
  let called = 0;
  return { forecast: tool({ description: 'The weather.', inputSchema: jsonSchema(place), execute: async () => `sun ${++called}` }) };
};
const providerOptions = { openai: { reasoningEffort: 'high', reasoningSummary: 'auto' } };

for (const [dialect, thinker] of Object.entries(thinkers)) {
  for (const store of [true, false]) {
    test(`a loop, store ${store}: ${dialect}`, async () => {
      const result = await generateText({
        model: openai(thinker), prompt: ask(dialect, 5), tools: tools(), stopWhen: stepCountIs(10), maxRetries: 0,
        providerOptions: { openai: { ...providerOptions.openai, store, ...(store ? {} : { include: ['reasoning.encrypted_content'] }) } },
      });
      assert.equal(result.steps.flatMap((s) => s.toolCalls).length, 5);
      assert.ok(result.text.length > 0);
    });
  }

  test(`a streamed loop: ${dialect}`, async () => {
    const failures = [];
    const result = streamText({
      model: openai(thinker), prompt: ask(dialect, 5), tools: tools(), stopWhen: stepCountIs(10), maxRetries: 0, providerOptions, onError: ({ error }) => failures.push(error),
    });
    await result.consumeStream();
    assert.deepEqual(failures, []);
    assert.equal((await result.steps).flatMap((s) => s.toolCalls).length, 5);
  });
}
