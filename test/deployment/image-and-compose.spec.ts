import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import Ajv from 'ajv';
import { parse } from 'yaml';
import { COMPOSE_SCHEMA } from './compose-schema';

const PROJECT = path.resolve(__dirname, '../..');
const hasCompose = spawnSync('docker', ['compose', 'version']).status === 0;
const withCompose = hasCompose ? it : it.skip;
const COMPOSE_ONLY = hasCompose ? '' : ' (skipped: no docker compose on this machine)';

interface Compose {
  readonly services: Record<
    string,
    {
      depends_on?: Record<string, unknown>;
      volumes?: string[];
      environment: Record<string, string>;
    }
  >;
  readonly volumes: Record<string, null>;
}

function read(name: string): string {
  return readFileSync(path.join(PROJECT, name), 'utf8');
}

const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(COMPOSE_SCHEMA);

describe('docker-compose.yml', () => {
  const compose = parse(read('docker-compose.yml')) as Compose;

  it('keeps to the Compose Specification', () => {
    validate(compose);

    expect(validate.errors ?? []).toEqual([]);
  });

  it('is refused with a misspelt key, a wrong condition or a bare number as a duration', () => {
    const broken = [
      ['depends_on:', 'depend_on:'],
      ['service_healthy', 'healthy'],
      ['stop_grace_period: 90s', 'stop_grace_period: 90'],
    ].map(([from = '', to = '']) => parse(read('docker-compose.yml').replace(from, to)) as Compose);

    expect(broken.map((file) => validate(file))).toEqual([false, false, false]);
  });

  it('names only services and volumes that it has, and one password on both sides', () => {
    const services = Object.values(compose.services);
    const waitedFor = services.flatMap(({ depends_on }) => Object.keys(depends_on ?? {}));
    const mounted = services.flatMap(({ volumes }) => (volumes ?? []).map((v) => v.split(':')[0]));

    expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(waitedFor));
    expect(Object.keys(compose.volumes).sort()).toEqual(mounted.sort());
    expect(compose.services['app']?.environment['DATABASE_URL']).toContain(
      `:${compose.services['postgres']?.environment['POSTGRES_PASSWORD'] ?? ''}@postgres:`,
    );
  });

  withCompose(`is accepted by docker compose${COMPOSE_ONLY}`, () => {
    execFileSync('docker', ['compose', 'config', '--quiet'], { cwd: PROJECT });
  });
});

describe('The Dockerfile', () => {
  const copied = read('Dockerfile')
    .split('\n')
    .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
    .flatMap((line) => line.split(/\s+/).slice(1, -1));

  it('copies only what exists and .dockerignore lets through', () => {
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));

    expect(copied.filter((name) => !existsSync(path.join(PROJECT, name)))).toEqual([]);
    expect([...new Set(copied)].sort()).toEqual(allowed.sort());
  });

  it('runs as an ordinary user, without a shell between the signals and the server', () => {
    expect(read('Dockerfile')).toContain('\nUSER node\n');
    expect(read('Dockerfile')).toContain('\nCMD ["node", "dist/main.js"]');
  });
});
