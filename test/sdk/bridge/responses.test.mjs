import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';
import { ask, place, refused, thinkers, url } from './bridge.mjs';

const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'any', maxRetries: 0 });
const model = thinkers.sandbox;
const tools = [{ type: 'function', name: 'forecast', strict: false, parameters: place }];

test('a response, kept and gone on from', async () => {
  const first = await client.responses.create({ model, input: 'Hello there', instructions: 'Be kind.' });
  assert.match(first.output_text, /Hello there/);
  assert.equal(first.status, 'completed');
  assert.ok(first.usage.input_tokens > 0 && first.usage.output_tokens > 0);
  const second = await client.responses.create({ model, input: 'And now?', previous_response_id: first.id });
  assert.match(second.output_text, /And now/);
  assert.doesNotMatch(second.output_text, /system prompt/); // instructions are not carried over
  assert.ok(second.usage.input_tokens > first.usage.output_tokens);
  assert.deepEqual((await client.responses.retrieve(second.id)).output, second.output);
  const items = [];
  for await (const item of client.responses.inputItems.list(second.id)) items.push(item);
  assert.equal(items.length, 1);
  await client.responses.delete(second.id);
  await assert.rejects(client.responses.retrieve(second.id), OpenAI.NotFoundError);
  await assert.rejects(client.responses.create({ model, input: 'x', previous_response_id: second.id }), (e) => e.status === 400 && e.code === 'previous_response_not_found');
});

test('a stream', async () => {
  const stream = client.responses.stream({ model, input: 'Hello there', reasoning: { effort: 'high', summary: 'auto' } });
  const seen = [];
  let words = '';
  for await (const event of stream) {
    assert.equal(event.sequence_number, seen.length);
    seen.push(event.type);
    if (event.type === 'response.output_text.delta') words += event.delta;
  }
  const whole = await stream.finalResponse();
  assert.equal(whole.output_text, words);
  assert.deepEqual(whole.output.map((i) => i.type), ['reasoning', 'message']);
  assert.ok(whole.usage.output_tokens_details.reasoning_tokens > 0);
  for (const type of ['response.created', 'response.in_progress', 'response.reasoning_summary_text.delta', 'response.output_text.done', 'response.completed'])
    assert.ok(seen.includes(type), type);
});

test('a form for the answer', async () => {
  const answer = await client.responses.parse({
    model, input: 'Where?', text: { format: { type: 'json_schema', name: 'where', strict: true, schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false } } },
  });
  assert.equal(typeof JSON.parse(answer.output_text).city, 'string');
});

