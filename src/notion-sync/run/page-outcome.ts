import {
  NotionConflictError,
  NotionNotFoundError,
  NotionRefusedError,
  NotionUnavailableError,
} from '../api/errors';

/**
 * What became of the write of one page.
 *
 *   updated  Notion has it
 *   gone     the page is deleted, or not ours to see any more: nothing is left to do
 *   refused  Notion will not take it, however often it is tried
 *   stuck    all tries failed: because of this page, or because Notion is down
 *   failed   nothing that a page could be to blame for: the run ends
 */
export type PageOutcome =
  | { readonly kind: 'updated' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'refused'; readonly error: NotionRefusedError | NotionConflictError }
  | { readonly kind: 'stuck'; readonly error: NotionUnavailableError }
  | { readonly kind: 'failed'; readonly error: unknown };

export async function outcomeOf(write: Promise<unknown>): Promise<PageOutcome> {
  try {
    await write;
    return { kind: 'updated' };
  } catch (error) {
    if (error instanceof NotionNotFoundError) return { kind: 'gone' };
    if (error instanceof NotionRefusedError || error instanceof NotionConflictError) {
      return { kind: 'refused', error };
    }
    if (error instanceof NotionUnavailableError) return { kind: 'stuck', error };
    return { kind: 'failed', error };
  }
}

/** What a refusal says about every page of the board, in a sentence; null: it may be this page alone. */
export function sharedReason({ fields }: NotionRefusedError | NotionConflictError): string | null {
  const { property, notionCode } = fields;
  if (typeof property === 'string') {
    return `Notion does not take the property "${property}" as it is written: see npm run notion:doctor.`;
  }
  if (notionCode === 'restricted_resource') {
    return 'Notion does not let the integration change pages: give it the right to update content.';
  }
  return null;
}
