// What people do with a model, in no dialect. Each scene gets a talk and returns the answers it heard.
import assert from 'node:assert/strict';

const object = (properties, more = {}) => ({ type: 'object', properties, required: Object.keys(properties), ...more });

export const weather = {
  name: 'get_weather', description: 'The weather in a city.',
  schema: object({ city: { type: 'string', description: "The city's name." }, days: { type: 'integer', minimum: 1, maximum: 14 } }),
};
export const clock = {
  name: 'get_time', description: 'The time in a zone.', schema: object({ zone: { type: 'string', enum: ['UTC', 'CET'] } }),
};
export const bell = { name: 'ring', description: 'Rings.', schema: { type: 'object', properties: {} } };

const closed = { additionalProperties: false };

// person is within what all three constrain an answer to.
export const person = object({
  name: { type: 'string', description: 'Given name.' },
  age: { type: 'integer' },
  tags: { type: 'array', items: { type: 'string', enum: ['new', 'old'] } },
  address: object({ zip: { type: 'string' } }, closed),
}, closed);
export const personAnswer = { name: 'name', age: 7, tags: ['new'], address: { zip: 'zip' } };
export const weatherArgs = { city: 'city', days: 7 };

const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4//8/AAX+Av6nNYGEAAAAAElFTkSuQmCC';
const paper = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n'
  + 'trailer<</Root 1 0 R>>\n%%EOF\n').toString('base64');

// told holds an answer against what is expected of it, and gives it back.
export function told(answer, stop, text, ...calls) {
  assert.deepEqual([answer.stop, answer.calls.map((c) => c.name)], [stop, calls], JSON.stringify(answer));
  assert.ok(answer.text.includes(text), `${JSON.stringify(answer)} does not say ${text}`);
  return answer;
}

const says = (words, text, stop = 'end') => async (talk) => [told(await talk.say(words), stop, text)];

const forced = (...names) => async (talk) => {
  const answer = await talk.say({ text: 'hello' });
  return [names.length ? told(answer, 'tools', '', ...names) : told(answer, 'end', 'You said: hello')];
};

async function structured(talk) {
  const answer = told(await talk.say({ text: 'Describe a person.' }), 'end', '');
  assert.deepEqual(JSON.parse(answer.text), personAnswer);
  return [answer];
}

const plain = {
  chat: [{ system: 'Be brief.', cool: true }, async (talk) => [
    told(await talk.say({ text: 'hello' }), 'end', 'You said: hello'),
    told(await talk.say({ text: 'and again' }), 'end', 'You said: and again'),
  ]],
  'odd characters': [{}, async (talk) => {
    const odd = 'quotes " and \\ and </script> & tabs\t, lines\r\n\n, Grüße, 日本語, 👩‍👩‍👧‍👦, \u2028 and \u0001, done';
    const answer = told(await talk.say({ text: odd }), 'end', '');
    assert.equal(answer.text, `You said: ${odd}`);
    return [answer];
  }],
  tools: [{ tools: [weather, clock] }, async (talk) => {
    const first = told(await talk.say({ text: 'call:get_weather please' }), 'tools', 'I will call get_weather.', 'get_weather');
    assert.deepEqual(first.calls[0].args, weatherArgs);
    return [
      first,
      told(await talk.give([{ ...first.calls[0], text: '21 degrees' }]), 'end', '21 degrees'),
      told(await talk.say({ text: 'thanks' }), 'end', 'You said: thanks'),
    ];
  }],
  'parallel tools': [{ tools: [weather, clock] }, async (talk) => {
    const first = told(await talk.say({ text: 'call:get_weather,get_time please' }), 'tools', '', 'get_weather', 'get_time');
    assert.deepEqual(first.calls[1].args, { zone: 'UTC' });
    const results = ['21 degrees', 'noon'].map((text, i) => ({ ...first.calls[i], text }));
    const second = told(await talk.give(results), 'end', 'noon');
    assert.match(second.text, /21 degrees.*noon/s);
    return [first, second];
  }],
  'a tool that fails': [{ tools: [weather] }, async (talk) => {
    const first = told(await talk.say({ text: 'call:get_weather please' }), 'tools', '', 'get_weather');
    return [first, told(await talk.give([{ ...first.calls[0], text: 'no such city', failed: true }]), 'end', 'no such city')];
  }],
  'a tool with a picture': [{ tools: [weather] }, async (talk) => {
    const first = told(await talk.say({ text: 'call:get_weather please' }), 'tools', '', 'get_weather');
    const second = told(await talk.give([{ ...first.calls[0], text: 'as painted', image: dot }]), 'end', 'as painted');
    if (talk.pictures) assert.ok(second.text.includes('I was given 1: image/png.'), second.text);
    return [first, second];
  }],
  'a tool without arguments': [{ tools: [bell] }, async (talk) => {
    const first = told(await talk.say({ text: 'call:ring now' }), 'tools', '', 'ring');
    assert.deepEqual(first.calls[0].args, {});
    return [first, told(await talk.give([{ ...first.calls[0], text: '' }]), 'end', 'The tools said:')];
  }],
  'three rounds of tools': [{ tools: [weather] }, async (talk) => {
    const all = [await talk.say({ text: 'call:get_weather*3 please' })];
    for (let i = 0; i < 3; i++) {
      const last = told(all.at(-1), 'tools', '', 'get_weather');
      all.push(await talk.give([{ ...last.calls[0], text: `day ${i}` }]));
    }
    told(all.at(-1), 'end', 'day 2');
    return all;
  }],
  'any tool': [{ tools: [clock, weather], choice: 'any' }, forced('get_time')],
  'this tool': [{ tools: [clock, weather], choice: 'get_weather' }, forced('get_weather')],
  'no tool': [{ tools: [weather], choice: 'none' }, forced()],
  structured: [{ schema: person }, structured],
  image: [{}, says({ text: 'look', image: dot }, 'I was given 1: image/png.')],
  pdf: [{}, says({ text: 'read', pdf: paper }, 'I was given 1: application/pdf.')],
  'image and pdf': [{}, says({ text: 'both', image: dot, pdf: paper }, 'I was given 2: image/png, application/pdf.')],
  length: [{ most: 4 }, says({ text: 'a sentence that does not fit' }, 'You said: a s', 'length')],
  'stop sequence': [{ stops: ['moon'] }, async (talk) => {
    const answer = told(await talk.say({ text: 'the sun, the moon, the stars' }), 'end', '');
    assert.equal(answer.text, 'You said: the sun, the ');
    return [answer];
  }],
  refusal: [{ script: '@refusing' }, says({ text: 'say it' }, 'You said', 'refusal')],
};

