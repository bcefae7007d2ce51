/**
 * A Jest runtime whose test files share what they load.
 *
 * Jest gives each test file its own copies of all modules. Colloquy's are about 2,000, dependencies
 * included: loading them took 2 to 3 s of each file, and what finished files left behind made a
 * worker grow to 3 GB. No module of src/ keeps state that one file could leave to the next, so this
 * runtime loads src/ and node_modules once in each worker, by Node's own require. Modules of test/
 * and tools/ are loaded anew for each file, except the schemas of remote APIs. Jest's mocks of
 * modules do not work here; spies on objects do.
 */
const asyncHooks = require('node:async_hooks');
const { createRequire } = require('node:module');
const path = require('node:path');
const { runInNewContext } = require('node:vm');
const { default: Runtime } = require('jest-runtime');

const GLOBALS = 'describe test expect beforeAll beforeEach afterAll afterEach'.split(' ');
/** The built-in types (Array, Error, String …). A sandbox would otherwise have its own copies. */
const TYPES = runInNewContext('Object.getOwnPropertyNames(globalThis)').filter(
  (name) => /^[A-Z]/.test(name) && typeof globalThis[name] === 'function',
);
const TRANSFORM = { isInternalModule: false, supportsStaticESM: false };

/** The source map of each compiled file. The files stay loaded longer than a runtime lives. */
const sourceMaps = new Map();
/** Compiles a file by Jest's transformer of the newest runtime, with Jest's cache on disk. */
let compile;

function load(module, filename) {
  const { code, sourceMapPath } = compile(filename);
  if (sourceMapPath) sourceMaps.set(filename, sourceMapPath);
  module._compile(code, filename);
}
for (const extension of ['.ts', '.tsx']) require.extensions[extension] = load;

/** Every AsyncLocalStorage of this worker. While one is enabled, it slows down every promise. */
const storages = new Set();
const { AsyncLocalStorage } = asyncHooks;
asyncHooks.AsyncLocalStorage = class extends AsyncLocalStorage {
  constructor(...args) {
    super(...args);
    storages.add(new WeakRef(this));
  }
};

/** jest-circus leaves an enabled storage for each test file, and a model server one for each start. */
function disableStorages() {
  for (const reference of storages) {
    const storage = reference.deref();
    // A storage that is still in use enables itself again.
    if (storage === undefined) storages.delete(reference);
    else storage.disable();
  }
}

/** Compiled schemas of remote APIs: they take seconds to make and do not change. */
const SCHEMAS = `${path.sep}schema${path.sep}`;

/** Unloads the modules of test/ and tools/, so that a test file sees no state of an earlier one. */
function forgetTests(rootDir) {
  const folders = ['test', 'tools'].map((folder) => path.join(rootDir, folder) + path.sep);
  for (const name of Object.keys(require.cache)) {
    if (name === __filename || !folders.some((folder) => name.startsWith(folder))) continue;
    if (!name.includes(SCHEMAS, rootDir.length)) delete require.cache[name];
  }
}

/** Parts of Jest whose state is set anew for each test. To load them anew took 40 ms of each file. */
const JEST_PARTS = new Set(['expect', 'jest-snapshot']);

class SharedRuntime extends Runtime {
  constructor(config, environment, resolver, transformer, ...rest) {
    super(config, environment, resolver, transformer, ...rest);
    // Matchers run in the sandbox and compare values from outside, so both need the same types.
    for (const name of TYPES) environment.global[name] = globalThis[name];
    compile = (filename) =>
      transformer.transform(filename, { ...TRANSFORM, ...this._coverageOptions });
    forgetTests(config.rootDir);
  }

  requireModule(from, moduleName, options, isActual) {
    // Jest names only one file when it loads a test file or a setup file.
    if (moduleName !== undefined || options?.isInternalModule) {
      return super.requireModule(from, moduleName, options, isActual);
    }
    for (const name of GLOBALS) globalThis[name] = this._environment.global[name];
    globalThis.jest = this.jestGlobals.jestObjectFor(from);
    return require(from);
  }

  requireInternalModule(from, moduleName) {
    if (JEST_PARTS.has(moduleName)) return createRequire(from)(moduleName);
    return super.requireInternalModule(from, moduleName);
  }

  getSourceMaps() {
    return sourceMaps;
  }

  teardown() {
    // The next test file shares these modules and would see a spy that is left on them.
    this.restoreAllMocks();
    disableStorages();
    super.teardown();
  }
}

module.exports = { __esModule: true, default: SharedRuntime };
