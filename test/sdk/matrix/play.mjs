// Plays all scenes with one client, as tests of Node's.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cells, clock, loops, told, weather } from './scenes.mjs';
import { asked, cuts as anywhere, hangup, sent, step, upstreams } from './stage.mjs';

// play registers all tests of a client. Streams come by the SDK's helper and, where there is another way, raw as well. A lean
// play has one model that thinks at each upstream, and each scene at one upstream unless all cuts are made.
export function play(client, { ways = ['helper'], skip = () => false, lean = false } = {}) {
  matrix(client, ways, (cell) => skip(cell) || (lean && (cell.turn % step !== 0 || (cell.manner.think && cell.model !== cell.up.thinker))));
  if (lean) moves(client, ways, 3);
  else moves(client, ['', ...ways], 4);
  errors(client, ways);
  aborts(client, ways);
  cuts(client, ways);
  dropped(client, ways);
}

const timeout = 120_000; // of anything that takes a second at most: whatever has no end fails by its name

// together runs tests side by side: most of their time is waiting.
function together(name, list, run, concurrency = 8) {
  test(name, { concurrency }, async (t) => {
    await Promise.all(list.map((item) => t.test(item.name, { timeout }, () => run(item))));
  });
}

function matrix(client, ways, skip) {
  const played = cells(upstreams).filter((cell) => !skip(cell));
  together(`${client.name}: scenes`, played, async ({ up, model, manner, play }) => {
    const open = (stream) => client.open({ ...manner, model: `${up.dialect}/${model}`, stream });
    const whole = await play(open(''), up);
    for (const answer of whole) {
      assert.equal(answer.model, client.dialect === up.dialect && !client.echoes ? model : `${up.dialect}/${model}`);
      assert.ok(answer.in > 0 && answer.out > 0, JSON.stringify(answer));
      const ids = answer.calls.map((call) => call.id);
      // Google's own older models give none, and its bytes pass through.
      if (client.dialect !== 'gemini' || up.dialect !== 'gemini') assert.ok(ids.every(Boolean) && new Set(ids).size === ids.length, `${ids}`);
    }
    for (const way of ways) assert.deepEqual(alike(client, await play(open(way), up)), alike(client, whole), `${way} and whole differ`);
  });
}

// alike are answers without what need not be the same in two conversations: ids that are made up, and from the second
// answer on the size of the history, which some SDKs send back in the pieces it came in.
const alike = ({ steady = true }, answers) => answers.map((a, i) => ({
  ...a, in: steady && !i ? a.in : 0, calls: a.calls.map(({ name, args }) => ({ name, args })),
}));

// moves begins a conversation with one model and goes on with others, thoughts, signatures and calls of each included.
function moves(client, ways, steps) {
  const list = upstreams.flatMap((up, first) => ways.map((stream) => ({ name: `${up.dialect}, ${stream || 'whole'}`, first, stream })));
  together(`${client.name}: moves`, list, async ({ first, stream }) => {
    const talk = client.open({ model: '', stream, think: true, tools: [weather, clock] });
    for (let i = 0; i < steps; i++) {
      const up = upstreams[(first + i) % upstreams.length];
      talk.move(`${up.dialect}/${up.thinker}`);
      await loops(talk);
      told(await talk.say({ text: 'thanks' }), 'end', 'You said: thanks');
    }
  });
}

const same = (status) => ({ openai: status, anthropic: status, gemini: status });
const ours = { openai: 502, anthropic: 500, gemini: 500 };
const final = { 'x-should-retry': 'false', 'retry-after': null };
const troubles = {
  limited: [same(429), { 'x-should-retry': null, 'retry-after': '7' }],
  wrong: [same(400), {}, 'The moon is not in the right place.'],
  busy: [{ openai: 503, anthropic: 529, gemini: 503 }, final],
  locked: [ours, final],
  broken: [ours, final],
  page: [ours, final],
  gone: [same(404), {}],
};

function errors(client, ways) {
  const list = upstreams.flatMap((up) => ['', ...ways].flatMap((stream) => Object.keys(troubles).map((script) => (
    { name: `${up.dialect}, ${script}, ${stream || 'whole'}`, up, stream, script }))));
  together(`${client.name}: errors`, list, async ({ up, stream, script }) => {
    const [statuses, header, text = ''] = troubles[script];
    const talk = client.open({ model: `${up.dialect}/${up.plain}@${script}.${client.name}-${stream}`, stream });
    const failure = failed(client, await rejection(talk.say({ text: 'hello' })));
    assert.deepEqual([failure.status, failure.kind], [statuses[client.dialect], client.terms[script]], failure.message);
    assert.ok(failure.message.includes(text), failure.message);
    assert.doesNotMatch(failure.message, /org-of-the-operator|cloudflare|127\.0\.0\.1:|API key|x-api-key/);
    for (const [name, value] of Object.entries(failure.header ? header : {})) assert.equal(failure.header.get(name), value, name);
  }, 40);

  const streams = upstreams.flatMap((up) => ways.flatMap((stream) => ['failing.3', 'short-after.3', 'cut-after.3'].map((script) => (
    { name: `${up.dialect}, ${script}, ${stream}`, up, stream, script }))));
  together(`${client.name}: errors in streams`, streams, async ({ up, stream, script }) => {
    const talk = client.open({ model: `${up.dialect}/${up.plain}@${script}.${client.name}-${stream}`, stream });
    await rejection(talk.say({ text: 'tell me a long story' }));
  });
}

