import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { all, check, key, models, rejection, url, wrongKeys } from './door.mjs';

// The SDK has two ways to send a key, each in a header of its own.
const clients = {
  apiKey: (apiKey) => new Anthropic({ baseURL: `${url}/api`, maxRetries: 0, apiKey, authToken: null }),
  authToken: (authToken) => new Anthropic({ baseURL: `${url}/api`, maxRetries: 0, apiKey: null, authToken }),
};
const keyless = () =>
  new Anthropic({
    baseURL: `${url}/api`, maxRetries: 0, apiKey: 'none', authToken: null,
    defaultHeaders: { Authorization: null, 'X-Api-Key': null },
  });

const chat = { model: 'any', max_tokens: 16, messages: [{ role: 'user', content: 'hello' }] };
const chats = {
  whole: (c) => c.messages.create(chat),
  stream: (c) => all(c.messages.create({ ...chat, stream: true })),
  'stream helper': (c) => c.messages.stream(chat).finalMessage(),
};
const classes = {
  401: [Anthropic.AuthenticationError, 'authentication_error'],
  403: [Anthropic.PermissionDeniedError, 'permission_error'],
};

for (const [by, client] of Object.entries(clients)) {
  for (const [name, send] of Object.entries(chats)) {
    for (const wrong of wrongKeys) {
      test(`${by}, ${name}: ${wrong.name}`, async () => {
        const error = await rejection(send(wrong.key ? client(wrong.key) : keyless()));
        const [errorClass, type] = classes[wrong.status];
        check(error, errorClass, wrong.status, wrong.message.replaceAll('"', '\\"')); // the SDK shows the body as JSON
        assert.equal(error.type, type);
        assert.equal(error.apiMessage.includes(wrong.message), true);
        assert.match(error.requestID, /^req_/);
      });
    }
  }
}

for (const [name, hint, send] of [
  ['one model', 'Use GET /api/v1/models', (c) => c.models.retrieve('acme/any')],
  ['count tokens', 'Token counting is not offered', (c) => c.messages.countTokens({ model: 'any', messages: chat.messages })],
]) {
  test(`not served: ${name}`, async () => {
    const error = await rejection(send(clients.apiKey(key)));
    check(error, Anthropic.NotFoundError, 404, hint);
    assert.equal(error.type, 'not_found_error');
    assert.match(error.requestID, /^req_/);
  });
}

test('the model list, ten at a time', async () => {
  const { data: page, request_id } = await clients.apiKey(key).models.list({ limit: 10 }).withResponse();
  assert.match(request_id, /^req_/);
  assert.deepEqual(page.data.map((m) => m.id), models.slice(0, 10));
  assert.equal(page.hasNextPage(), true);
  assert.deepEqual((await all(clients.authToken(key).models.list({ limit: 10 }))).map((m) => m.id), models);
});
