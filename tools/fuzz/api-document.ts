import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';

/** A JSON schema of the document; the members that values are made from. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Described {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** What the document says of one method of one path. */
export interface Operation extends Described {
  /** `POST /api/v1/sessions`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** Whose token it needs; null: nobody's. */
  readonly needs: 'session' | 'admin' | 'team' | null;
}

/** A response as it came. A stream may have been left before its end. */
export interface ReceivedResponse {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const FORMATS = {
  date: (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
  'date-time': (text: string) => DATE_TIME.test(text) && !Number.isNaN(Date.parse(text)),
  uri: (text: string) => URL.canParse(text),
  binary: true as const,
};
const PROBLEM_TYPE = 'application/problem+json';
const TOO_BUSY = new Set([429, 503]);

const SCHEMES = ['session', 'admin', 'team'] as const;

/** The OpenAPI document that a running application serves. */
export class ApiDocument {
  readonly operations: readonly Operation[];
  private readonly ajv = new Ajv2020({ strict: false, formats: FORMATS });
  private readonly checks = new Map<string, ValidateFunction>();

  constructor(private readonly document: Document) {
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([verb, described]) => {
        const method = verb.toUpperCase();
        const scheme = Object.keys(described.security?.[0] ?? {})[0];
        const needs = SCHEMES.find((known) => known === scheme) ?? null;
        return { ...described, name: `${method} ${path}`, method, path, needs };
      }),
    );
  }

  static async read(baseUrl: string): Promise<ApiDocument> {
    const response = await fetch(`${baseUrl}/docs/openapi.json`);
    if (!response.ok) throw new Error(`no OpenAPI document: HTTP ${String(response.status)}`);
    return new ApiDocument((await response.json()) as Document);
  }

  operation(name: string): Operation {
    const found = this.operations.find((one) => one.name === name);
    if (found === undefined) throw new Error(`the document has no operation ${name}`);
    return found;
  }

  resolve(schema: Schema): Schema {
    const name = schema.$ref?.split('/').at(-1);
    if (name === undefined) return schema;
    const found = this.document.components.schemas[name];
    if (found === undefined) throw new Error(`the document has no schema ${name}`);
    return found;
  }

  /** How a response differs from what the document says of the operation; null: it does not. */
  difference(operation: Operation, response: ReceivedResponse): string | null {
    const { status, type, body } = response;
    if (status >= 400) return this.problemDifference(operation, response);
    const described = operation.responses[String(status)];
    if (described === undefined) return `status ${String(status)} is not documented`;
    const contents = Object.entries(described.content ?? {});
    if (contents.length === 0) return body.length === 0 ? null : 'a body that is not documented';
    const content = contents.find(([wanted]) => isOfType(type, wanted))?.[1];
    if (content === undefined) return `content type "${type}" is not documented`;
    if (isOfType(type, 'text/event-stream')) return streamDifference(body.toString('utf8'));
    if (!isOfType(type, 'application/json')) return null;
    return this.jsonDifference(`${operation.name} ${String(status)}`, content.schema, body);
  }

  /** Each refusal is a problem document, whether or not the operation lists its status. */
  private problemDifference(operation: Operation, response: ReceivedResponse): string | null {
    const { status, type, body, headers } = response;
    if (!isOfType(type, PROBLEM_TYPE)) return `a refusal of content type "${type}"`;
    const schema = operation.responses['default']?.content?.[PROBLEM_TYPE]?.schema;
    if (schema === undefined) return 'refusals are not documented';
    const difference = this.jsonDifference(`${operation.name} refusal`, schema, body);
    if (difference !== null) return difference;
    const problem = JSON.parse(body.toString('utf8')) as { readonly status: number };
    if (problem.status !== status) return `a problem of status ${String(problem.status)}`;
    const isMissing = TOO_BUSY.has(status) && headers['retry-after'] === undefined;
    return isMissing ? 'there is no Retry-After' : null;
  }

  private jsonDifference(key: string, schema: Schema, body: Buffer): string | null {
    let value: unknown;
    try {
      value = JSON.parse(body.toString('utf8'));
    } catch {
      return 'the body is not JSON';
    }
    let check = this.checks.get(key);
    if (check === undefined) {
      check = this.ajv.compile({ ...schema, components: this.document.components });
      this.checks.set(key, check);
    }
    return check(value) ? null : this.ajv.errorsText(check.errors, { dataVar: 'body' });
  }
}

/** Whether a content type is the one of the document, which may be `audio/*`. */
function isOfType(given: string, wanted: string): boolean {
  const type = (given.split(';')[0] ?? '').trim().toLowerCase();
  if (wanted === '*/*') return type !== '';
  return wanted.endsWith('/*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted;
}

const STREAM_LINE = /^(event: \w+|id: .+|data: .*|retry: \d+|:.*|)$/;

/** The last line may be incomplete, because readers leave. */
function streamDifference(text: string): string | null {
  for (const line of text.split('\n').slice(0, -1)) {
    if (!STREAM_LINE.test(line)) return `a line that is no server-sent event: ${line.slice(0, 80)}`;
    const data = line.startsWith('data: ') ? line.slice(6) : '[DONE]';
    if (data !== '[DONE]' && !isJson(data)) return 'data of an event that are not JSON';
  }
  return null;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
