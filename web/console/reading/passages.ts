/** Passages of the candidate's words: what is quoted, as parts of the lines of the transcript. */

interface Passage {
  readonly messageId: string;
  /** In UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

/** A passage with the name by which it is found on the page. */
export interface NamedPassage extends Passage {
  readonly name: string;
}

interface Segment {
  readonly text: string;
  /** Names of the passages that hold it; none: plain text. */
  readonly within: readonly string[];
  /** Names of those that begin with it. */
  readonly begins: readonly string[];
}

/** The text in pieces at whose ends passages begin or end. Passages may overlap; what lies outside of the text is left out. */
export function segmentsOf(text: string, passages: readonly NamedPassage[]): Segment[] {
  const inside = passages
    .map((one) => ({ ...one, start: Math.max(0, one.start), end: Math.min(text.length, one.end) }))
    .filter(({ start, end }) => start < end);
  const cuts = new Set([0, text.length, ...inside.flatMap(({ start, end }) => [start, end])]);
  const places = [...cuts].toSorted((a, b) => a - b);
  return places.slice(0, -1).map((start, index) => {
    const end = places[index + 1] ?? text.length;
    const holding = inside.filter((one) => one.start <= start && one.end >= end);
    return {
      text: text.slice(start, end),
      within: holding.map(({ name }) => name),
      begins: holding.filter((one) => one.start === start).map(({ name }) => name),
    };
  });
}

/** Before a passage, so that its first word is heard. */
const LEAD_S = 2;

/**
 * About where in a recording a passage is said. Nothing knows the time of each word, so it is as far into the
 * recording as it is into the text. `durationS` null: from the beginning.
 */
export function secondOf(
  { start }: Pick<Passage, 'start'>,
  text: string,
  durationS: number | null,
): number {
  if (durationS === null || text.length === 0) return 0;
  return Math.max(0, Math.floor((durationS * start) / text.length) - LEAD_S);
}

/** `0:42` */
export function clockOf(seconds: number): string {
  return `${String(Math.floor(seconds / 60))}:${String(seconds % 60).padStart(2, '0')}`;
}
