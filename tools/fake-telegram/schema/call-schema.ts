import Ajv, { type ErrorObject, type ValidateFunction } from 'ajv';
import path from 'node:path';
import { schemaFrom } from '../../schema/schema-file';

export type Params = Readonly<Record<string, unknown>>;

interface SchemaNode {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
}

interface SchemaDocument extends SchemaNode {
  readonly definitions: Readonly<Record<string, SchemaNode>>;
}

/** The parameters of each method of the Bot API, by @grammyjs/types. */
export class CallSchema {
  private readonly ajv = new Ajv({ allErrors: true, strict: false, code: { optimize: false } });
  private readonly checks = new Map<string, ValidateFunction>();
  private readonly names: ReadonlyMap<string, string>;

  private constructor(private readonly document: SchemaDocument) {
    const names = Object.keys(document.properties ?? {});
    this.names = new Map(names.map((name) => [name.toLowerCase(), name]));
    // Added as one document, so that methods share the definitions' compiled checks.
    this.ajv.addSchema(document, DOCUMENT);
  }

  /** All servers of a process share one schema, because compiling its checks takes a second. */
  static load(): Promise<CallSchema> {
    loaded ??= CallSchema.read();
    return loaded;
  }

  private static async read(): Promise<CallSchema> {
    const document = await schemaFrom({
      packageName: '@grammyjs/types',
      generator: path.join(__dirname, 'generate.mjs'),
      name: 'telegram-calls',
    });
    const schema = new CallSchema(document as SchemaDocument);
    // The first check compiles all definitions and blocks the process for a second, so it is not a caller's.
    schema.checkOf('getMe');
    return schema;
  }

  /** The method's name as the documentation writes it (callers may use any case), or null. */
  methodNamed(name: string): string | null {
    return this.names.get(name.toLowerCase()) ?? null;
  }

  /** What is wrong with these parameters, one line each; empty when nothing is. */
  violations(method: string, params: Params): string[] {
    const check = this.checkOf(method);
    if (check(params)) return [];
    return [...new Set((check.errors ?? []).map(inWords))];
  }

  /** Converts parameters that came as texts (query, form, multipart): those of other types are read as JSON. */
  readTexts(method: string, texts: Readonly<Record<string, string>>): Params {
    const properties = this.document.properties?.[method]?.properties ?? {};
    const read = ([name, text]: [string, string]): [string, unknown] => {
      const node = properties[name];
      return [name, node === undefined || this.takesText(node) ? text : jsonOrText(text)];
    };
    return Object.fromEntries(Object.entries(texts).map(read));
  }

  private takesText(node: SchemaNode): boolean {
    if (node.$ref === undefined) return [node.type].flat().includes('string');
    const name = decodeURIComponent(node.$ref.replace('#/definitions/', ''));
    const definition = this.document.definitions[name];
    return definition !== undefined && this.takesText(definition);
  }

  private checkOf(method: string): ValidateFunction {
    const known = this.checks.get(method);
    if (known !== undefined) return known;
    const isKnown = this.document.properties?.[method] !== undefined;
    const check = this.ajv.compile(isKnown ? { $ref: `${DOCUMENT}#/properties/${method}` } : {});
    this.checks.set(method, check);
    return check;
  }
}

const DOCUMENT = 'calls';
let loaded: Promise<CallSchema> | null = null;

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function inWords({ instancePath, message = 'is wrong', params }: ErrorObject): string {
  const extra = (params as { additionalProperty?: string }).additionalProperty;
  const place = instancePath === '' ? 'the call' : instancePath.slice(1).replaceAll('/', '.');
  return extra === undefined ? `${place} ${message}` : `${place} has no parameter "${extra}"`;
}
