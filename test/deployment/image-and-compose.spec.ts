import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Ajv from 'ajv';
import { parse as parseYaml } from 'yaml';
import { SETTINGS, Settings } from '../../src/common/config';

const PROJECT = path.resolve(__dirname, '../..');
const hasCompose = spawnSync('docker', ['compose', 'version']).status === 0;
const withCompose = hasCompose ? test : test.skip;
const REPLICAS = ['app-1', 'app-2'];
const COMPOSE_ONLY = hasCompose ? '' : ' (skipped: no docker compose on this machine)';

interface Compose {
  readonly services: Record<
    string,
    {
      image?: string;
      build?: string | { target: string };
      profiles?: string[];
      secrets?: { source: string; target: string }[];
      networks?: { default: { aliases: string[] } };
      env_file?: { path: string }[];
      stop_grace_period?: string;
      depends_on?: Record<string, unknown>;
      volumes?: string[];
      environment: Record<string, string>;
      read_only?: boolean;
      cap_drop?: string[];
      security_opt?: string[];
    }
  >;
  readonly volumes: Record<string, null>;
  readonly secrets: Record<string, { environment: string }>;
}

/** With merge keys (`<<`), which docker compose resolves as well. */
function parse(text: string): unknown {
  return parseYaml(text, { merge: true });
}

function read(name: string): string {
  return readFileSync(path.join(PROJECT, name), 'utf8');
}

/**
 * The part of the Compose Specification's JSON schema (compose-spec.io, schema/compose-spec.json)
 * that docker-compose.yml uses, closed: a key that is misspelt or new here fails. No network, no
 * Docker. Whoever adds a key to the file adds it here from the specification.
 */
const duration = { type: 'string', pattern: String.raw`^(\d+(us|ms|s|m|h))+$` };
const dictionary = {
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
};

const service = {
  type: 'object',
  additionalProperties: false,
  anyOf: [{ required: ['image'] }, { required: ['build'] }],
  properties: {
    build: {
      type: ['string', 'object'],
      additionalProperties: false,
      properties: { context: { type: 'string' }, target: { type: 'string' } },
    },
    networks: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        properties: { aliases: { type: 'array', items: { type: 'string' } } },
      },
    },
    secrets: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['source'],
        properties: { source: { type: 'string' }, target: { type: 'string' } },
      },
    },
    profiles: { type: 'array', uniqueItems: true, items: { type: 'string' } },
    image: { type: 'string', pattern: String.raw`^[a-z0-9./-]+:[\w.-]+$` },
    read_only: { type: 'boolean' },
    tmpfs: { type: 'array', uniqueItems: true, items: { type: 'string' } },
    cap_add: { type: 'array', uniqueItems: true, items: { type: 'string' } },
    cap_drop: { type: 'array', uniqueItems: true, items: { type: 'string' } },
    security_opt: { type: 'array', uniqueItems: true, items: { type: 'string' } },
    restart: { enum: ['no', 'always', 'on-failure', 'unless-stopped'] },
    command: { type: 'string' },
    environment: dictionary,
    env_file: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['path'],
        properties: { path: { type: 'string' }, required: { type: 'boolean' } },
      },
    },
    ports: { type: 'array', uniqueItems: true, items: { type: 'string' } },
    volumes: { type: 'array', uniqueItems: true, items: { type: 'string' } },
    depends_on: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['condition'],
        properties: {
          condition: {
            enum: ['service_started', 'service_healthy', 'service_completed_successfully'],
          },
        },
      },
    },
    healthcheck: {
      type: 'object',
      additionalProperties: false,
      required: ['test'],
      properties: {
        test: { type: 'array', items: { type: 'string' } },
        interval: duration,
        timeout: duration,
        retries: { type: 'number' },
        start_period: duration,
      },
    },
    stop_grace_period: duration,
  },
};

