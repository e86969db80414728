import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { client, openai } from './openai.mjs';
import { play } from './play.mjs';
import { fits, rich, roomy, wild } from './rich.mjs';
import { upstreams } from './stage.mjs';

play(openai, { ways: ['helper', 'raw'] });

for (const up of upstreams) {
  const model = `${up.dialect}/${up.plain}`;
  const messages = [{ role: 'user', content: 'Describe a person.' }];

  test(`${up.dialect}: parse`, async () => {
    const completion = await client().chat.completions.parse({ model, messages, response_format: zodResponseFormat(rich, 'person') });
    fits(completion.choices[0].message.parsed);
  });

  test(`${up.dialect}: any schema`, async () => {
    const response_format = { type: 'json_schema', json_schema: { name: 'person', schema: wild } };
    const { choices } = await client().chat.completions.create({ model, messages, response_format });
    assert.deepEqual(Object.keys(JSON.parse(choices[0].message.content)).sort(), wild.required.toSorted());
  });

  test(`${up.dialect}: stream and parse`, async () => {
    const stream = client().chat.completions.stream({ model, messages, response_format: zodResponseFormat(rich, 'person') });
    fits((await stream.finalChatCompletion()).choices[0].message.parsed);
  });

  for (const stream of [false, true]) {
    test(`${up.dialect}: run tools, stream ${stream}`, async () => {
      const heard = [];
      const parameters = z.object({ city: z.string(), days: z.int().min(1).max(14).nullable() });
      const runner = client().chat.completions.runTools({
        model, stream, messages: [{ role: 'user', content: 'call:get_weather*2 please' }],
        tools: [zodFunction({ name: 'get_weather', parameters, function: (args) => `heard ${heard.push(args)}` })],
      });
      assert.equal(await runner.finalContent(), 'The tools said: heard 2');
      assert.equal(heard.length, 2);
      assert.equal(heard[0].city, 'city');
    });
  }

  test(`${up.dialect}: a tool with optional arguments`, async () => {
    const completion = await client().chat.completions.create({
      model, messages: [{ role: 'user', content: 'call:look please' }],
      tools: [{ type: 'function', function: { name: 'look', parameters: z.toJSONSchema(roomy, { io: 'input' }) } }],
    });
    assert.deepEqual(JSON.parse(completion.choices[0].message.tool_calls[0].function.arguments), { city: 'city' });
  });

  test(`${up.dialect}: several choices`, async () => {
    const completion = await client().chat.completions.create({ model, n: 2, messages: [{ role: 'user', content: 'hello' }] });
    assert.deepEqual(completion.choices.map((c) => [c.index, c.message.content]), [[0, 'You said: hello'], [1, 'You said: hello']]);
  });
}
