/**
 * Where a reader of `/events` is inside a reply: `<turn>.<epoch>.<offset in UTF-16 units>`. The
 * turn's id is unique, so an id of another conversation is never mistaken for one of this.
 */
export interface EventId {
  readonly turnId: string;
  readonly epoch: number;
  readonly offset: number;
}

/** Digits that are sure to fit a bigint, and numbers that are exact. */
const FORM = /^([1-9]\d{0,17})\.(\d{1,9})\.(\d{1,9})$/;

export function formatEventId({ turnId, epoch, offset }: EventId): string {
  return `${turnId}.${epoch}.${offset}`;
}

/** Undefined for anything that this server did not send. */
export function parseEventId(raw: string | undefined): EventId | undefined {
  const [, turnId, epoch, offset] = FORM.exec(raw ?? '') ?? [];
  if (turnId === undefined) return undefined;
  return { turnId, epoch: Number(epoch), offset: Number(offset) };
}
