/**
 * The shared runtime of the tests, for mutants: packages stay loaded from one mutant to the next, the sources are
 * loaded anew, so that what they compute at their start changes too. Both see which mutant is on.
 */
const path = require('node:path');
const { default: SharedRuntime } = require('../../test/support/jest/shared-runtime.cjs');

class MutantRuntime extends SharedRuntime {
  constructor(config, environment, ...rest) {
    super(config, environment, ...rest);
    // Stryker sets it in the sandbox of Jest, and the sources are outside of it.
    globalThis.__stryker__ = environment.global.__stryker__;
    const sources = path.join(config.rootDir, 'src') + path.sep;
    for (const name of Object.keys(require.cache)) {
      if (name.startsWith(sources)) delete require.cache[name];
    }
  }
}

module.exports = { __esModule: true, default: MutantRuntime };
