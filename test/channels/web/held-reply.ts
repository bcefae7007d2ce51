import type { ModelReply } from '../../../tools/fake-model/model-server';

/** A model's reply that stops after `before` until the server is told to release it. */
export function heldReply(before: string, after: string): ModelReply {
  const head = JSON.stringify({ verdict: 'answered', text: before }).slice(0, -2);
  const rest = JSON.stringify(after).slice(1);
  return { kind: 'hold', content: head, rest: `${rest}}` };
}
