export { type TestDatabaseHandle, createTestDatabase } from './test-database';
