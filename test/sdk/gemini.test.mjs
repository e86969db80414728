import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, GoogleGenAI } from '@google/genai';
import { all, check, googKey, googURL, key, models, rejection, url, wrongKeys } from './door.mjs';

// The SDK must be given a key of its own: Stele's travels in Authorization beside it.
// Version 3 speaks v1 where apiVersion is not set: its chats are sent on from there, and the list is that route's.
const client = (bearer, { apiKey = 'dummy', house = url, apiVersion } = {}) =>
  new GoogleGenAI({
    apiKey,
    httpOptions: { apiVersion, baseUrl: `${house}/api`, headers: bearer ? { Authorization: `Bearer ${bearer}` } : {} },
  });

const chat = { model: 'acme/any:free', contents: 'hello' };
const chats = {
  whole: (c) => c.models.generateContent(chat),
  stream: (c) => all(c.models.generateContentStream(chat)),
};
const states = { 401: 'UNAUTHENTICATED', 403: 'PERMISSION_DENIED', 404: 'NOT_FOUND' };

// told holds an error against a status: its message is the JSON body.
function told(error, status, text) {
  check(error, ApiError, status, '');
  const body = JSON.parse(error.message).error;
  assert.equal(body.code, status);
  assert.equal(body.status, states[status]);
  assert.ok(body.message.includes(text), body.message);
  assert.equal(body.details[0]['@type'], 'type.googleapis.com/google.rpc.ErrorInfo');
  return body;
}

for (const [name, send] of Object.entries(chats)) {
  for (const wrong of wrongKeys) {
    test(`${name}: ${wrong.name}`, async () => {
      const text = wrong.key === '' ? 'x-goog-api-key' : wrong.message; // which this SDK sends besides
      const body = told(await rejection(send(client(wrong.key))), wrong.status, text);
      assert.equal(body.details[0].reason, wrong.code);
    });
  }
}

for (const [name, hint, send] of [
  ['models', 'GET /api/v1/models for the list', (c) => c.models.list()],
  ['one model', 'GET /api/v1/models for the list', (c) => c.models.get({ model: 'any' })],
  ['count tokens', ':generateContent', (c) => c.models.countTokens(chat)],
  ['embeddings', 'Embeddings are not offered', (c) => c.models.embedContent(chat)],
]) {
  test(`not served: ${name}`, async () => {
    told(await rejection(send(client(key, { apiVersion: 'v1beta' }))), 404, hint);
  });
}

test('the list of models', async () => {
  assert.deepEqual((await all(client(key).models.list())).map((m) => m.name), models.map((id) => `models/${id}`));
});

// googKey lacks the scope chat, so that being known is seen without a model.
test('x-goog-api-key where it is switched off', async () => {
  told(await rejection(chats.whole(client('', { apiKey: key }))), 401, 'x-goog-api-key');
});

test('x-goog-api-key where it is switched on', async () => {
  told(await rejection(chats.whole(client('', { apiKey: googKey, house: googURL }))), 403, 'scopes');
  told(await rejection(chats.stream(client('', { apiKey: 'dummy', house: googURL }))), 401, 'not valid');
});
