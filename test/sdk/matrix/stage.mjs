// What the Go side (../../matrix_node_test.go) has prepared: a house before three upstreams, and a window on those.
import assert from 'node:assert/strict';

assert.ok(process.env.STELE_TEST_STAGE, 'run these through: go -C test test -run TestNodeMatrix .');

export const {
  url, // of the house
  key, // good for everything
  window, // where to ask what an upstream has seen
  cuts, // at how many offsets anywhere a stream is cut
  step, // and at which edges of its frames: the first and last two, and every so many between them
  upstreams, // [{dialect, plain, thinker, thinkers}]: model names; a client's begin with the dialect and a slash
} = JSON.parse(process.env.STELE_TEST_STAGE);

// hangup returns when the upstream has seen that nobody wants its answer any more.
export const hangup = (model) => look('hangup', model);

// asked returns when the upstream has been asked for a model.
export const asked = (model) => look('asked', model);

// sent is how much of an answer an upstream has sent: {bytes, frames}.
export const sent = (model) => look('sent', model);

async function look(what, model) {
  const response = await fetch(`${window}/${what}?model=${encodeURIComponent(model)}`);
  const body = await response.text();
  assert.equal(response.status, 200, `${what} ${model}: ${body}`);
  return JSON.parse(body);
}

// tape is a fetch that remembers the header of its last answer.
export function tape() {
  const record = async (...request) => {
    const response = await fetch(...request);
    record.heard = response.headers;
    return response;
  };
  return record;
}
