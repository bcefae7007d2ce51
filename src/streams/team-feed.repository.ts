import { Injectable } from '@nestjs/common';
import type { Tx } from '../common/uow';

/** Which vacancy an interview is for. */
@Injectable()
export class TeamFeedRepository {
  /** Those that exist, in no order; previews have no readers. */
  vacanciesOf(
    tx: Tx,
    interviewIds: readonly string[],
  ): Promise<{ readonly id: string; readonly vacancyId: string }[]> {
    return tx.query(
      `select id, vacancy_id as "vacancyId" from conversation
       where id = any($1::uuid[]) and not is_preview`,
      [interviewIds],
    );
  }
}
