import type { ApiResponse } from '@grammyjs/types';
import { CallJournal, type CallOutcome, type Open, type RecordedCall } from '../http-fake/journal';

export type Outcome = CallOutcome<ApiResponse<unknown>>;

export interface JournalEntry extends RecordedCall<ApiResponse<unknown>> {
  readonly method: string;
  /** Names of the uploaded files. */
  readonly uploads: readonly string[];
}

export type OpenEntry = Open<JournalEntry>;

/** Calls to the Bot API; their parameters are checked against @grammyjs/types. */
export class Journal extends CallJournal<JournalEntry> {
  constructor(onAdd: () => void) {
    super(({ method }) => method, onAdd);
  }
}
