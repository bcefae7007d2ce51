import { z } from 'zod';

/**
 * What the bot expects of a person who is not in an interview yet.
 *
 *   none    nothing: whatever is written leads to the ways in
 *   pin     the next text is the PIN of an invitation
 *   search  the next text names a vacancy; `isDone`: a search was made, a vacancy may be chosen
 */
const DIALOG = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('none') }),
  z.object({ kind: z.literal('pin') }),
  z.object({ kind: z.literal('search'), isDone: z.boolean().optional() }),
]);

export type Dialog = z.infer<typeof DIALOG>;

/** Something stored that is no dialog (any more) counts as none. */
export function readDialog(stored: unknown): Dialog {
  const { success, data } = DIALOG.safeParse(stored);
  return success ? data : { kind: 'none' };
}
