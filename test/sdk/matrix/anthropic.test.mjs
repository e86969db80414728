import assert from 'node:assert/strict';
import { test } from 'node:test';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { z } from 'zod';
import { anthropic, client } from './anthropic.mjs';
import { play } from './play.mjs';
import { fits, rich, roomy, wild } from './rich.mjs';
import { upstreams } from './stage.mjs';

play(anthropic, { ways: ['helper', 'raw'] });

for (const up of upstreams) {
  const base = { model: `${up.dialect}/${up.plain}`, max_tokens: 4000 };
  const messages = [{ role: 'user', content: 'Describe a person.' }];

  test(`${up.dialect}: parse`, async () => {
    const message = await client().messages.parse({ ...base, messages, output_config: { format: zodOutputFormat(rich) } });
    fits(message.parsed_output);
  });

  test(`${up.dialect}: any schema`, async () => {
    if (up.dialect === 'anthropic') return; // passed through a schema is its own affair
    const message = await client().messages.create({ ...base, messages, output_config: { format: { type: 'json_schema', schema: wild } } });
    assert.deepEqual(Object.keys(JSON.parse(message.content[0].text)).sort(), wild.required.toSorted());
  });

  test(`${up.dialect}: stream and parse`, async () => {
    const stream = client().messages.stream({ ...base, messages, output_config: { format: zodOutputFormat(rich) } });
    fits((await stream.finalMessage()).parsed_output);
  });

  for (const stream of [false, true]) {
    test(`${up.dialect}: run tools, stream ${stream}`, async () => {
      const heard = [];
      const inputSchema = z.object({ city: z.string(), days: z.int().min(1).max(14) });
      const runner = client().beta.messages.toolRunner({
        ...base, stream,
        // By default Anthropic keeps the conversation. The upstream here does not, and says nothing of it; Stele does say so.
        ...(up.dialect === 'anthropic' && { thread: false }),
        messages: [{ role: 'user', content: 'call:get_weather*2 please' }],
        tools: [betaZodTool({ name: 'get_weather', description: 'The weather.', inputSchema, run: (args) => `heard ${heard.push(args)}` })],
      });
      const message = await runner;
      assert.equal(message.content.at(-1).text, 'The tools said: heard 2');
      assert.deepEqual(heard, [{ city: 'city', days: 7 }, { city: 'city', days: 7 }]);
    });
  }

  test(`${up.dialect}: a tool with optional arguments`, async () => {
    const message = await client().messages.create({
      ...base, messages: [{ role: 'user', content: 'call:look please' }],
      tools: [{ name: 'look', input_schema: z.toJSONSchema(roomy, { io: 'input' }) }],
    });
    assert.deepEqual(message.content.at(-1).input, { city: 'city' });
  });
}
