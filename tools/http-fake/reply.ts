import type { ServerResponse } from 'node:http';

/** A response that is not of the server's protocol, or none. */
export type BrokenReply =
  | { readonly kind: 'drop' }
  | { readonly kind: 'garble'; readonly status: number; readonly body: string };

/** Sends a broken reply; false: it is a whole one, and the caller sends it. */
export function sendBroken(
  response: ServerResponse,
  reply: BrokenReply | { readonly kind: 'answer' },
): reply is BrokenReply {
  if (response.destroyed) return true;
  if (reply.kind === 'drop') {
    response.destroy();
    return true;
  }
  if (reply.kind !== 'garble') return false;
  response.writeHead(reply.status, { 'content-type': 'text/html' }).end(reply.body);
  return true;
}
