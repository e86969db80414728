// What the Vercel AI SDK does by itself: calling tools, and objects.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateText, isStepCount, Output, streamText, tool } from 'ai';
import { z } from 'zod';
import { fits, rich, roomy } from './rich.mjs';
import { upstreams } from './stage.mjs';

export function tools(client, { foreign = true } = {}) {
  for (const up of upstreams) {
    const { model } = client.open({ model: `${up.dialect}/${up.plain}` }).settings;
    const settings = { model, maxRetries: 0 };

    for (const [how, send] of Object.entries({ whole: generateText, streamed: streamText })) {
      test(`${client.name}: ${up.dialect}, steps, ${how}`, async () => {
        const heard = [];
        const result = await send({
          ...settings, prompt: 'call:get_weather*2 please', stopWhen: isStepCount(5),
          tools: {
            get_weather: tool({
              description: 'The weather.', inputSchema: z.object({ city: z.string(), days: z.int().min(1).max(14) }),
              execute: (args) => `heard ${heard.push(args)}`,
            }),
          },
        });
        assert.match(await result.text, /^The tools said: .*heard 2/); // Google's provider wraps it
        assert.equal((await result.steps).length, 3);
        assert.deepEqual(heard, [{ city: 'city', days: 7 }, { city: 'city', days: 7 }]);
      });

      // Passed through to its own vendor a schema is what the provider makes of it.
      if (foreign || client.dialect !== up.dialect) {
        test(`${client.name}: ${up.dialect}, an object, ${how}`, async () => {
          const result = await send({ ...settings, prompt: 'Describe a person.', output: Output.object({ schema: rich }) });
          fits(await result.output);
        });
      }
    }

    if (!foreign && client.dialect === up.dialect) continue;
    test(`${client.name}: ${up.dialect}, a tool with optional arguments`, async () => {
      const { toolCalls } = await generateText({ ...settings, prompt: 'call:look please', tools: { look: tool({ inputSchema: roomy }) } });
      assert.equal(toolCalls[0].input.city, 'city');
    });
  }
}