// loops is a loop with an upstream that wants its signatures back, then another one after it.
export async function loops(talk) {
  const all = [];
  for (const text of ['call:get_weather*3 please', 'call:get_weather,get_time*2 please']) {
    all.push(await talk.say({ text }));
    while (all.at(-1).calls.length) {
      all.push(await talk.give(all.at(-1).calls.map((call) => ({ ...call, text: `it is ${call.name}` }))));
    }
    told(all.at(-1), 'end', 'it is get_weather');
  }
  assert.equal(all.length, 3 + 1 + 2 + 1);
  return all;
}

const thinking = {
  thinking: [{ think: true }, async (talk, up) => {
    const answer = told(await talk.say({ text: 'ponder' }), 'end', 'You said: ponder');
    if (!talk.thoughtless) assert.equal(answer.thought.includes('Thinking about'), up.dialect !== 'openai', answer.thought);
    assert.ok(!answer.text.includes('Thinking'), answer.text);
    assert.ok(answer.thinks > 0 && answer.thinks < answer.out, `${answer.thinks} of ${answer.out} tokens`);
    return [answer, told(await talk.say({ text: 'and then' }), 'end', 'You said: and then')];
  }],
  'thinking with tools': [{ think: true, tools: [weather, clock] }, loops],
  'thinking with a schema': [{ think: true, schema: person }, structured],
  'quiet thinking': [{ think: true, quiet: true }, async (talk) => {
    const answer = told(await talk.say({ text: 'ponder' }), 'end', 'You said: ponder');
    assert.ok(answer.thought === '' && answer.thinks > 0, JSON.stringify(answer));
    return [answer, told(await talk.say({ text: 'and then' }), 'end', 'You said: and then')];
  }],
  'quiet thinking with tools': [{ think: true, quiet: true, tools: [weather, clock] }, loops],
};

// hidden has thoughts that only Anthropic can read, and wants back.
const hidden = {
  'hidden thinking': [{ think: true, tools: [weather] }, async (talk) => {
    const all = [await talk.say({ text: 'redact that and call:get_weather*2 please' })];
    for (let i = 0; i < 2; i++) {
      const last = told(all.at(-1), 'tools', '', 'get_weather');
      all.push(await talk.give([{ ...last.calls[0], text: 'fine' }]));
    }
    told(all.at(-1), 'end', 'fine');
    return [...all, told(await talk.say({ text: 'thanks' }), 'end', 'You said: thanks')];
  }],
};

// cells are all scenes over all upstreams: {name, up, model, manner, play}.
export function cells(upstreams) {
  const all = [];
  for (const [first, up] of upstreams.entries()) {
    let turn = first; // of a scene it is another at each upstream
    for (const [name, [{ script = '', ...manner }, play]] of Object.entries(plain)) {
      all.push({ name: `${up.dialect}, ${name}`, up, model: up.plain + script, manner, play, turn });
      turn++;
    }
    for (const [name, [manner, play]] of Object.entries(up.dialect === 'anthropic' ? { ...thinking, ...hidden } : thinking)) {
      for (const model of up.thinkers) all.push({ name: `${up.dialect}, ${name}, ${model}`, up, model, manner, play, turn });
      turn++;
    }
  }
  return all;
}
