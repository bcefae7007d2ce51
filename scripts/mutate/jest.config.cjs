/**
 * Jest for mutants: tests without a database, in a plain runtime. The shared one (test/support/jest) loads the
 * sources outside of Jest, where Stryker could not switch its mutants on.
 */
const path = require('node:path');

module.exports = {
  rootDir: path.join(__dirname, '..', '..'),
  roots: ['<rootDir>/test'],
  testEnvironment: 'node',
  testMatch: ['**/*.spec.ts'],
  transform: {
    '^.+\\.tsx?$': ['@swc/jest', { configFile: path.join(__dirname, '..', '..', '.swcrc') }],
  },
  moduleFileExtensions: ['ts', 'tsx', 'js', 'cjs', 'mjs', 'json'],
  setupFiles: ['reflect-metadata'],
};
