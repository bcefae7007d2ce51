import { z } from 'zod';
import type { ModelChunk } from './model-client';
import { inputOf } from './tool-wire';

/** More calls in one answer are not read. */
const MAX_CALLS = 8;
/** UTF-16 units of one call's arguments. */
const MAX_ARGUMENTS = 20_000;

const wirePieces = z.array(
  z.object({
    index: z.number().optional().catch(undefined),
    function: z
      .object({ name: z.string().nullish(), arguments: z.unknown().optional() })
      .nullish()
      .catch(undefined),
  }),
);

export type ModelCall = Extract<ModelChunk, { type: 'call' }>;

interface Call {
  name: string;
  /** Text as it comes in pieces; anything else came whole. */
  written: unknown;
}

/** Tool calls of one answer, whose arguments come in pieces. */
export class StreamedCalls {
  private readonly calls = new Map<number, Call>();

  take(delta: unknown): void {
    const pieces = wirePieces.safeParse(delta);
    for (const [position, piece] of (pieces.data ?? []).entries()) {
      this.add(piece.index ?? position, piece.function?.name ?? '', piece.function?.arguments);
    }
  }

  /** In the order in which they began; without those that name no tool. */
  list(): ModelCall[] {
    return [...this.calls.values()]
      .filter(({ name }) => name !== '')
      .map(({ name, written }) => ({ type: 'call', name, input: inputOf(written) }));
  }

  private add(index: number, name: string, written: unknown): void {
    const call = this.calls.get(index) ?? { name: '', written: '' };
    if (!this.calls.has(index) && this.calls.size >= MAX_CALLS) return;
    this.calls.set(index, call);
    // Sent once; a server that repeats it with every piece means the same call.
    if (call.name === '') call.name = name;
    if (typeof written === 'string' && typeof call.written === 'string') {
      call.written = (call.written + written).slice(0, MAX_ARGUMENTS);
    } else if (written !== undefined && written !== null) call.written = written;
  }
}