const COMPOSE_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['services'],
  patternProperties: { '^x-': {} },
  properties: {
    name: { type: 'string', pattern: '^[a-z0-9][a-z0-9_-]*$' },
    services: {
      type: 'object',
      additionalProperties: false,
      patternProperties: { '^[a-zA-Z0-9._-]+$': service },
    },
    volumes: {
      type: 'object',
      additionalProperties: false,
      patternProperties: { '^[a-zA-Z0-9._-]+$': { type: 'null' } },
    },
    secrets: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['environment'],
        properties: { environment: { type: 'string' } },
      },
    },
  },
};

const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(COMPOSE_SCHEMA);

describe('docker-compose.yml', () => {
  const compose = parse(read('docker-compose.yml')) as Compose;

  test('keeps to the Compose Specification', () => {
    validate(compose);

    expect(validate.errors ?? []).toEqual([]);
  });

  test('is refused with a misspelt key, a wrong condition or a bare number as a duration', () => {
    const broken = [
      ['depends_on:', 'depend_on:'],
      ['service_healthy', 'healthy'],
      ['stop_grace_period: 90s', 'stop_grace_period: 90'],
    ].map(([from = '', to = '']) => parse(read('docker-compose.yml').replace(from, to)) as Compose);

    expect(broken.map((file) => validate(file))).toEqual([false, false, false]);
  });

  test('names only services, volumes and files that exist, and one password on both sides', () => {
    const services = Object.values(compose.services);
    const waitedFor = services.flatMap(({ depends_on }) => Object.keys(depends_on ?? {}));
    const mounted = services.flatMap(({ volumes }) => (volumes ?? []).map((v) => v.split(':')[0]));
    const isFile = (place = ''): boolean => place.startsWith('./');
    const files = mounted.filter(isFile);

    expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(waitedFor));
    expect(Object.keys(compose.volumes).sort()).toEqual(mounted.filter((v) => !isFile(v)).sort());
    expect(files.filter((file = '') => !existsSync(path.join(PROJECT, file)))).toEqual([]);
    for (const name of REPLICAS) {
      expect(compose.services[name]?.environment['DATABASE_URL']).toContain(
        `:${compose.services['postgres']?.environment['POSTGRES_PASSWORD'] ?? ''}@postgres:`,
      );
    }
  });

  test('runs two equal replicas of one image behind one address', () => {
    const [one, other] = REPLICAS.map((name) => ({ ...compose.services[name] }));
    const upstreams = read('deploy/compose/nginx.conf').match(/server app-\d:\d+/g);

    for (const replica of [one, other]) {
      delete replica?.build;
      delete replica?.depends_on;
    }
    expect(one).toEqual(other);
    expect(upstreams).toEqual(REPLICAS.map((name) => `server ${name}:3000`));
    expect(Number(one?.environment?.['DATABASE_REPLICAS'])).toBeGreaterThan(REPLICAS.length);
    expect(parseInt(one?.stop_grace_period ?? '', 10) * 1000).toBeGreaterThan(
      Settings.fromEnvironment({}).shutdown.deadlineMs,
    );
  });

  test('sets only known settings, and so does tools.env', () => {
    const known = new Set(SETTINGS.map(({ variable }) => variable));
    const given = Object.keys(compose.services['app-1']?.environment ?? {});
    const lines = read('deploy/compose/tools.env').match(/^[A-Z_]+=.*$/gm) ?? [];
    const env = Object.fromEntries(lines.map((line) => line.split('=', 2) as [string, string]));
    delete env['POSTGRES_PASSWORD'];

    expect([...given, ...Object.keys(env)].filter((name) => !known.has(name))).toEqual([]);
    const { telegram, notion, llm } = Settings.fromEnvironment(env);
    expect([telegram.apiRoot, llm.baseUrl, notion.apiUrl].map((url) => new URL(url).host)).toEqual([
      'fakes:8081',
      'fakes:8082',
      'fakes:8083',
    ]);
  });

  test('lets Prometheus scrape every replica with the management token', () => {
    const [secret] = compose.services['prometheus']?.secrets ?? [];

    expect(secret?.target).toBe('/etc/prometheus/management-token');
    expect(compose.secrets[secret?.source ?? '']).toEqual({ environment: 'MANAGEMENT_TOKEN' });
    for (const name of REPLICAS) {
      expect(compose.services[name]?.networks?.default.aliases).toEqual(['app']);
    }
  });

  test('starts Prometheus, Grafana and the fakes only with their profiles', () => {
    const profiles = Object.entries(compose.services).flatMap(([name, { profiles: in_ }]) =>
      in_ === undefined ? [] : [[name, in_]],
    );

    expect(Object.fromEntries(profiles)).toEqual({
      prometheus: ['monitoring'],
      grafana: ['monitoring'],
      fakes: ['tools'],
    });
    expect(compose.services['fakes']?.build).toEqual({ context: '.', target: 'tools' });
    expect(read('Dockerfile')).toContain('\nFROM build AS tools\n');
    expect(compose.services['postgres']?.image).toBe('postgres:18');
  });

  test('demands a password of the database: there is none by default', () => {
    const password = compose.services['postgres']?.environment['POSTGRES_PASSWORD'] ?? '';

    expect(password).toMatch(/^\$\{POSTGRES_PASSWORD:\?.+\}$/);
    expect(read('docker-compose.yml')).not.toContain('POSTGRES_PASSWORD:-');
  });

  test.each([...REPLICAS, 'balancer', 'postgres'])(
    'gives %s no more rights than it needs',
    (name) => {
      expect(compose.services[name]).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    },
  );

  withCompose(`is accepted by docker compose${COMPOSE_ONLY}`, () => {
    const env = { ...process.env, POSTGRES_PASSWORD: 'of-the-test' };
    execFileSync('docker', ['compose', 'config', '--quiet'], { cwd: PROJECT, env });
  });
});

