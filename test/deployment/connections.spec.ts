import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Settings } from '../../src/common/config';
import { serverOutcomes } from '../../src/persistence/server-check';

/** The sums of connections in manifests and documents are those with which the start refuses a server. */

const PROJECT = path.resolve(__dirname, '../..');
const { poolSize } = Settings.fromEnvironment({}).database;

const SERVER = {
  version: 180_000,
  isSynced: true,
  commitWaitsFor: 'on',
  deadlockTimeoutMs: 500,
  isStandby: false,
  isReadOnly: false,
  encoding: 'UTF8',
  replicationRole: 'origin',
  schema: 'public',
  tablesIn: 'public',
  ownTablesIn: 'public',
  user: 'colloquy',
  canCreateTables: true,
  closedTables: 0,
  dataDirectory: null,
};

/** The fewest connections of a server that so many replicas accept. */
function fewestFor(replicas: number): number {
  const isRefused = (connections: number): boolean =>
    serverOutcomes({ ...SERVER, connections }, { poolSize, replicas }).some(
      ({ kind }) => kind === 'problem',
    );
  let connections = 1;
  while (isRefused(connections)) connections += 1;
  return connections;
}

function read(name: string): string {
  return readFileSync(path.join(PROJECT, name), 'utf8');
}

function replicasIn(name: string): number {
  return Number(/DATABASE_REPLICAS(?:=|: ')(\d+)/.exec(read(name))?.[1]);
}

test.each(['small', 'large'])(
  'the overlay %s and docs/deploy.md state the number of database connections',
  (overlay) => {
    const file = `deploy/kubernetes/overlays/${overlay}/kustomization.yaml`;
    const replicas = replicasIn(file);
    const sum = fewestFor(replicas);

    expect(read(file)).toContain(`${replicas} × (${poolSize} + 3) + 10 = ${sum}`);
    expect(read('docs/deploy.md')).toContain(
      `${overlay}: ${replicas} × ${poolSize + 3} + 10 = ${sum}`,
    );
  },
);

test('docker-compose.yml and docs/scaling.md state the number of database connections', () => {
  const replicas = replicasIn('docker-compose.yml');
  const sum = fewestFor(replicas);

  expect(read('docker-compose.yml')).toContain(
    `${replicas} × (${poolSize} + 3) + 10 = ${sum} connections`,
  );
  expect(read('docs/scaling.md')).toContain(
    `(\`DATABASE_POOL_SIZE\` + 3) + 10: ${replicas} × ${poolSize + 3} + 10 = ${sum} here`,
  );
  expect(read('docs/scaling.md')).toContain(
    `100 replicas × (${poolSize} + 3) + 10 = ${fewestFor(100)}`,
  );
});