test('pictures and files', async () => {
  const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const text = Buffer.from('one two three').toString('base64');
  const answer = await client.responses.create({
    model,
    input: [{ role: 'user', content: [{ type: 'input_text', text: 'Look' }, { type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${dot}` }, { type: 'input_file', filename: 'a.txt', file_data: `data:text/plain;base64,${text}` }] }],
  });
  assert.match(answer.output_text, /1 image \(image\/png, 1×1 pixels/);
  assert.match(answer.output_text, /one two three/);
});

test('a conversation', async () => {
  const { id } = await client.conversations.create({ metadata: { topic: 'sea' }, items: [{ role: 'user', content: 'One' }] });
  const answer = await client.responses.create({ model, input: 'Two', conversation: id });
  assert.equal(answer.conversation.id, id);
  const items = [];
  for await (const item of client.conversations.items.list(id, { order: 'asc', limit: 2 })) items.push(item);
  assert.deepEqual(items.map((i) => i.role), ['user', 'user', 'assistant']);
  assert.deepEqual(items[2], answer.output[0]);
  assert.equal((await client.conversations.items.retrieve(items[0].id, { conversation_id: id })).content[0].text, 'One');
  assert.equal((await client.conversations.items.delete(items[0].id, { conversation_id: id })).id, id);
  assert.equal((await client.conversations.items.create(id, { items: [{ role: 'user', content: 'Three' }] })).data.length, 1);
  assert.deepEqual((await client.conversations.update(id, { metadata: { topic: 'sky' } })).metadata, { topic: 'sky' });
  assert.equal((await client.conversations.delete(id)).deleted, true);
  await assert.rejects(client.conversations.retrieve(id), OpenAI.NotFoundError);
});

test('in the background', async () => {
  const begun = await client.responses.create({ model, input: 'Hello there', background: true });
  assert.ok(['queued', 'in_progress'].includes(begun.status));
  const seen = [];
  for await (const event of await client.responses.retrieve(begun.id, { stream: true, starting_after: 0 })) seen.push(event);
  assert.deepEqual(seen.map((e) => e.sequence_number), seen.map((_, i) => i + 1));
  assert.equal(seen.at(-1).type, 'response.completed');
  const whole = await client.responses.retrieve(begun.id);
  assert.match(whole.output_text, /Hello there/);
  const long = await client.responses.create({ model, input: '[[sandbox: silence]]', background: true });
  assert.equal((await client.responses.cancel(long.id)).status, 'cancelled');
  assert.equal((await client.responses.retrieve(long.id)).status, 'cancelled');
});

test('a conversation made shorter', async () => {
  const short = await client.responses.compact({ model, input: [{ role: 'user', content: 'One' }, { role: 'assistant', content: 'Two' }] });
  assert.deepEqual(short.output.map((i) => i.type), ['message', 'compaction']);
  assert.ok(short.usage.total_tokens > 0);
  const answer = await client.responses.create({ model, input: [...short.output, { role: 'user', content: 'Three' }] });
  assert.match(answer.output_text, /Three/);
});

test('the ends of an answer', async () => {
  const cut = await client.responses.create({ model, input: '[[sandbox: words=50]]', max_output_tokens: 16 });
  assert.equal(cut.status, 'incomplete');
  assert.equal(cut.incomplete_details.reason, 'max_output_tokens');
  await assert.rejects(client.responses.create({ model, input: '[[sandbox: error=429 retry_after=3]]' }), OpenAI.RateLimitError);
  await assert.rejects(client.responses.create({ model: 'none', input: 'x' }), OpenAI.NotFoundError);
  await assert.rejects(client.responses.create({ model, input: 'x', tools: [{ type: 'file_search', vector_store_ids: [] }] }), OpenAI.BadRequestError);
  const broken = await client.responses.create({ model, input: '[[sandbox: error=529 error_after=5]]', stream: true });
  await assert.rejects(async () => { for await (const event of broken) assert.notEqual(event.type, 'response.completed'); }, /ordered to fail with 529/);
  const other = new OpenAI({ baseURL: `${refused}/v1`, apiKey: 'any', maxRetries: 0 });
  await assert.rejects(other.responses.create({ model, input: 'x' }), OpenAI.AuthenticationError);
});

// loop goes on until the model calls no more tools, and counts its calls.
async function loop(next, most) {
  let answer = await next();
  for (let calls = 0; ; ) {
    const made = answer.output.filter((i) => i.type === 'function_call');
    if (made.length === 0) return { calls, answer };
    calls += made.length;
    assert.ok(calls <= most, 'the loop has no end');
    answer = await next(answer, made.map((c) => ({ type: 'function_call_output', call_id: c.call_id, output: `sun ${calls}` })));
  }
}

for (const [dialect, thinker] of Object.entries(thinkers)) {
  const reasoning = { effort: 'high', summary: 'auto' };

  test(`fifty calls, all of it sent again: ${dialect}`, async () => {
    const input = [{ role: 'user', content: ask(dialect, 50) }];
    const { calls } = await loop(async (answer, results = []) => {
      input.push(...(answer?.output ?? []), ...results);
      const stream = client.responses.stream({ model: thinker, input, tools, reasoning, store: false, include: ['reasoning.encrypted_content'] });
      return stream.finalResponse();
    }, 50);
    assert.equal(calls, 50);
  });

  test(`ten calls, kept by the bridge: ${dialect}`, async () => {
    const { calls } = await loop(
      (answer, results = ask(dialect, 10)) => client.responses.create({ model: thinker, input: results, previous_response_id: answer?.id, tools, reasoning }),
      10,
    );
    assert.equal(calls, 10);
  });
}