// failed is what the SDK tells of an error, which must be its own.
function failed(client, error) {
  const failure = client.failure(error);
  assert.ok(failure, `not the SDK's own: ${error.constructor.name} ${error.message}`);
  return failure;
}

// rejection is the error a promise ends with.
async function rejection(promise) {
  let answer;
  try {
    answer = await promise;
  } catch (error) {
    return error;
  }
  return assert.fail(`no error after ${JSON.stringify(answer)}`);
}

// aborts leaves in the middle of a stream, and before anything came.
function aborts(client, ways) {
  const list = upstreams.flatMap((up) => [
    ...ways.flatMap((stream) => ['endless', 'silent.4', 'silent.0', 'never'].map((script) => ({ up, stream, script }))),
    { up, stream: '', script: 'never' },
  ]).map((item) => ({ ...item, name: `${item.up.dialect}, ${item.script}, ${item.stream || 'whole'}` }));
  together(`${client.name}: aborts`, list, async ({ up, stream, script }) => {
    const model = `${up.plain}@${script}.${client.name}-${stream}`;
    const control = new AbortController();
    const flows = script === 'endless' || script === 'silent.4';
    const talk = client.open({
      model: `${up.dialect}/${model}`, stream, signal: control.signal, watch: flows ? () => control.abort() : undefined,
    });
    const said = talk.say({ text: 'hello, and tell me all of it' });
    // Whoever reads a stream raw and leaves it hears nothing of it: that is how these SDKs want it.
    const end = stream === 'raw' ? said.catch(() => {}) : rejection(said);
    if (!flows) {
      await asked(model);
      control.abort();
    }
    await end;
    await hangup(model);
  });
}

// cuts cuts streams at edges of frames and at some offsets anywhere: no SDK takes what came for an answer.
function cuts(client, ways) {
  const list = upstreams.flatMap((up) => ways.map((stream) => ({ name: `${up.dialect}, ${stream}`, up, stream })));
  together(`${client.name}: cuts`, list, async ({ up, stream }) => {
    // A name of the same length each time: it is in the answer, whose length decides where it can be cut.
    const name = (what, n) => `${up.thinker}@${what}.${String(n).padStart(5, '0')}.${client.name}-${stream}`;
    const tell = (model) => client.open({ model: `${up.dialect}/${model}`, stream, think: true, tools: [weather] })
      .say({ text: 'call:get_weather please' });
    told(await tell(name('not-a-cut', 0)), 'tools', 'I will call', 'get_weather');
    const { bytes, frames } = await sent(name('not-a-cut', 0));
    assert.ok(frames > 5, `${frames} frames`);
    const offsets = Array.from({ length: anywhere }, (_, i) => Math.floor(bytes * ((i * 0.618034 + 0.1) % 1)));
    const models = [
      ...Array.from({ length: frames }, (_, n) => n).filter((n) => n % step === 0 || n < 2 || n >= frames - 2).map((n) => name('cut-after', n)),
      ...offsets.map((n) => name('cut-bytes', n)),
    ];
    // Those before the first event are tried again, after a while: all at the same time.
    await Promise.all(models.map((model) => rejection(tell(model))));
  }, 2);
}

// dropped says to each upstream what it does not understand.
function dropped(client, ways) {
  const list = upstreams.flatMap((up) => ['', ...ways].map((stream) => ({ name: `${up.dialect}, ${stream || 'whole'}`, up, stream })));
  together(`${client.name}: what was dropped`, list, async ({ up, stream }) => {
    const manner = { model: `${up.dialect}/${up.plain}`, stream, private: true };
    const talk = client.open(manner);
    told(await talk.say({ text: 'hello' }), 'end', 'You said: hello');
    const named = talk.heard('X-Stele-Dropped').split(', ').map((entry) => entry.split('; ')[0]).filter(Boolean).sort();
    const want = client.dialect === up.dialect ? [] : client.private;
    assert.deepEqual(named, want);
    assert.equal(talk.heard('X-Stele-Served-By'), manner.model);

    const strict = client.open({ ...manner, strict: true }).say({ text: 'hello' });
    if (!want.length) {
      told(await strict, 'end', 'You said: hello');
      return;
    }
    const failure = failed(client, await rejection(strict));
    assert.deepEqual([failure.status, failure.kind], [400, client.terms.strict]);
    assert.ok(failure.message.includes(want[0]), failure.message);
  });
}
