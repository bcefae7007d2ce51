/**
 * The AI SDK's UI message stream, version 1 as `ai` 6 speaks it. An unknown part type kills the
 * client's stream, so only its own types and `data-*` are ever written.
 */
export const UI_MESSAGE_STREAM_HEADERS = { 'x-vercel-ai-ui-message-stream': 'v1' } as const;

type Part =
  | { readonly type: 'start'; readonly messageId: string }
  | { readonly type: 'start-step' | 'finish-step' }
  | { readonly type: 'text-start' | 'text-end'; readonly id: string }
  | { readonly type: 'text-delta'; readonly id: string; readonly delta: string }
  | { readonly type: 'finish'; readonly finishReason: 'stop' | 'other' }
  | { readonly type: 'abort' }
  | { readonly type: 'error'; readonly errorText: string }
  | { readonly type: `data-${string}`; readonly data: unknown; readonly transient: true };

const TEXT_ID = 'text';
const DONE = 'data: [DONE]\n\n';

function frame(part: Part): string {
  return `data: ${JSON.stringify(part)}\n\n`;
}

export function replyStart(messageId: string): string {
  return (
    frame({ type: 'start', messageId }) +
    frame({ type: 'start-step' }) +
    frame({ type: 'text-start', id: TEXT_ID })
  );
}

export function replyDelta(delta: string): string {
  return delta === '' ? '' : frame({ type: 'text-delta', id: TEXT_ID, delta });
}

/** Only after the reply is stored: a client takes it for whole. `isPartial`: it was stopped. */
export function replyFinish(isPartial: boolean): string {
  return (
    frame({ type: 'text-end', id: TEXT_ID }) +
    frame({ type: 'finish-step' }) +
    frame({ type: 'finish', finishReason: isPartial ? 'other' : 'stop' }) +
    DONE
  );
}

/** This request gets no reply of its own: a later one carries it. */
export function superseded(): string {
  return frame({ type: 'data-superseded', data: {}, transient: true }) + DONE;
}

/** The reply was stopped before its first word: there is none, and none will come. */
export function stopped(): string {
  return frame({ type: 'abort' }) + DONE;
}

/** The answer went to a person; there is nothing to stream. */
export function unanswered(text: string): string {
  return frame({ type: 'error', errorText: text }) + DONE;
}
