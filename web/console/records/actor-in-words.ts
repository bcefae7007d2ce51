/** Who did something, as the audit names them, in words. */
import { colleagueOf } from '../actor';
import type { RecordsTexts } from './texts';

export function actorInWords(
  actor: string,
  { actors, key }: Pick<RecordsTexts['audit'], 'actors' | 'key'>,
): string {
  const program = /^key (.+)$/.exec(actor)?.[1];
  if (program !== undefined) return key(program);
  return colleagueOf(actor) ?? actors[actor] ?? actor;
}
