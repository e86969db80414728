import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from '@google/genai';
import { z } from 'zod';
import { client, genai } from './genai.mjs';
import { play } from './play.mjs';
import { rich, roomy, wild } from './rich.mjs';
import { upstreams } from './stage.mjs';

play(genai);

// callable is a tool that the SDK calls by itself.
const callable = (heard) => ({
  tool: async () => ({
    functionDeclarations: [{
      name: 'get_weather', description: 'The weather.',
      parameters: {
        type: Type.OBJECT, required: ['city', 'days'],
        properties: { city: { type: Type.STRING }, days: { type: Type.INTEGER, minimum: 1, maximum: 14 }, when: { type: Type.STRING, nullable: true } },
      },
    }],
  }),
  callTool: async (calls) => calls.map(({ id, name, args }) => (
    { functionResponse: { id, name, response: { output: `heard ${heard.push(args)}` } } })),
});

for (const up of upstreams) {
  const model = `${up.dialect}/${up.plain}`;

  test(`${up.dialect}: JSON Schema`, async () => {
    // Passed through to Google a schema is its own affair: it refuses some of these words.
    if (up.dialect === 'gemini') return;
    for (const responseJsonSchema of [z.toJSONSchema(rich), wild]) {
      const config = { responseMimeType: 'application/json', responseJsonSchema };
      const { text } = await client().models.generateContent({ model, contents: 'Describe a person.', config });
      assert.deepEqual(Object.keys(JSON.parse(text)).sort(), responseJsonSchema.required.toSorted());
    }
  });

  test(`${up.dialect}: Google's own kind of schema`, async () => {
    const responseSchema = {
      type: Type.OBJECT, required: ['name', 'age', 'kind', 'tags'], propertyOrdering: ['age', 'name', 'kind', 'tags'],
      properties: {
        name: { type: Type.STRING, minLength: '1', maxLength: '40' }, age: { type: Type.INTEGER, format: 'int32', minimum: 0 },
        kind: { type: Type.STRING, format: 'enum', enum: ['cat', 'dog'] }, nick: { type: Type.STRING, nullable: true },
        tags: { type: Type.ARRAY, items: { type: Type.STRING }, minItems: '1', maxItems: '3' },
      },
    };
    const config = { responseMimeType: 'application/json', responseSchema };
    const { name, age, kind } = JSON.parse((await client().models.generateContent({ model, contents: 'Describe it.', config })).text);
    assert.deepEqual({ name, age, kind }, { name: 'name', age: 7, kind: 'cat' });
  });

  for (const stream of [false, true]) {
    test(`${up.dialect}: run tools, stream ${stream}`, async () => {
      const heard = [];
      const request = { model, contents: 'call:get_weather*2 please', config: { tools: [callable(heard)] } };
      let text = '';
      if (stream) for await (const chunk of await client().models.generateContentStream(request)) text += chunk.text ?? '';
      else text = (await client().models.generateContent(request)).text;
      assert.ok(text.endsWith('The tools said: heard 2'), text);
      assert.deepEqual(heard, [{ city: 'city', days: 7 }, { city: 'city', days: 7 }]);
    });
  }

  test(`${up.dialect}: a tool with optional arguments`, async () => {
    const parametersJsonSchema = z.toJSONSchema(roomy, { io: 'input' });
    if (up.dialect === 'gemini') { // its own affair, as above
      for (const name of ['days', 'units', 'extra']) delete parametersJsonSchema.properties[name];
    }
    const { functionCalls } = await client().models.generateContent({
      model, contents: 'call:look please', config: { tools: [{ functionDeclarations: [{ name: 'look', parametersJsonSchema }] }] },
    });
    assert.deepEqual(functionCalls[0].args, { city: 'city' });
  });
}
