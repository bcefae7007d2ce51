import type { LiveReply, ReplyPart } from '../../../streams';

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
  | ({ readonly type: 'tool-input-available'; readonly toolName: string } & ToolPart & {
        readonly input: unknown;
      })
  | ({ readonly type: 'tool-output-available' } & ToolPart & { readonly output: unknown })
  | { readonly type: 'finish'; readonly finishReason: 'stop' | 'other' }
  | { readonly type: 'abort' }
  | { readonly type: 'error'; readonly errorText: string }
  | {
      readonly type: `data-${string}`;
      readonly data: unknown;
      readonly transient?: true;
    };

/** A tool call of the server: the client does not know the tool and does not run it. */
interface ToolPart {
  readonly toolCallId: string;
  readonly dynamic: true;
  readonly providerExecuted: true;
}

const TEXT_ID = 'text';
const DONE = 'data: [DONE]\n\n';

function frame(part: Part): string {
  return `data: ${JSON.stringify(part)}\n\n`;
}

/** A reply as far as it is written. */
type GrowingReply = Pick<LiveReply, 'length' | 'parts' | 'textFrom'>;

/** A stored reply, which does not grow. */
export function whole(text: string, parts: readonly ReplyPart[]): GrowingReply {
  return { length: text.length, parts, textFrom: (offset) => text.slice(offset) };
}

/** The frames of one reply, made while it grows. */
export class ReplyFrames {
  private isStarted = false;
  private isTextStarted = false;
  private partsSent = 0;
  private offset = 0;

  constructor(private readonly messageId: string) {}

  /** Frames of the reply were made: its client must get the rest, or be cut off. */
  get hasBegun(): boolean {
    return this.isStarted;
  }

  /**
   * The frames of what is new since the last call. The agent's name and the mark of a question come
   * with the first word or tool call; a reply that ends before both is not shown at all.
   */
  grow(reply: GrowingReply): string {
    const { length, parts } = reply;
    const hasContent = length > 0 || parts.some(({ type }) => type === 'call');
    if (!this.isStarted && !hasContent) return '';
    const shown = length > 0 ? parts : parts.filter(({ type }) => type !== 'question');
    const news = shown.slice(this.partsSent);
    const delta = reply.textFrom(this.offset);
    this.partsSent = shown.length;
    this.offset = length;
    // Inside the text, which it marks, so that a live and a stored reply have the same order.
    const marks = news.filter(({ type }) => type === 'question');
    const others = news.filter(({ type }) => type !== 'question');
    return (
      this.start() +
      others.map(partFrame).join('') +
      (marks.length === 0 && delta === '' ? '' : this.textStart()) +
      marks.map(partFrame).join('') +
      (delta === '' ? '' : textDelta(delta))
    );
  }

  /** Only for a stored reply: the client takes it as complete. `isPartial`: it was stopped. */
  end(isPartial: boolean): string {
    return (
      this.start() +
      this.textStart() +
      frame({ type: 'text-end', id: TEXT_ID }) +
      frame({ type: 'finish-step' }) +
      frame({ type: 'finish', finishReason: isPartial ? 'other' : 'stop' }) +
      DONE
    );
  }

  private start(): string {
    if (this.isStarted) return '';
    this.isStarted = true;
    return frame({ type: 'start', messageId: this.messageId }) + frame({ type: 'start-step' });
  }

  private textStart(): string {
    if (this.isTextStarted) return '';
    this.isTextStarted = true;
    return frame({ type: 'text-start', id: TEXT_ID });
  }
}

function textDelta(delta: string): string {
  return frame({ type: 'text-delta', id: TEXT_ID, delta });
}

function partFrame(part: ReplyPart): string {
  switch (part.type) {
    case 'agent':
      return frame({ type: 'data-agent', data: { agent: part.agent } });
    case 'call': {
      const { tool: toolName, input } = part;
      return frame({ type: 'tool-input-available', toolName, input, ...toolPart(part) });
    }
    case 'question': {
      const { id, start, text } = part;
      return frame({ type: 'data-question', data: { id, start, text } });
    }
    case 'result':
      return frame({ type: 'tool-output-available', output: part.output, ...toolPart(part) });
  }
}

function toolPart({ callId }: { readonly callId: string }): ToolPart {
  return { toolCallId: callId, dynamic: true, providerExecuted: true };
}

/** This request gets no reply: a newer request of the chat streams it. */
export function superseded(): string {
  return frame({ type: 'data-superseded', data: {}, transient: true }) + DONE;
}

/** The reply was stopped before its first word: there is none. */
export function stopped(): string {
  return frame({ type: 'abort' }) + DONE;
}

/** Nothing more is streamed, for the reason in `text`; the reply itself may go on. */
export function failed(text: string): string {
  return frame({ type: 'error', errorText: text }) + DONE;
}
