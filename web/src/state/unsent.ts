/** What the candidate has written, recorded or attached and the server has not yet. Pure. */
import type { AttachmentItem } from './attachments';
import type { SessionSnapshot } from './session-snapshot';

type Uploads = Pick<SessionSnapshot, 'recorder' | 'attachments'>;

/** A recording or a file would be lost with the page: unlike messages, neither is in its storage. */
export function wouldLose({ recorder, attachments }: Uploads): boolean {
  const hasVoice = ['recording', 'sending', 'unsent'].includes(recorder.kind);
  return hasVoice || attachments.some(({ state }) => state !== 'refused');
}

/** Something is in the field or beside it, so the field stays. A refused file says why there. */
export function isFieldInUse(
  { outbox, recorder, attachments }: Uploads & Pick<SessionSnapshot, 'outbox'>,
  draft: string,
): boolean {
  const isUploading = recorder.kind !== 'idle' || attachments.length > 0;
  return isUploading || draft !== '' || outbox.length > 0;
}

/** A file could not be sent since `before`. */
export function hasNewUnsent(
  before: readonly AttachmentItem[],
  after: readonly AttachmentItem[],
): boolean {
  const wasUnsent = new Set(before.filter(isUnsent).map(({ id }) => id));
  return after.some((item) => isUnsent(item) && !wasUnsent.has(item.id));
}

function isUnsent({ state }: AttachmentItem): boolean {
  return state === 'unsent';
}
