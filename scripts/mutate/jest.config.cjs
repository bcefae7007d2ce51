/** Jest for mutants: tests without a database, and a runtime in which Stryker can switch its mutants on. */
const path = require('node:path');

const ROOT = path.join(__dirname, '..', '..');

module.exports = {
  rootDir: ROOT,
  roots: ['<rootDir>/test'],
  testEnvironment: 'node',
  runtime: path.join(__dirname, 'runtime.cjs'),
  testMatch: ['**/*.spec.ts'],
  transform: { '^.+\\.tsx?$': ['@swc/jest', { configFile: path.join(ROOT, '.swcrc') }] },
  moduleFileExtensions: ['ts', 'tsx', 'js', 'cjs', 'mjs', 'json'],
  setupFiles: ['reflect-metadata', path.join(__dirname, 'seed.cjs')],
};
