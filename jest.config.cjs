/**
 * Tests run against real PostgreSQL (test/support/postgres) and the sources, compiled by SWC.
 * COLLOQUY_TESTS=long selects the long ones, `*.long.spec.ts`; scripts/test.mjs sets it.
 */
const isLong = process.env.COLLOQUY_TESTS === 'long';

module.exports = {
  testEnvironment: 'node',
  // Modules are loaded once in a worker, not once in each test file.
  runtime: '<rootDir>/test/support/jest/shared-runtime.cjs',
  roots: ['<rootDir>/test'],
  testMatch: [isLong ? '**/*.long.spec.ts' : '**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', ...(isLong ? [] : ['\\.long\\.spec\\.ts$'])],
  transform: { '^.+\\.tsx?$': ['@swc/jest', { configFile: `${__dirname}/.swcrc` }] },
  moduleFileExtensions: ['ts', 'tsx', 'js', 'cjs', 'mjs', 'json'],
  setupFiles: ['reflect-metadata'],
  globalSetup: '<rootDir>/test/support/postgres/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/postgres/global-teardown.ts',
  testTimeout: 60_000,
  // One for each of two cores: more of them wait for each other longer than for the database.
  maxWorkers: 2,
  // A worker that has grown is replaced between two files.
  workerIdleMemoryLimit: '2GB',
};
