// What the Go side of these tests (../sdk_node_test.go) has prepared: a running house and keys of every sort.
import assert from 'node:assert/strict';

assert.ok(process.env.STELE_TEST_DOOR, 'run these through: go -C test test -run Node .');

export const {
  url, // of the house
  googURL, // of one that takes x-goog-api-key
  googKey, // of that one, good for its models
  key, // good for everything
  wrongKeys, // [{name, key, status, message}], none of them opens chat
  models, // the ids that the house offers, in order
} = JSON.parse(process.env.STELE_TEST_DOOR);

// rejection is the error a promise ends with.
export async function rejection(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  assert.fail('nothing was thrown');
}

// all reads a stream, or a list with pages, to its end.
export async function all(items) {
  const list = [];
  for await (const item of await items) list.push(item);
  return list;
}

// check holds an error against what is expected of it.
export function check(error, errorClass, status, text) {
  assert.ok(error instanceof errorClass, `${error.constructor.name}: ${error.message}`);
  assert.equal(error.constructor.name, errorClass.name);
  assert.equal(error.status, status);
  assert.ok(error.message.includes(text), error.message);
}
