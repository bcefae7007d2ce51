import { Injectable } from '@nestjs/common';
import { Settings } from '../common/config';
import type { KeptDays } from './texts/texts';

/** What holds for interviews in this process, as candidates are told before they agree. */
@Injectable()
export class InterviewTerms {
  readonly llm: Settings['llm'];
  readonly maxFileBytes: number;
  /** A model rates the answers of finished interviews. The room that does sets it at its start. */
  isRated = false;
  /** For how long retention keeps interviews. The room that deletes them sets it at its start. */
  kept: KeptDays = { answers: null, media: null };

  constructor({ llm, interview }: Settings) {
    this.llm = llm;
    this.maxFileBytes = interview.maxFileBytes;
  }
}
