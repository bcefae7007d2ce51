/** Where a reader of `/events` is inside a reply: `<turn ordinal>.<epoch>.<offset in UTF-16 units>`. */
export interface EventId {
  readonly ordinal: number;
  readonly epoch: number;
  readonly offset: number;
}

const FORM = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/;

export function formatEventId({ ordinal, epoch, offset }: EventId): string {
  return `${ordinal}.${epoch}.${offset}`;
}

/** Undefined for anything that this server did not send. */
export function parseEventId(raw: string | undefined): EventId | undefined {
  const match = FORM.exec(raw ?? '');
  if (match === null) return undefined;
  const [, ordinal, epoch, offset] = match;
  return { ordinal: Number(ordinal), epoch: Number(epoch), offset: Number(offset) };
}
