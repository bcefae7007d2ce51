import { randomUUID } from 'node:crypto';

export interface UploadedFile {
  readonly field: string;
  readonly name: string;
  readonly mimeType: string;
  readonly pieces: AsyncIterable<string>;
}

interface Form {
  readonly headers: Readonly<Record<string, string>>;
  /** Reads a piece of the file when it is asked for one. */
  readonly body: AsyncGenerator<Buffer, void, undefined>;
}

/**
 * A multipart form of some fields and, at its end, one file. Names are constants of ours. `onError`
 * learns what the file's pieces threw: the form has no end then.
 */
export function formOf(
  fields: Readonly<Record<string, string>>,
  { field, name, mimeType, pieces }: UploadedFile,
  onError: (error: unknown) => void,
): Form {
  const boundary = randomUUID();
  const partOf = (disposition: string): string =>
    `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n`;
  async function* body(): AsyncGenerator<Buffer, void, undefined> {
    const texts = Object.entries(fields).map(
      ([key, value]) => `${partOf(`name="${key}"`)}\r\n${value}\r\n`,
    );
    const head = partOf(`name="${field}"; filename="${name}"`);
    yield Buffer.from(`${texts.join('')}${head}content-type: ${mimeType}\r\n\r\n`);
    try {
      for await (const piece of pieces) yield Buffer.from(piece);
    } catch (error) {
      onError(error);
      throw error;
    }
    yield Buffer.from(`\r\n--${boundary}--\r\n`);
  }
  return { headers: { 'content-type': `multipart/form-data; boundary=${boundary}` }, body: body() };
}
