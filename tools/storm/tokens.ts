import { lettersOf } from './chance';

/** Matches every token in a text: `qx` and six letters, which is no English word. */
export const TOKENS = /\bqx[a-z]{6}\b/g;

/** Matches the name of a request to the model, which the text of its reply contains. */
export const CALL_NAME = /\bzx[a-z]{6}\b/g;

export type StormChannel = 'web' | 'telegram';

/** One message of a candidate, and what the candidate knows about it. */
export interface SentToken {
  readonly token: string;
  readonly channel: StormChannel;
  /** The candidate's number. */
  readonly candidate: number;
  /** When the server said that it is stored; null before. */
  acknowledgedMs: number | null;
}

/** Every message that candidates have sent, oldest first. */
export class TokenJournal {
  readonly all: SentToken[] = [];

  /** Notes a message that is about to be sent, with a token of its own. */
  add(channel: StormChannel, candidate: number): SentToken {
    this.count += 1;
    const token = `qx${lettersOf(this.count)}`;
    const entry: SentToken = { token, channel, candidate, acknowledgedMs: null };
    this.all.push(entry);
    return entry;
  }

  private count = 0;
}
