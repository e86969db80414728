import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';
import { all, check, key, models, rejection, url, wrongKeys } from './door.mjs';

const client = (apiKey) =>
  new OpenAI({
    baseURL: `${url}/api/v1`,
    maxRetries: 0,
    ...(apiKey ? { apiKey } : { apiKey: 'none', defaultHeaders: { Authorization: null } }),
  });

const chat = { model: 'any', messages: [{ role: 'user', content: 'hello' }] };
const chats = {
  whole: (c) => c.chat.completions.create(chat),
  stream: (c) => all(c.chat.completions.create({ ...chat, stream: true })),
};
const classes = { 401: OpenAI.AuthenticationError, 403: OpenAI.PermissionDeniedError };

for (const [name, send] of Object.entries(chats)) {
  for (const wrong of wrongKeys) {
    test(`${name}: ${wrong.name}`, async () => {
      const error = await rejection(send(client(wrong.key)));
      check(error, classes[wrong.status], wrong.status, wrong.message);
      assert.equal(error.code, wrong.code);
      assert.match(error.requestID, /^req_/);
    });
  }
}

for (const [name, hint, send] of [
  ['one model', 'Use GET /api/v1/models', (c) => c.models.retrieve('acme/any')],
  ['embeddings', 'Embeddings are not offered', (c) => c.embeddings.create({ model: 'any', input: 'hello' })],
  ['responses', 'Use POST /api/v1/chat/completions', (c) => c.responses.create({ model: 'any', input: 'hello' })],
  ['images', 'Use POST /api/v1/generations', (c) => c.images.generate({ model: 'any', prompt: 'hello' })],
]) {
  test(`not served: ${name}`, async () => {
    const error = await rejection(send(client(key)));
    check(error, OpenAI.NotFoundError, 404, hint);
    assert.match(error.requestID, /^req_/);
  });
}

test('the model list', async () => {
  const { data: page, request_id } = await client(key).models.list().withResponse();
  assert.deepEqual(page.data.map((m) => m.id), models);
  assert.match(request_id, /^req_/);
  assert.deepEqual((await all(client(key).models.list())).map((m) => m.id), models);
});