describe('The Dockerfile', () => {
  const copied = read('Dockerfile')
    .split('\n')
    .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
    .flatMap((line) => line.split(/\s+/).slice(1, -1));

  test('copies only what exists and .dockerignore lets through', () => {
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));

    expect(copied.filter((name) => !existsSync(path.join(PROJECT, name)))).toEqual([]);
    expect([...new Set(copied)].sort()).toEqual(allowed.sort());
  });

  test('runs as an ordinary user, without a shell between the signals and the server', () => {
    expect(read('Dockerfile')).toContain('\nUSER node\n');
    expect(read('Dockerfile')).toContain('\nCMD ["node", "dist/main.js"]');
    expect(read('Dockerfile')).toContain('/app/scripts/colloquy.mjs /usr/local/bin/colloquy');
  });

  test('uses Node 24 in every stage and removes packages with install telemetry', () => {
    const bases = read('Dockerfile').match(/^FROM node\S+/gm) ?? [];

    expect(bases).toHaveLength(3);
    for (const base of bases) expect(base).toMatch(/^FROM node:24-bookworm-slim(@sha256:.*)?$/);
    expect(read('Dockerfile')).toMatch(/rm -rf .*node_modules\/@scarf/);
    expect(read('Dockerfile')).not.toMatch(/npm ci(?!.*--ignore-scripts)/);
  });

  test('can be pinned to a digest repeatedly, and to nothing else', () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'colloquy-pin-')), 'Dockerfile');
    const pin = (digest: string) =>
      spawnSync(process.execPath, ['scripts/pin-image.mjs', digest, file], { cwd: PROJECT });
    const [a, b] = [`sha256:${'a'.repeat(64)}`, `sha256:${'b'.repeat(64)}`];
    writeFileSync(file, read('Dockerfile'));
    try {
      expect([pin(a).status, pin(b).status, pin('latest').status]).toEqual([0, 0, 1]);

      const unpinned = readFileSync(file, 'utf8').replaceAll(`@${b}`, '');
      expect(readFileSync(file, 'utf8').split(`node:24-bookworm-slim@${b}`)).toHaveLength(4);
      expect(unpinned).toBe(read('Dockerfile'));
    } finally {
      rmSync(path.dirname(file), { recursive: true });
    }
  });
});
