import { z } from 'zod';
import { EVENTS } from '../channels/web';
import { VERSION } from '../common/version';
import { EVENT_EXAMPLES } from './api-examples';

const CANDIDATE = '/api/v1/conversation/events';
const WATCHERS = '/api/v1/admin/conversations/{id}/events';

/**
 * The AsyncAPI 3 document of the stream of events, made from the schemas by which its frames are typed.
 * Payloads are JSON Schema draft 7, which AsyncAPI reads without a declaration.
 */
export function eventDocument(baseUrl: string): object {
  const { host, protocol } = new URL(baseUrl);
  const names = Object.keys(EVENTS) as (keyof typeof EVENTS)[];
  const references = (of: string): object =>
    Object.fromEntries(names.map((name) => [name, { $ref: `#/${of}/${name}` }]));
  const operation = (channel: string, security: string): object => ({
    action: 'send',
    channel: { $ref: `#/channels/${channel}` },
    messages: Object.values(references(`channels/${channel}/messages`)),
    security: [{ $ref: `#/components/securitySchemes/${security}` }],
    bindings: { http: { method: 'GET', bindingVersion: '0.3.0' } },
  });
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Colloquy: events of an interview',
      version: VERSION,
      description:
        'A stream of server-sent events (text/event-stream) that stays open. The name of a message is ' +
        'the field `event` of its frame, its payload is the JSON in `data`. `start` and `delta` have an ' +
        '`id`; a client that was cut off sends the last one as Last-Event-ID, or as `lastEventId` in the ' +
        'query, and gets the rest. The stream of /api/chat has the protocol of the AI SDK (UI message stream, version 1) instead.',
    },
    servers: { here: { host, protocol: protocol.replace(':', '') } },
    defaultContentType: 'application/json',
    channels: {
      conversation: {
        address: CANDIDATE,
        description: "A candidate's own interview.",
        messages: references('components/messages'),
      },
      watch: {
        address: WATCHERS,
        description: 'The same for the hiring team.',
        parameters: { id: { description: 'The id of the conversation.' } },
        messages: references('components/messages'),
      },
    },
    operations: {
      readConversation: operation('conversation', 'session'),
      watchConversation: operation('watch', 'admin'),
    },
    components: {
      messages: Object.fromEntries(names.map((name) => [name, messageOf(name)])),
      securitySchemes: {
        session: {
          type: 'http',
          scheme: 'bearer',
          description: '`sessionToken` of POST /api/v1/sessions, or its cookie',
        },
        admin: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key with the scope interviews:read, or ADMIN_TOKEN of the settings',
        },
      },
    },
  };
}

function messageOf(name: keyof typeof EVENTS): object {
  const { summary, hasId, data } = EVENTS[name];
  const payload = z.toJSONSchema(data, { target: 'draft-7', io: 'input' });
  delete payload.$schema;
  removeEmptyBounds(payload);
  return {
    name,
    summary,
    ...(hasId ? { headers: { type: 'object', required: ['id'], properties: { id: ID } } } : {}),
    payload,
    examples: [{ payload: EVENT_EXAMPLES[name] }],
  };
}

const ID = {
  type: 'string',
  pattern: String.raw`^\d+\.\d+\.\d+\.\d+$`,
  description:
    'The field `id` of the frame: turn, attempt, offset and the number of the last message that was sent; ' +
    'send it as Last-Event-ID',
};

/**
 * Zod describes every integer with the bounds of JavaScript, and every time with a pattern that repeats
 * its format. Tools make examples of them that mislead: -9007199254740991, and the year 8114.
 */
export function removeEmptyBounds(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return;
  const bounded = schema as Record<string, unknown>;
  if (bounded['minimum'] === Number.MIN_SAFE_INTEGER) delete bounded['minimum'];
  if (bounded['maximum'] === Number.MAX_SAFE_INTEGER) delete bounded['maximum'];
  if (typeof bounded['format'] === 'string') delete bounded['pattern'];
  for (const [key, inner] of Object.entries(bounded)) {
    if (key !== 'examples') removeEmptyBounds(inner);
  }
}
