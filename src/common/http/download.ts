import { applyDecorators, Header } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';

/** Four characters that encodeURIComponent leaves unescaped and RFC 8187 does not. */
const NOT_ENCODED = /['()*]/g;
/** Characters that every client reads in a quoted name. */
const NOT_PLAIN = /[^\w.() -]/g;

type Content = NonNullable<Exclude<Parameters<typeof ApiOkResponse>[0], undefined>['content']>;

/**
 * Headers for a file that a stranger has sent, so that a browser runs nothing of it: it is saved and
 * not shown, its type is not guessed, no cache keeps it, and it has no rights if it is opened. `content`: its type in the
 * document.
 */
export function DownloadHeaders(
  description: string,
  content: Content = { '*/*': { schema: { type: 'string', format: 'binary' } } },
): MethodDecorator {
  return applyDecorators(
    Header('cache-control', 'private, no-store'),
    Header('x-content-type-options', 'nosniff'),
    Header('content-security-policy', "default-src 'none'; sandbox"),
    ApiOkResponse({ description, content }),
  );
}

/** A Content-Disposition that saves a file under its name (RFC 6266). */
export function attachmentNamed(name: string): string {
  const encoded = encodeURIComponent(name).replace(
    NOT_ENCODED,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${name.replace(NOT_PLAIN, '_')}"; filename*=UTF-8''${encoded}`;
}
