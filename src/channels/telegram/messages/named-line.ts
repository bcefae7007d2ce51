export const CHANNEL = 'telegram';

/** What came from Telegram, named as the transcript names it for ever. */
export interface MessageName {
  readonly conversationId: string;
  readonly channel: typeof CHANNEL;
  readonly externalId: string;
}

/** What is written below a voice message or a file, beside it. */
export function captionName(named: MessageName): MessageName {
  return { ...named, externalId: `${named.externalId}:caption` };
}
