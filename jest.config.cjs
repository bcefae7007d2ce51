/** Tests run against real PostgreSQL (test/support/postgres) and the sources, compiled by SWC. */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  transform: { '^.+\\.tsx?$': ['@swc/jest', { configFile: `${__dirname}/.swcrc` }] },
  moduleFileExtensions: ['ts', 'tsx', 'js', 'cjs', 'mjs', 'json'],
  setupFiles: ['reflect-metadata'],
  globalSetup: '<rootDir>/test/support/postgres/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/postgres/global-teardown.ts',
  // Tests of real processes meet busy machines: in CI a failure is shown and tried once more.
  setupFilesAfterEnv: ['<rootDir>/test/support/retry-in-ci.ts'],
  testTimeout: 60_000,
  maxWorkers: 2,
};
