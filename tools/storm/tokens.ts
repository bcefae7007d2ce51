import { lettersOf } from './chance';

/** Matches every token in a text: `qx` and six letters, which is no English word. */
export const TOKENS = /\bqx[a-z]{6}\b/g;

export type StormChannel = 'web' | 'telegram';

/** One message of a candidate, and what the candidate knows about it. */
export interface SentToken {
  readonly token: string;
  readonly channel: StormChannel;
  /** The candidate's number. */
  readonly candidate: number;
  /** The id that the client gave it; on Telegram the message's. */
  readonly externalId: string;
  readonly sentMs: number;
  /** When the server said that it is stored; null before. */
  acknowledgedMs: number | null;
}

/** Every message that candidates have sent, oldest first. */
export class TokenJournal {
  readonly all: SentToken[] = [];

  add(sent: Omit<SentToken, 'token' | 'acknowledgedMs'> & { token: string }): SentToken {
    const entry: SentToken = { ...sent, acknowledgedMs: null };
    this.all.push(entry);
    return entry;
  }

  /** A new token. */
  next(): string {
    this.count += 1;
    return `qx${lettersOf(this.count)}`;
  }

  private count = 0;
}
