/** Where parts go, in order: a chat of a channel. */
export interface Chat {
  readonly channel: string;
  readonly chat: string;
}

/** The key of the chat's task in the lane `deliver`. */
export function keyOfChat({ channel, chat }: Chat): string {
  return `${channel}:${chat}`;
}

export function chatOfKey(key: string): Chat {
  const colon = key.indexOf(':');
  return { channel: key.slice(0, colon), chat: key.slice(colon + 1) };
}
