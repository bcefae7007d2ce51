/** Who has closed an item, and what was done: what the program has written about it is said in the person's words. */
import { colleagueOf } from '../actor';
import type { Item } from './calls';
import type { InboxTexts } from './texts';

/** As the program names itself. */
const ITSELF = 'colloquy';

/** `words` null: there is nothing to say beside who it was. */
export function closingInWords(
  { closedBy, resolution }: Pick<Item, 'closedBy' | 'resolution'>,
  { item, program }: Pick<InboxTexts, 'program'> & { item: Pick<InboxTexts['item'], ClosingTexts> },
): { who: string; words: string | null } {
  if (closedBy === ITSELF || closedBy === null) return { who: item.closedItself, words: null };
  const name = colleagueOf(closedBy) ?? program(closedBy.replace(/^key /, ''));
  return { who: item.closed(name), words: wordsOf(resolution, closedBy, item) };
}

type ClosingTexts = 'closed' | 'closedItself' | 'wasHandedBack' | 'interviewClosed';

function wordsOf(
  resolution: string | null,
  closedBy: string,
  { wasHandedBack, interviewClosed }: Pick<InboxTexts['item'], ClosingTexts>,
): string | null {
  if (resolution === `returned by ${closedBy}`) return wasHandedBack;
  return resolution === `closed by ${closedBy}` ? interviewClosed : resolution;
}
