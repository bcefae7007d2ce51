import { applyDecorators, Header } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';

/** Of what RFC 8187 leaves unescaped; encodeURIComponent leaves four more. */
const NOT_ENCODED = /['()*]/g;
/** What every client reads in a quoted name. */
const NOT_PLAIN = /[^\w.() -]/g;

/**
 * What a stranger has sent is handed out so that a browser runs nothing of it: saved and not shown,
 * its type not guessed, kept by nobody on the way, and without rights if it is opened after all.
 */
export function DownloadHeaders(description: string): MethodDecorator {
  return applyDecorators(
    Header('cache-control', 'private, no-store'),
    Header('x-content-type-options', 'nosniff'),
    Header('content-security-policy', "default-src 'none'; sandbox"),
    ApiOkResponse({
      description,
      content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
    }),
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
