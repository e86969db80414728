// Uploads with the official SDKs, and chats about what was uploaded, over all three upstreams.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic, { toFile as anthropicFile } from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI, { toFile as openAIFile } from 'openai';

assert.ok(process.env.STELE_TEST_FILES, 'run these through: go -C test test -run NodeFiles .');
const { url, key, seen, models, words, paper, picture } = JSON.parse(process.env.STELE_TEST_FILES);

const openai = new OpenAI({ baseURL: `${url}/api/v1`, apiKey: key, maxRetries: 0 });
const anthropic = new Anthropic({ baseURL: `${url}/api`, apiKey: key, maxRetries: 0 });
const gemini = new GoogleGenAI({
  apiKey: 'dummy',
  httpOptions: { baseUrl: `${url}/api`, headers: { Authorization: `Bearer ${key}` } },
});

const bodies = {
  picture: ['a.png', 'image/png', Buffer.from(picture, 'base64')],
  paper: ['a.pdf', 'application/pdf', Buffer.from(paper)],
  words: ['a.txt', 'text/plain', Buffer.from(words)],
};

const uploads = {
  openai: async ([name, type, body]) => {
    const file = await openai.files.create({ file: await openAIFile(body, name, { type }), purpose: 'user_data' });
    assert.equal(file.object, 'file');
    assert.equal(file.bytes, body.length);
    assert.equal(file.filename, name);
    return file.id;
  },
  anthropic: async ([name, type, body]) => {
    const files = anthropic.files ?? anthropic.beta.files;
    const file = await files.upload({ file: await anthropicFile(body, name, { type }) });
    assert.equal(file.type, 'file');
    assert.equal(file.size_bytes, body.length);
    assert.equal(file.mime_type, type);
    return file.id;
  },
};

const chats = {
  openai: (model, ids) =>
    openai.chat.completions.create({
      model,
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'look' }, ...Object.values(ids).map((id) => ({ type: 'file', file: { file_id: id } }))] },
      ],
    }),
  anthropic: (model, ids) =>
    anthropic.beta.messages.create({
      model,
      max_tokens: 64,
      betas: ['files-api-2025-04-14'],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image', source: { type: 'file', file_id: ids.picture } },
            { type: 'document', source: { type: 'file', file_id: ids.paper } },
            { type: 'document', source: { type: 'file', file_id: ids.words } },
          ],
        },
      ],
    }),
  gemini: (model, ids) =>
    gemini.models.generateContent({
      model,
      contents: [
        {
          role: 'user',
          parts: [
            { text: 'look' },
            { fileData: { fileUri: `files/${ids.picture}`, mimeType: 'image/png' } },
            { fileData: { fileUri: ids.paper, mimeType: 'application/pdf' } },
            { fileData: { fileUri: ids.words, mimeType: 'text/plain' } },
          ],
        },
      ],
    }),
};

for (const [uploader, upload] of Object.entries(uploads)) {
  test(`uploaded by ${uploader}`, async (t) => {
    const ids = {};
    for (const [name, file] of Object.entries(bodies)) ids[name] = await upload(file);
    for (const [client, ask] of Object.entries(chats)) {
      for (const [dialect, model] of Object.entries(models)) {
        await t.test(`${client} over ${dialect}`, async () => {
          await ask(model, ids);
          const body = await (await fetch(`${seen}?dialect=${dialect}`)).text();
          assert.ok(body.includes(picture), body);
          assert.ok(body.includes(bodies.paper[2].toString('base64')), body);
          assert.ok(body.includes(words) || body.includes(bodies.words[2].toString('base64')), body);
          assert.ok(!body.includes('file_0'), body);
        });
      }
    }
  });
}

test('a broken upload is an error of the client', async () => {
  await assert.rejects(
    async () => openai.files.create({ file: await openAIFile(Buffer.from([0, 1, 2]), 'a.bin'), purpose: 'user_data' }),
    (error) => error.status === 415 && error.code === 'unsupported_file_type',
  );
});
