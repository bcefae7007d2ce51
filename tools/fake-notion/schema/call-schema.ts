import Ajv, { type ErrorObject, type ValidateFunction } from 'ajv';
import path from 'node:path';
import { schemaFrom } from '../../schema/schema-file';

export type Params = Readonly<Record<string, unknown>>;

interface SchemaDocument {
  readonly properties: Readonly<Record<string, object>>;
  readonly definitions: Readonly<Record<string, object>>;
}

/** The parameters of each operation, by @notionhq/client. */
export class CallSchema {
  private readonly ajv = new Ajv({ allErrors: true, strict: false, code: { optimize: false } });
  private readonly checks = new Map<string, ValidateFunction>();

  private constructor(private readonly document: SchemaDocument) {
    // Added as one document, so that operations share the definitions' compiled checks.
    this.ajv.addSchema(document, DOCUMENT);
  }

  /** All servers of a process share one schema, because compiling its checks takes a while. */
  static load(): Promise<CallSchema> {
    loaded ??= CallSchema.read();
    return loaded;
  }

  private static async read(): Promise<CallSchema> {
    const document = await schemaFrom({
      packageName: '@notionhq/client',
      generator: path.join(__dirname, 'generate.mjs'),
      name: 'notion-calls',
    });
    const schema = new CallSchema(document as SchemaDocument);
    // The first check compiles all definitions and blocks the process for seconds, so it is not a caller's.
    for (const operation of Object.keys(schema.document.properties)) schema.checkOf(operation);
    return schema;
  }

  /** What is wrong with these parameters, one line each; empty when nothing is. */
  violations(operation: string, params: Params): string[] {
    const check = this.checkOf(operation);
    if (check(params)) return [];
    return [...new Set(mostSpecific(check.errors ?? []).map(inWords))];
  }

  private checkOf(operation: string): ValidateFunction {
    const known = this.checks.get(operation);
    if (known !== undefined) return known;
    if (this.document.properties[operation] === undefined) {
      throw new Error(`there is no schema of ${operation}`);
    }
    const check = this.ajv.compile({ $ref: `${DOCUMENT}#/properties/${operation}` });
    this.checks.set(operation, check);
    return check;
  }
}

const DOCUMENT = 'calls';
let loaded: Promise<CallSchema> | null = null;

/**
 * A value that matches none of a union's twenty shapes has an error for each of them. Of those errors
 * only the deepest are relevant, and of these only the one that occurs most often is reported.
 */
function mostSpecific(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const isOfUnion = ({ schemaPath, keyword }: ErrorObject): boolean =>
    keyword === 'anyOf' || schemaPath.includes('/anyOf/');
  const certain = errors.filter((error) => !isOfUnion(error));
  const unsure = errors.filter((error) => isOfUnion(error) && error.keyword !== 'anyOf');
  if (unsure.length === 0) return errors;
  const depth = ({ instancePath }: ErrorObject): number => instancePath.split('/').length;
  const deepest = Math.max(...unsure.map(depth));
  const votes = new Map<string, { readonly error: ErrorObject; count: number }>();
  for (const error of unsure.filter((one) => depth(one) === deepest)) {
    const vote = votes.get(inWords(error)) ?? { error, count: 0 };
    vote.count += 1;
    votes.set(inWords(error), vote);
  }
  const [best] = [...votes.values()].sort((a, b) => b.count - a.count);
  // An error near the root is reported too; deeper ones may belong to the shapes of the union.
  return best === undefined ? certain : [...certain.filter((one) => depth(one) === 1), best.error];
}

function inWords({ instancePath, message = 'is wrong', params }: ErrorObject): string {
  const extra = (params as { additionalProperty?: string }).additionalProperty;
  const place = instancePath === '' ? 'the call' : instancePath.slice(1).replaceAll('/', '.');
  return extra === undefined ? `${place} ${message}` : `${place} has no parameter "${extra}"`;
}
