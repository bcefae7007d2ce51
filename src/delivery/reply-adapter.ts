/** One piece of a message as a channel sends it; `plain` is the form without markup. */
export interface DeliveryPart {
  readonly text: string;
  readonly plain: string;
}

/** How a channel takes a message. */
export interface ReplyAdapter {
  readonly channel: 'web' | 'telegram';
  /** True where storing the message is delivering it: readers read the transcript itself. */
  readonly deliversByStoring: boolean;
  parts(text: string): readonly DeliveryPart[];
}

/** The web page reads the transcript: one part, delivered with its commit. */
export const WEB_ADAPTER: ReplyAdapter = {
  channel: 'web',
  deliversByStoring: true,
  parts: (text) => [{ text, plain: text }],
};
