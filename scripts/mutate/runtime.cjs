/**
 * The shared runtime of the tests, for mutants: packages and sources stay loaded from one mutant to the next, except
 * the sources that have mutants and those that load them, so that what they compute at their start changes too. Both
 * sides see which mutant is on.
 */
const { readFileSync } = require('node:fs');
const path = require('node:path');
const { default: SharedRuntime } = require('../../test/support/jest/shared-runtime.cjs');

class MutantRuntime extends SharedRuntime {
  constructor(config, environment, ...rest) {
    super(config, environment, ...rest);
    // Stryker sets it in the sandbox of Jest, and the sources are outside of it.
    globalThis.__stryker__ = environment.global.__stryker__;
    forgetMutated(path.join(config.rootDir, 'src') + path.sep);
  }
}

function forgetMutated(sources) {
  const loaded = Object.values(require.cache).filter(({ id }) => id.startsWith(sources));
  const mutated = new Set(loaded.filter(({ id }) => hasMutants(id)));
  let before;
  do {
    before = mutated.size;
    for (const module of loaded) {
      if (module.children.some((child) => mutated.has(child))) mutated.add(module);
    }
  } while (mutated.size > before);
  for (const { id } of mutated) delete require.cache[id];
  // A module keeps alive what it once loaded: tests and sources of thousands of mutants.
  for (const module of Object.values(require.cache)) {
    if (module.children.some(isForgotten)) {
      module.children = module.children.filter((child) => !isForgotten(child));
    }
  }
}

function isForgotten(module) {
  return require.cache[module.id] !== module;
}

const known = new Map();

function hasMutants(file) {
  if (!known.has(file)) known.set(file, readFileSync(file, 'utf8').includes('stryMutAct_'));
  return known.get(file);
}

module.exports = { __esModule: true, default: MutantRuntime };
