// Node's test runner follows every promise, to name the test in which an error nobody waited for began. That takes half of
// the processor of these tests. Without it such an error still fails the file, and says no more than what it is.
const { createHook } = require('node:async_hooks');

const hooks = Object.getPrototypeOf(createHook({}));
const { enable } = hooks;
hooks.enable = function quick() {
  return new Error().stack.includes('node:internal/test_runner/') ? this : enable.call(this);
};
