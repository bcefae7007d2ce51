import type { IncomingMessage } from 'node:http';
import { bodyOf } from '../../http-fake/requests';

/** A file that came with a multipart call. */
export interface Upload {
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: Buffer;
}

/** A call's parameters as they came in. */
export type CallBody =
  | { readonly encoding: 'json'; readonly params: Readonly<Record<string, unknown>> }
  | {
      readonly encoding: 'texts';
      readonly params: Readonly<Record<string, string>>;
      /** By the field's name. */
      readonly uploads: ReadonlyMap<string, Upload>;
    };

/**
 * Reads query, form, multipart or JSON, as the Bot API accepts them. A file under a parameter's own
 * name becomes `attach://NAME` in the parameters. Throws SyntaxError for a body of another kind.
 */
export async function readCall(request: IncomingMessage, query: string): Promise<CallBody> {
  const fromQuery = Object.fromEntries(new URLSearchParams(query));
  const bytes = await bodyOf(request);
  const type = request.headers['content-type'] ?? '';
  if (bytes.length === 0) return { encoding: 'texts', params: fromQuery, uploads: new Map() };
  if (type.startsWith('application/json')) {
    const body = JSON.parse(bytes.toString('utf8')) as unknown;
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw new SyntaxError('object expected as a JSON body');
    }
    return { encoding: 'json', params: { ...fromQuery, ...body } };
  }
  const { texts, uploads } = await formOf(bytes, type);
  return { encoding: 'texts', params: { ...fromQuery, ...texts }, uploads };
}

async function formOf(
  bytes: Buffer,
  type: string,
): Promise<{ texts: Record<string, string>; uploads: Map<string, Upload> }> {
  // formData() is deprecated for servers, where a form may be large; in tests it is small.
  const body: { formData(): Promise<FormData> } = new Response(bytes, {
    headers: { 'content-type': type },
  });
  const form = await body.formData().catch((cause: unknown) => {
    throw new SyntaxError('the form cannot be parsed', { cause });
  });
  const texts: Record<string, string> = {};
  const uploads = new Map<string, Upload>();
  for (const [field, value] of form.entries()) {
    if (typeof value === 'string') {
      texts[field] = value;
      continue;
    }
    const content = Buffer.from(await value.arrayBuffer());
    uploads.set(field, { name: value.name, mimeType: value.type, bytes: content });
  }
  const attached = Object.values(texts).join('\n');
  for (const field of uploads.keys()) {
    if (!attached.includes(`attach://${field}`)) texts[field] = `attach://${field}`;
  }
  return { texts, uploads };
}
