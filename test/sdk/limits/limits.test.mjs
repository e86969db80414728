// What the official SDKs make of a refusal by a limit: its class, and when to try again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { ApiError, GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';

assert.ok(process.env.STELE_TEST_LIMITS, 'run these through: go -C test test -run NodeLimits ./sdk');
const { url, keys } = JSON.parse(process.env.STELE_TEST_LIMITS);

const openai = (key, more) => new OpenAI({ baseURL: `${url}/api/v1`, apiKey: key, maxRetries: 0, ...more });
const anthropic = (key, more) => new Anthropic({ baseURL: `${url}/api`, apiKey: key, maxRetries: 0, ...more });
const gemini = (key) => new GoogleGenAI({
  apiKey: 'dummy', httpOptions: { baseUrl: `${url}/api`, headers: { Authorization: `Bearer ${key}` } },
});

const messages = [{ role: 'user', content: 'hello' }];
const asks = {
  openai: (c, model) => c.chat.completions.create({ model, messages }),
  anthropic: (c, model) => c.messages.create({ model, max_tokens: 16, messages }),
  gemini: (c, model) => c.models.generateContent({ model, contents: 'hello' }),
};

async function rejection(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return assert.fail('nothing was thrown');
}

const within = (value, most) => assert.ok(Number(value) > 0 && Number(value) <= most, `${value} is not within ${most}`);

test('openai: a rate is a RateLimitError with the headers of one', async () => {
  const c = openai(keys.openai);
  await asks.openai(c, 'stele/sandbox');
  const error = await rejection(asks.openai(c, 'stele/sandbox'));
  assert.ok(error instanceof OpenAI.RateLimitError, error.constructor.name);
  assert.equal(error.code, 'rate_limit_exceeded');
  within(error.headers.get('retry-after'), 60);
  within(error.headers.get('retry-after-ms'), 59_999);
  assert.equal(error.headers.get('x-ratelimit-limit-requests'), '1');
  assert.equal(error.headers.get('x-ratelimit-remaining-requests'), '0');
  assert.match(error.headers.get('x-ratelimit-reset-requests'), /^[0-9.ms]+$/);
  assert.match(error.headers.get('ratelimit'), /^"rate";r=0;t=\d+$/);
  assert.equal(error.headers.get('ratelimit-policy'), '"rate";q=1;w=60');
});

test('openai: a budget is a RateLimitError that is not tried again', async () => {
  const error = await rejection(asks.openai(openai(keys.openai, { maxRetries: 2 }), 'dear'));
  assert.ok(error instanceof OpenAI.RateLimitError, error.constructor.name);
  assert.equal(error.code, 'insufficient_quota');
  assert.equal(error.headers.get('x-should-retry'), 'false');
  within(error.headers.get('retry-after'), 31 * 86_400);
});

test('anthropic: a rate is a RateLimitError with the headers of one', async () => {
  const c = anthropic(keys.anthropic);
  await asks.anthropic(c, 'stele/sandbox');
  const error = await rejection(asks.anthropic(c, 'stele/sandbox'));
  assert.ok(error instanceof Anthropic.RateLimitError, error.constructor.name);
  within(error.headers.get('retry-after'), 60);
  assert.equal(error.headers.get('anthropic-ratelimit-requests-limit'), '1');
  assert.equal(error.headers.get('anthropic-ratelimit-requests-remaining'), '0');
  assert.ok(Date.parse(error.headers.get('anthropic-ratelimit-requests-reset')) > 0);
});

test('anthropic: a budget is a 402', async () => {
  const error = await rejection(asks.anthropic(anthropic(keys.anthropic, { maxRetries: 2 }), 'dear'));
  assert.ok(error instanceof Anthropic.APIError, error.constructor.name);
  assert.equal(error.status, 402);
  assert.equal(error.error.error.type, 'billing_error');
});

for (const [name, make] of Object.entries({ openai, anthropic })) {
  test(`${name}: the SDK waits for as long as it is told`, async () => {
    let calls = 0;
    let told;
    const c = make(keys[`${name}Retries`], {
      maxRetries: 1,
      fetch: async (...args) => {
        calls++;
        const answer = await fetch(...args);
        told = answer.headers.get('retry-after-ms') ?? told;
        return answer;
      },
    });
    await asks[name](c, 'stele/sandbox');
    const asked = [];
    const real = globalThis.setTimeout;
    globalThis.setTimeout = (f, ms, ...rest) => { // that wait takes no time here
      if (told !== undefined && ms === Number(told)) {
        asked.push(ms);
        return real(f, 0, ...rest);
      }
      return real(f, ms, ...rest);
    };
    try {
      const error = await rejection(asks[name](c, 'stele/sandbox'));
      assert.equal(error.status, 429);
    } finally {
      globalThis.setTimeout = real;
    }
    assert.equal(asked.length, 1, `told ${told}`);
    assert.equal(calls, 3);
  });
}

test('gemini: a rate is an ApiError with RetryInfo', async () => {
  const c = gemini(keys.gemini);
  await asks.gemini(c, 'stele/sandbox');
  const error = await rejection(asks.gemini(c, 'stele/sandbox'));
  assert.ok(error instanceof ApiError, error.constructor.name);
  assert.equal(error.status, 429);
  const body = JSON.parse(error.message).error;
  assert.equal(body.status, 'RESOURCE_EXHAUSTED');
  const info = body.details.find((d) => d['@type'] === 'type.googleapis.com/google.rpc.RetryInfo');
  assert.match(info.retryDelay, /^\d+s$/);
});

test('gemini: a budget is RESOURCE_EXHAUSTED', async () => {
  const error = await rejection(asks.gemini(gemini(keys.gemini), 'dear'));
  assert.ok(error instanceof ApiError, error.constructor.name);
  assert.equal(error.status, 429);
  assert.equal(JSON.parse(error.message).error.details[0].reason, 'insufficient_credits');
});
