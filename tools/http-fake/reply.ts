import type { ServerResponse } from 'node:http';

/** A cut connection, or a response that does not follow the server's protocol. */
export type BrokenReply =
  | { readonly kind: 'drop' }
  | { readonly kind: 'garble'; readonly status: number; readonly body: string };

/** Sends a broken reply and returns true; returns false for a whole one, which the caller sends. */
export function sendBroken(
  response: ServerResponse,
  reply: BrokenReply | { readonly kind: 'response' },
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
