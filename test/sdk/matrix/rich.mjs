// Schemas with much of what people write, and some of what no two of the three APIs understand alike.
import assert from 'node:assert/strict';
import { z } from 'zod';

const address = z.object({ zip: z.string().regex(/^[a-z]+$/).min(2).max(10), country: z.literal('NL') });

// rich is such that a model that hears only half of it still says what fits: the fake ones take names for texts and 7 for a
// number. Nothing is optional: OpenAI's strict schemas know no such thing.
export const rich = z.object({
  name: z.string().min(1).max(40).describe('Given name.'),
  age: z.int().positive().max(150),
  weight: z.number().gt(0).lt(500),
  kind: z.enum(['cat', 'dog']),
  tags: z.array(z.string()).min(1).max(3),
  home: address,
  work: address,
  friends: z.array(z.object({ name: z.string(), since: z.int().min(1) })),
});

// fits fails unless a value is what the fake models make of the schema.
export function fits(value) {
  assert.equal(value.name, 'name');
  assert.equal(value.home.country, 'NL');
  assert.deepEqual(Object.keys(value).sort(), Object.keys(rich.shape).sort());
}

// wild is for models of another vendor than the client's, to whom it is rewritten.
export const wild = z.toJSONSchema(rich.extend({
  mail: z.email(),
  id: z.uuid(),
  born: z.iso.date(),
  nick: z.string().nullable(),
  either: z.union([z.string(), z.int()]),
  step: z.number().multipleOf(5),
  odd: z.tuple([z.string(), z.int()]),
  who: z.discriminatedUnion('is', [z.object({ is: z.literal('a'), a: z.string() }), z.object({ is: z.literal('b'), b: z.int() })]),
}));

// roomy has what may be left out.
export const roomy = z.object({
  city: z.string(),
  days: z.int().positive().max(14).optional(),
  units: z.enum(['metric', 'imperial']).default('metric'),
  place: z.object({ lat: z.number().min(-90).max(90), long: z.number() }).optional().describe('Where it is.'),
  extra: z.record(z.string(), z.int()).optional(),
});
