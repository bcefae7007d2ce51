import { Injectable } from '@nestjs/common';
import { Settings } from '../common/config';

/** What holds for interviews in this process, as candidates are told before they agree. */
@Injectable()
export class InterviewTerms {
  readonly llm: Settings['llm'];
  readonly maxFileBytes: number;
  /** A model rates the answers of finished interviews. The room that does sets it at its start. */
  isRated = false;

  constructor({ llm, interview }: Settings) {
    this.llm = llm;
    this.maxFileBytes = interview.maxFileBytes;
  }
}
