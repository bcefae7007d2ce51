export { createTestDatabase, type TestDatabaseHandle } from './test-database';
