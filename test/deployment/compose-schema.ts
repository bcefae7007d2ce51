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
  oneOf: [{ required: ['image'] }, { required: ['build'] }],
  properties: {
    build: { type: 'string' },
    image: { type: 'string', pattern: String.raw`^[a-z0-9./-]+:[\w.-]+$` },
    read_only: { type: 'boolean' },
    tmpfs: { type: 'array', uniqueItems: true, items: { type: 'string' } },
    cap_add: { type: 'array', uniqueItems: true, items: { type: 'string' } },
    cap_drop: { type: 'array', uniqueItems: true, items: { type: 'string' } },
    security_opt: { type: 'array', uniqueItems: true, items: { type: 'string' } },
    restart: { enum: ['no', 'always', 'on-failure', 'unless-stopped'] },
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

export const COMPOSE_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['services'],
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
  },
};
