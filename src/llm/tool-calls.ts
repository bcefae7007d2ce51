import type { ChatCompletionFunctionTool } from 'openai/resources/chat/completions';
import { z } from 'zod';
import type { OfferedTool } from './model-client';

/** A model's call of a tool. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** What the model wrote, if it is JSON; otherwise undefined. */
  readonly input: unknown;
}

/** Reads the `tool_calls` of one completion, whole or piece by piece. */
export class ToolCallReader {
  private readonly calls: Begun[] = [];
  /** By the protocol's index, the call that its next piece belongs to. */
  private readonly current = new Map<number, Begun>();

  /** Skips only what it cannot read. */
  take(pieces: unknown): void {
    if (!Array.isArray(pieces)) return;
    for (const [position, piece] of pieces.entries()) {
      const read = wirePiece.safeParse(piece).data;
      if (read !== undefined) this.add(read.index ?? position, read);
    }
  }

  /** In the order in which they began; without those that name no tool. */
  list(): ToolCall[] {
    return this.calls.flatMap(({ id, name, written }, n) =>
      name === '' ? [] : [{ id: id === '' ? `call-${n + 1}` : id, name, input: inputOf(written) }],
    );
  }

  private add(index: number, piece: z.infer<typeof wirePiece>): void {
    const call = this.callOf(index, piece.id ?? '');
    if (call === undefined) return;
    // Most servers send them once; some repeat them with every piece.
    call.id ||= piece.id ?? '';
    call.name ||= piece.function?.name ?? '';
    const written = piece.function?.arguments ?? '';
    if (typeof written === 'string' && typeof call.written === 'string') {
      call.written = (call.written + written).slice(0, MAX_ARGUMENTS);
    } else if (written !== '') call.written = written;
  }

  /**
   * Some servers send the same index, or none, for every call; then another id means another call.
   */
  private callOf(index: number, id: string): Begun | undefined {
    const known = this.current.get(index);
    const isSame = known !== undefined && (id === '' || known.id === '' || known.id === id);
    if (isSame || this.calls.length >= MAX_CALLS) return isSame ? known : undefined;
    const begun = { id: '', name: '', written: '' };
    this.calls.push(begun);
    this.current.set(index, begun);
    return begun;
  }
}

/** More calls in one completion are not read. */
const MAX_CALLS = 8;
/** UTF-16 units of one call's arguments. */
const MAX_ARGUMENTS = 20_000;

/** Servers may leave out any field or send null. */
const wirePiece = z.object({
  index: z.number().optional().catch(undefined),
  id: z.string().nullish().catch(undefined),
  function: z
    .object({ name: z.string().nullish().catch(undefined), arguments: z.unknown().optional() })
    .nullish()
    .catch(undefined),
});

interface Begun {
  id: string;
  name: string;
  /** Text that arrives in pieces, or a whole value of another type. */
  written: unknown;
}

/** Some servers send the object itself instead of its text. */
function inputOf(written: unknown): unknown {
  if (typeof written !== 'string') return written;
  try {
    return JSON.parse(written) as unknown;
  } catch {
    return undefined;
  }
}

/** Tools in the form of the protocol. */
export function wireTools(tools: readonly OfferedTool[]): ChatCompletionFunctionTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema },
  }));
}
