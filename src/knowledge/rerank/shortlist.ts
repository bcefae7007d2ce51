import { z } from 'zod';
import type { Passage } from '../search/passage';

/** Enough to see what a passage is about. */
const EXCERPT = 200;
const MAX_READ_AT_ONCE = 10;

const idsInput = z.object({ ids: z.array(z.string()).max(100) });

/**
 * What a model may choose from. It knows passages by short labels (`p1` is the first found), which
 * it copies without mistakes; whatever else it names does not exist.
 */
export class Shortlist {
  private readonly byLabel: ReadonlyMap<string, Passage>;
  private readonly asked = new Set<Passage>();

  constructor(private readonly passages: readonly Passage[]) {
    this.byLabel = new Map(passages.map((passage, place) => [labelOf(place), passage]));
  }

  /** As JSON: whatever a passage or a question holds, it stays inside its string. */
  describe(question: string): string {
    return JSON.stringify({
      question,
      passages: this.passages.map(({ headings, text }, place) => ({
        id: labelOf(place),
        headings,
        begins: beginningOf(text),
      })),
    });
  }

  /** The passages that the model asks to read, as JSON; they are remembered. */
  read(input: unknown): string {
    const found = [...this.named(input)].slice(0, MAX_READ_AT_ONCE);
    for (const [, passage] of found) this.asked.add(passage);
    return JSON.stringify({
      passages: found.map(([id, { headings, text }]) => ({ id, headings, text })),
    });
  }

  /** What the model selected, best first; null when that cannot be understood. */
  select(input: unknown): Passage[] | null {
    const read = idsInput.safeParse(input);
    if (!read.success) return null;
    const found = [...this.named(input).values()];
    return found.length === 0 && read.data.ids.length > 0 ? null : found;
  }

  get hasBeenRead(): boolean {
    return this.asked.size > 0;
  }

  /** What the model asked to read, then all others as they were found. */
  askedForFirst(): Passage[] {
    return [...new Set([...this.asked, ...this.passages])];
  }

  private named(input: unknown): Map<string, Passage> {
    const read = idsInput.safeParse(input);
    const ids = read.success ? read.data.ids : [];
    return new Map(
      ids.flatMap((id) => {
        const passage = this.byLabel.get(id);
        return passage === undefined ? [] : [[id, passage] as const];
      }),
    );
  }
}

/** Never half of a surrogate pair, which some servers refuse. */
function beginningOf(text: string): string {
  if (text.length <= EXCERPT) return text;
  return `${text.slice(0, EXCERPT).replace(/\p{Surrogate}$/u, '')}…`;
}

function labelOf(place: number): string {
  return `p${String(place + 1)}`;
}
