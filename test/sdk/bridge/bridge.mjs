// What the Go side of these tests (../bridge_test.go) has prepared.
import assert from 'node:assert/strict';

assert.ok(process.env.STELE_TEST_BRIDGE, 'run these through: go -C test test -run NodeBridge ./sdk');

export const {
  url, // of the bridge
  refused, // of one whose key the server does not take
  thinkers, // a model that thinks by the dialect of its upstream
} = JSON.parse(process.env.STELE_TEST_BRIDGE);

// ask is a question that makes the model behind call a tool so many times, one after the other.
export const ask = (dialect, times) =>
  dialect === 'sandbox' ? `Go. [[sandbox: tool=forecast times=${times}]]` : `Please call:forecast*${times} for it.`;

export const place = { type: 'object', properties: { place: { type: 'string' }, days: { type: 'integer' } }, required: ['place', 'days'], additionalProperties: false };
