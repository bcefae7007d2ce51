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
  testTimeout: 60_000,
};
